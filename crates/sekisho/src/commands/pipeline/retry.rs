use std::io::Write;

use sekisho_server::wire::pipeline::PipelineRunView;
use serde_json::json;

use super::pipelines_client::{PipelinesClient, run_title};
use super::progress::follow;
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Try the failed stage of a run again, and show the progress until it ends
///
/// The stages before it are not repeated. The stage begins anew, with a new run of its agent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run's id, or its last characters
    id: String,
    /// Do not wait
    #[arg(long)]
    detach: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho pipeline retry 5d2a91c0
  sekisho pipeline retry 5d2a91c0 --detach

Exit codes: 0 if it completed, 1 if it failed or was aborted.";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let pipelines = PipelinesClient::open(server)?;
    let run = pipelines.find_run(&args.id)?;
    let path = format!("/api/pipeline-runs/{}/retry?wait=false", run.id);
    let retried: PipelineRunView =
        pipelines.server.block_on(pipelines.server.client.post(&path, &json!({})))?;
    let mut out = terminal::stdout();
    writeln!(out, "pipeline run {}", run_title(&retried))?;
    if args.detach { Ok(Exit::Ok) } else { follow(&pipelines, &mut out, &retried) }
}
