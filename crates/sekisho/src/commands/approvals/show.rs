use std::io::Write;

use jiff::Timestamp;

use super::approval_ref::ApprovalRef;
use super::approval_view;
use super::approvals_client::{ApprovalsClient, ServerArgs, parse_question};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Show one question in full: what would run, why it is asked, and which rules could be remembered
///
/// The marks under a command mean: `~` would run without asking, `?` needs an answer, `!` is denied.
/// Characters that hide or disguise text are escaped as `\u{…}`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The question's id, or its last characters
    id: ApprovalRef,
    /// Also show the complete input as JSON
    #[arg(long)]
    input: bool,
    /// Print the question as JSON
    #[arg(long, conflicts_with = "input")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho approvals show 5d2a91c0
  sekisho approvals show 5d2a91c0 --input
  sekisho approvals show 5d2a91c0 --json | jq .input";

pub(crate) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let inbox = ApprovalsClient::open(server)?;
    let found = inbox.find(&args.id)?;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &found)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    let question = parse_question(found)?;
    let view = inbox.view();
    approval_view::write_question(&mut out, &question, &view, Some(Timestamp::now()))?;
    approval_view::write_proposals(&mut out, &question, &view)?;
    if args.input {
        approval_view::write_input(&mut out, &question, &view)?;
    }
    Ok(Exit::Ok)
}
