use sekisho_gate::answer::Behavior;

use super::answer::{self, RememberArgs};
use super::approval_ref::ApprovalRef;
use super::approvals_client::{ApprovalsClient, ServerArgs};
use crate::exit::Exit;
use crate::failure::Failure;

/// Deny a question: its call does not run
///
/// The agent receives the reason, so that it can try something else.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The question's id, or its last characters
    id: ApprovalRef,
    /// Why, or what to do instead
    #[arg(short, long, value_name = "TEXT")]
    reason: Option<String>,
    /// Also stop the agent's run
    #[arg(long)]
    interrupt: bool,
    #[command(flatten)]
    remembering: RememberArgs,
}

const EXAMPLES: &str = "\
Examples:
  sekisho approvals deny 5d2a91c0
  sekisho approvals deny 5d2a91c0 --reason 'push to a branch, not to main'
  sekisho approvals deny 5d2a91c0 --interrupt
  sekisho approvals deny 5d2a91c0 --remember session";

pub(crate) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let inbox = ApprovalsClient::open(server)?;
    let question = inbox.question(&args.id)?;
    let mut answer = answer::answer_body(&question, Behavior::Deny, args.reason.clone(), &args.remembering)?;
    answer.interrupt = args.interrupt;
    answer::send_answer(&inbox, &question, &answer)
}
