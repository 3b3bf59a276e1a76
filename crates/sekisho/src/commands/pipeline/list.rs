use std::io::Write;

use sekisho_server::wire::pipeline::PipelineView;

use super::pipelines_client::PipelinesClient;
use crate::commands::server_connection::{ServerArgs, short_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, columns, padded, style, visible};

/// List all stored pipelines: id, name, and stages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho pipeline list
  sekisho pipeline list --json | jq -r '.[].definition.name'";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let pipelines = PipelinesClient::open(server)?.all()?;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &pipelines)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    if pipelines.is_empty() {
        writeln!(out, "no pipelines yet; `sekisho pipeline create FILE` stores one")?;
        return Ok(Exit::Ok);
    }
    let name = |pipeline: &PipelineView| visible(&pipeline.definition.name).into_owned();
    let names = pipelines.iter().map(|pipeline| columns(&name(pipeline))).max().unwrap_or(0);
    for pipeline in &pipelines {
        let (strong, faint) = (style::STRONG, style::FAINT);
        let stages: Vec<String> = pipeline
            .definition
            .stages
            .iter()
            .map(|stage| visible(stage.name.as_deref().unwrap_or(&stage.agent)).into_owned())
            .collect();
        let (id, name) = (short_id(pipeline.id), padded(&name(pipeline), names));
        writeln!(out, "{strong}{id}{strong:#}  {name}  {faint}{}{faint:#}", stages.join(" → "))?;
    }
    Ok(Exit::Ok)
}
