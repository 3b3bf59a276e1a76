use std::io::Write;

use sekisho_server::wire::run::{AbortBody, RunView};

use super::run_view::status_name;
use super::runs_client::{RunsClient, title};
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// End a run, its tools and its questions
///
/// A run that was aborted cannot be continued.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run's id, or its last characters
    id: String,
    /// Why; it is stored with the run
    #[arg(short, long, value_name = "TEXT")]
    reason: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho runs abort 5d2a91c0
  sekisho runs abort 5d2a91c0 --reason 'it deletes too much'";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let runs = RunsClient::open(server)?;
    let run = runs.find(&args.id)?;
    let path = format!("/api/runs/{}/abort", run.id);
    let body = AbortBody { reason: args.reason.clone() };
    let ended: RunView = runs.server.block_on(runs.server.client.post(&path, &body))?;
    writeln!(terminal::stdout(), "run {}: {}", title(&ended), status_name(ended.status).0)?;
    Ok(Exit::Ok)
}
