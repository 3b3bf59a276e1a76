use std::io::Write;

use sekisho_server::wire::run::{ApproveToolCallBody, DeclineToolCallBody, MessageBody, RunView};

use super::run_view::{end_note, status_name, write_outcome};
use super::runs_client::{RunsClient, title};
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Answer what a run waits for, or send it a message, and wait until it ends or asks again
///
/// Without `--call`, an answer counts only if exactly one call waits. A message continues a run that has ended; while
/// calls wait, it is queued and is never an answer.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["approve", "decline", "message"]))]
pub(super) struct Args {
    /// The run's id, or its last characters
    id: String,
    /// Approve a call
    #[arg(long)]
    approve: bool,
    /// Decline a call; the model reads the reason
    #[arg(long)]
    decline: bool,
    /// Send a message
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The call, by the id that `runs show` prints
    #[arg(long, value_name = "ID", conflicts_with = "message")]
    call: Option<String>,
    /// Why, or what to do instead
    #[arg(short, long, value_name = "TEXT", requires = "decline")]
    reason: Option<String>,
    /// Also end the run
    #[arg(long, requires = "decline")]
    interrupt: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho runs resume 5d2a91c0 --approve
  sekisho runs resume 5d2a91c0 --approve --call call_1_2
  sekisho runs resume 5d2a91c0 --decline --reason 'push to a branch, not to main'
  sekisho runs resume 5d2a91c0 --message 'and now the tests'

Exit codes: 0 if the run ended or goes on, 1 if it failed, 3 if it waits for an approval again.";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let runs = RunsClient::open(server)?;
    let run = runs.find(&args.id)?;
    let path = |verb: &str| format!("/api/runs/{}/{verb}", run.id);
    let (call, client) = (args.call.clone(), &runs.server.client);
    let resumed: RunView = runs.server.block_on(async {
        if let Some(text) = &args.message {
            return client.post_and_wait(&path("messages"), &MessageBody { text: text.clone() }).await;
        }
        if args.approve {
            let body = ApproveToolCallBody { tool_call_id: call };
            return client.post_and_wait(&path("approve-tool-call"), &body).await;
        }
        let (reason, interrupt) = (args.reason.clone(), args.interrupt);
        let body = DeclineToolCallBody { tool_call_id: call, reason, info: None, interrupt };
        client.post_and_wait(&path("decline-tool-call"), &body).await
    })?;
    let mut out = terminal::stdout();
    let note = end_note(&resumed);
    let line = format!("run {}: {}  {note}", title(&resumed), status_name(resumed.status).0);
    writeln!(out, "{}", line.trim_end())?;
    write_outcome(&mut out, &resumed)
}
