use std::io::Read;

use sekisho_gate::answer::Behavior;
use sekisho_policy::exact_json;
use serde_json::Value;

use super::answering::{self, Remembering};
use super::editing::{self, Edit};
use super::id::Name;
use super::inbox::{Inbox, Server};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Approve a question: its call may run, once
///
/// The answer is bound to what the question shows: should that change, it is not taken. A dangerous call is shown, and
/// `yes` has to be typed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The question: its id, or the end of it
    id: Name,
    /// Run with this input instead: the whole of it as JSON; `-` reads it from standard input
    #[arg(long, value_name = "JSON", conflicts_with = "edit")]
    input: Option<String>,
    /// Change the input in `$VISUAL` or `$EDITOR` first
    #[arg(long)]
    edit: bool,
    #[command(flatten)]
    remembering: Remembering,
    /// Something to tell the agent
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// Do not ask, even if it is dangerous
    #[arg(short, long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho approvals approve 5d2a91c0
  sekisho approvals approve 5d2a91c0 --remember session
  sekisho approvals approve 5d2a91c0 --remember project --rule 2
  sekisho approvals approve 5d2a91c0 --input '{\"command\":\"git push origin feature\"}'";

pub(crate) fn run(args: &Args, server: Server) -> Result<Exit, Failure> {
    // What cannot be read is said before anybody is asked anything.
    let given = args.input.as_deref().map(input).transpose()?;
    let inbox = Inbox::open(server)?;
    let question = inbox.question(&args.id)?;
    let mut answer = answering::body(&question, Behavior::Allow, args.message.clone(), &args.remembering)?;
    answer.updated_input = given;
    if args.edit {
        let mut out = terminal::stdout();
        match editing::edit(&question.input, inbox.editor.as_deref())? {
            Edit::Same => return Err(Failure::new("the input was not changed; nothing was sent")),
            Edit::Broken { why, .. } => {
                return Err(Failure::new(format!("what was saved is no JSON: {why}; nothing was sent")));
            }
            Edit::Changed(input) => {
                terminal::diff(&mut out, &editing::diff(&question.input, &input))?;
                let ask = terminal::ask(&mut out, "Approve with this input?", "give it with `--input`")?;
                if !ask {
                    return Err(Failure::new("not approved; the question still waits"));
                }
                answer.updated_input = Some(input);
            }
        }
    }
    answering::make_sure(&inbox, &question, args.yes)?;
    answering::give(&inbox, &question, &answer)
}

fn input(text: &str) -> Result<Value, Failure> {
    let mut read = String::new();
    let text = match text {
        "-" => {
            std::io::stdin()
                .read_to_string(&mut read)
                .map_err(|error| Failure::usage(format!("--input: standard input: {error}")))?;
            &read
        }
        text => text,
    };
    exact_json::read(text).map_err(|error| Failure::usage(format!("--input: {error}")))
}
