//! `sekisho pipeline`: pipelines of a running server, and their runs.

mod abort;
mod create;
mod delete;
mod list;
mod pipelines_client;
mod progress;
mod retry;
mod run;
mod runs;
mod show;
mod status;

use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Run pipelines: stages of agents, each fed with the output of the one before
///
/// A pipeline is JSON, in a file or stored by an admin (`create`). Each stage names an agent and a prompt with `{{input}}`
/// or `{{previous}}`, and can narrow the agent's tools. Every stage is an ordinary run of its agent: its calls pass the policy,
/// and its questions are in the inbox. Runs are durable: they survive a restart of the server, and a failed stage can be tried
/// again without repeating those before it.
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
  sekisho pipeline run report.json --input 'solar power in 2026'
  sekisho pipeline create report.json
  sekisho pipeline run report --input 'solar power in 2026'
  sekisho pipeline runs
  sekisho pipeline retry 5d2a91c0

A file:
  { \"name\": \"report\", \"stages\": [
    { \"agent\": \"searcher\", \"prompt\": \"Find sources about {{input}}.\", \"enabledTools\": [\"web_search\"] },
    { \"agent\": \"writer\", \"prompt\": \"Write doc/report.md from: {{previous}}\", \"enabledTools\": [\"file_write\"] } ] }";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(run::Args),
    List(list::Args),
    Show(show::Args),
    Create(create::Args),
    Delete(delete::Args),
    Runs(runs::Args),
    Status(status::Args),
    Retry(retry::Args),
    Abort(abort::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::Run(run) => run::run(&run, args.server),
        Command::List(list) => list::run(&list, args.server),
        Command::Show(show) => show::run(&show, args.server),
        Command::Create(create) => create::run(&create, args.server),
        Command::Delete(delete) => delete::run(&delete, args.server),
        Command::Runs(runs) => runs::run(&runs, args.server),
        Command::Status(status) => status::run(&status, args.server),
        Command::Retry(retry) => retry::run(&retry, args.server),
        Command::Abort(abort) => abort::run(&abort, args.server),
    }
}
