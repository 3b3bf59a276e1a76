use std::io::Write;

use serde_json::Value;

use super::pipelines_client::{PipelinesClient, change_failed, title};
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Delete a stored pipeline
///
/// Its runs stay in the list, and those that go on are not affected.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The pipeline's name, its id, or the last characters of its id
    pipeline: String,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho pipeline delete report
  sekisho pipeline delete 5d2a91c0 --yes";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let pipelines = PipelinesClient::open(server)?;
    let pipeline = pipelines.find(&args.pipeline)?;
    let mut out = terminal::stdout();
    let question = format!("Delete pipeline {}?", title(&pipeline));
    if !args.yes && !terminal::prompt_yes_no(&mut out, &question, "pass `--yes`")? {
        return Err(Failure::new("not deleted"));
    }
    let path = format!("/api/pipelines/{}", pipeline.id);
    let deleted: Result<Value, _> = pipelines.server.block_on(pipelines.server.client.delete(&path));
    deleted.map_err(change_failed)?;
    writeln!(out, "deleted pipeline {}", title(&pipeline))?;
    Ok(Exit::Ok)
}
