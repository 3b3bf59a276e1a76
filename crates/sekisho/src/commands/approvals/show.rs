use std::io::Write;

use jiff::Timestamp;

use super::id::Name;
use super::inbox::{Inbox, Server, understood};
use super::page;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Show all of one question: what would run, why it is asked, and what could be remembered
///
/// Under a command stand marks: `~` what would run by itself, `?` what asks, `!` what is denied. Characters that hide or
/// disguise text are written out as `\u{…}`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The question: its id, or the end of it
    id: Name,
    /// Show the whole input as JSON besides
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

pub(crate) fn run(args: &Args, server: Server) -> Result<Exit, Failure> {
    let inbox = Inbox::open(server)?;
    let found = inbox.find(&args.id)?;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &found)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    let question = understood(found)?;
    let view = inbox.view();
    page::question(&mut out, &question, &view, Some(Timestamp::now()))?;
    page::proposals(&mut out, &question, &view)?;
    if args.input {
        page::input(&mut out, &question, &view)?;
    }
    Ok(Exit::Ok)
}
