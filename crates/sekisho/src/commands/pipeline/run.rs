use std::io::Write;
use std::path::Path;

use sekisho_server::wire::pipeline::{PipelineRunView, RunPipelineBody};
use serde_json::json;

use super::pipelines_client::{PipelinesClient, read_definition, run_title};
use super::progress::follow;
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Run a pipeline, and show its progress until it ends
///
/// Approvals are answered elsewhere: in the inbox, or with `sekisho runs resume` and `sekisho approvals`. The run goes on if this
/// command is interrupted, or if the server restarts. Needs the token of an approver, an admin or an agent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A file, if it ends with `.json` or has a `/`; else a stored pipeline: its name, its id, or the last characters of its id
    #[arg(value_name = "FILE|NAME")]
    pipeline: String,
    /// The input, which replaces `{{input}}` in prompts
    #[arg(short, long, value_name = "TEXT")]
    input: Option<String>,
    /// Start it and print the id of the run, without waiting
    #[arg(long)]
    detach: bool,
    /// Wait without showing progress, then print the run as JSON
    #[arg(long, conflicts_with = "detach")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho pipeline run report.json --input 'solar power in 2026'
  sekisho pipeline run report --input 'solar power in 2026'
  sekisho pipeline run nightly --detach
  sekisho pipeline run nightly --json | jq -r .output

Exit codes: 0 if it completed, 1 if it failed or was aborted.";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let pipelines = PipelinesClient::open(server)?;
    let client = &pipelines.server.client;
    let wait = if args.json { "wait=true" } else { "wait=false" };
    let named = &args.pipeline;
    let is_file = named.contains('/') || named.ends_with(".json");
    let started: PipelineRunView = if is_file {
        let definition = read_definition(Path::new(named))?;
        let body = json!({ "definition": definition, "input": args.input });
        pipelines.server.block_on(client.post_and_wait(&format!("/api/pipeline-runs?{wait}"), &body))?
    } else {
        let pipeline = pipelines.find(named)?;
        let body = RunPipelineBody { input: args.input.clone() };
        let path = format!("/api/pipelines/{}/run?{wait}", pipeline.id);
        pipelines.server.block_on(client.post_and_wait(&path, &body))?
    };
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &started)?;
        writeln!(out)?;
        return Ok(super::progress::exit_of(started.status));
    }
    if args.detach {
        writeln!(out, "{}", started.id)?;
        return Ok(Exit::Ok);
    }
    writeln!(out, "pipeline run {}", run_title(&started))?;
    follow(&pipelines, &mut out, &started)
}
