use std::io::Write;

use sekisho_server::wire::pipeline::PipelineRunView;
use sekisho_server::wire::run::AbortBody;

use super::pipelines_client::{PipelinesClient, run_title};
use crate::commands::runs::run_view::status_name;
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// End a run of a pipeline, and the run of its stage with its tools and questions
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
  sekisho pipeline abort 5d2a91c0
  sekisho pipeline abort 5d2a91c0 --reason 'the sources are wrong'";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let pipelines = PipelinesClient::open(server)?;
    let run = pipelines.find_run(&args.id)?;
    let path = format!("/api/pipeline-runs/{}/abort", run.id);
    let body = AbortBody { reason: args.reason.clone() };
    let ended: PipelineRunView = pipelines.server.block_on(pipelines.server.client.post(&path, &body))?;
    writeln!(terminal::stdout(), "pipeline run {}: {}", run_title(&ended), status_name(ended.status).0)?;
    Ok(Exit::Ok)
}
