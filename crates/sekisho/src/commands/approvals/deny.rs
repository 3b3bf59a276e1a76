use sekisho_gate::answer::Behavior;

use super::answering::{self, Remembering};
use super::id::Name;
use super::inbox::{Inbox, Server};
use crate::exit::Exit;
use crate::failure::Failure;

/// Deny a question: its call does not run
///
/// The reason is told to the agent, so that it can do better.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The question: its id, or the end of it
    id: Name,
    /// Why, or what to do instead
    #[arg(short, long, value_name = "TEXT")]
    reason: Option<String>,
    /// Stop the agent's run as well
    #[arg(long)]
    interrupt: bool,
    #[command(flatten)]
    remembering: Remembering,
}

const EXAMPLES: &str = "\
Examples:
  sekisho approvals deny 5d2a91c0
  sekisho approvals deny 5d2a91c0 --reason 'push to a branch, not to main'
  sekisho approvals deny 5d2a91c0 --interrupt
  sekisho approvals deny 5d2a91c0 --remember session";

pub(crate) fn run(args: &Args, server: Server) -> Result<Exit, Failure> {
    let inbox = Inbox::open(server)?;
    let question = inbox.question(&args.id)?;
    let mut answer = answering::body(&question, Behavior::Deny, args.reason.clone(), &args.remembering)?;
    answer.interrupt = args.interrupt;
    answering::give(&inbox, &question, &answer)
}
