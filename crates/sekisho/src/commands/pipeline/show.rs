use std::io::Write;

use super::pipelines_client::PipelinesClient;
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Print a stored pipeline as the JSON that `create` and `run` take
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The pipeline's name, its id, or the last characters of its id
    pipeline: String,
}

const EXAMPLES: &str = "\
Examples:
  sekisho pipeline show report
  sekisho pipeline show report > report.json";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let pipeline = PipelinesClient::open(server)?.find(&args.pipeline)?;
    let mut out = terminal::stdout();
    serde_json::to_writer_pretty(&mut out, &pipeline.definition)?;
    writeln!(out)?;
    Ok(Exit::Ok)
}
