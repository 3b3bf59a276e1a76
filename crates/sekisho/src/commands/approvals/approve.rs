use std::io::Read;

use sekisho_gate::answer::Behavior;
use sekisho_policy::exact_json;
use serde_json::Value;

use super::answer::{self, RememberArgs};
use super::approval_ref::ApprovalRef;
use super::approvals_client::{ApprovalsClient, ServerArgs};
use super::input_editor::{self, EditResult};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Approve a question: its call may run once
///
/// You approve what the question shows now: if it changes before your answer arrives, the server rejects the
/// answer. A dangerous call is shown first, and you have to type `yes`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The question's id, or its last characters
    id: ApprovalRef,
    /// Run the call with this input instead: the complete input as JSON; `-` reads it from standard input
    #[arg(long, value_name = "JSON", conflicts_with = "edit")]
    input: Option<String>,
    /// Edit the input in `$VISUAL` or `$EDITOR` first
    #[arg(long)]
    edit: bool,
    #[command(flatten)]
    remembering: RememberArgs,
    /// A message to the agent
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// Do not ask for confirmation, even if the call is dangerous
    #[arg(short, long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho approvals approve 5d2a91c0
  sekisho approvals approve 5d2a91c0 --remember session
  sekisho approvals approve 5d2a91c0 --remember project --rule 2
  sekisho approvals approve 5d2a91c0 --input '{\"command\":\"git push origin feature\"}'";

pub(crate) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    // Report invalid input before asking anything.
    let given = args.input.as_deref().map(input).transpose()?;
    let inbox = ApprovalsClient::open(server)?;
    let question = inbox.question(&args.id)?;
    let mut answer =
        answer::answer_body(&question, Behavior::Allow, args.message.clone(), &args.remembering)?;
    answer.updated_input = given;
    if args.edit {
        let mut out = terminal::stdout();
        match input_editor::edit_input(&question.input, inbox.editor.as_deref())? {
            EditResult::Unchanged => {
                return Err(Failure::new("the input was not changed, so nothing was sent"));
            }
            EditResult::Invalid { why, .. } => {
                return Err(Failure::new(format!(
                    "the saved text is not a valid input: {why}; nothing was sent"
                )));
            }
            EditResult::Changed(input) => {
                terminal::diff(&mut out, &input_editor::input_diff(&question.input, &input))?;
                let ask = terminal::prompt_yes_no(
                    &mut out,
                    "Approve with this input?",
                    "pass the input with `--input`",
                )?;
                if !ask {
                    return Err(Failure::new("not approved; the question is still open"));
                }
                answer.updated_input = Some(input);
            }
        }
    }
    answer::confirm_danger(&inbox, &question, args.yes)?;
    answer::send_answer(&inbox, &question, &answer)
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
