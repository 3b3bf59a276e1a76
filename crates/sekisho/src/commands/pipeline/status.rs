use std::io::Write;

use super::pipelines_client::PipelinesClient;
use super::progress::{write_end, write_stages};
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Show a run of a pipeline: its stages, what it waits for, and its output
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run's id, or its last characters
    id: String,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho pipeline status 5d2a91c0
  sekisho pipeline status 5d2a91c0 --json | jq '.stages[0].output'

Exit codes: 0 if it completed or goes on, 1 if it failed or was aborted, 3 if it waits for an approval.";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let run = PipelinesClient::open(server)?.find_run(&args.id)?;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &run)?;
        writeln!(out)?;
        return Ok(super::progress::exit_of(run.status));
    }
    write_stages(&mut out, &run)?;
    write_end(&mut out, &run)
}
