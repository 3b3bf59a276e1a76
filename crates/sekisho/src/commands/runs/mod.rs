//! `sekisho runs`: the runs of a server's agents.

mod abort;
mod list;
mod resume;
pub(in crate::commands) mod run_view;
mod runs_client;
mod show;

pub(in crate::commands) use runs_client::RunsClient;

use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// List, show, resume and abort runs of agents
///
/// A run is durable: it survives a restart of the server, and waits for approvals without a limit. Its questions are
/// also in the inbox (`sekisho approvals`). Name a run by its id, or by the last characters of its id.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho runs list
  sekisho runs show 5d2a91c0
  sekisho runs resume 5d2a91c0 --approve
  sekisho runs resume 5d2a91c0 --decline --reason 'use the staging database'
  sekisho runs abort 5d2a91c0";

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Resume(resume::Args),
    Abort(abort::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::List(list) => list::run(&list, args.server),
        Command::Show(show) => show::run(&show, args.server),
        Command::Resume(resume) => resume::run(&resume, args.server),
        Command::Abort(abort) => abort::run(&abort, args.server),
    }
}
