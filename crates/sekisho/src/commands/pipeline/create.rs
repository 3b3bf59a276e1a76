use std::io::Write;
use std::path::PathBuf;

use sekisho_server::wire::pipeline::PipelineView;
use serde_json::Value;

use super::pipelines_client::{PipelinesClient, change_failed, read_definition, title};
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Store a pipeline from a file
///
/// Needs the token of an admin. Runs that go on keep the definition that they were started with.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The file, in JSON
    file: PathBuf,
    /// Replace the stored pipeline of the same name
    #[arg(long)]
    replace: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho pipeline create report.json
  sekisho pipeline create report.json --replace";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let definition = read_definition(&args.file)?;
    let pipelines = PipelinesClient::open(server)?;
    let client = &pipelines.server.client;
    let name = definition.get("name").and_then(Value::as_str);
    let known = match (args.replace, name) {
        (true, Some(name)) => pipelines.all()?.into_iter().find(|known| known.definition.name == name),
        _ => None,
    };
    let stored: Result<PipelineView, _> = pipelines.server.block_on(async {
        match &known {
            Some(known) => client.put(&format!("/api/pipelines/{}", known.id), &definition).await,
            None => client.post("/api/pipelines", &definition).await,
        }
    });
    let stored = stored.map_err(change_failed)?;
    let verb = if known.is_some() { "replaced" } else { "created" };
    writeln!(terminal::stdout(), "{verb} pipeline {}", title(&stored))?;
    Ok(Exit::Ok)
}
