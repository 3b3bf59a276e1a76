//! `sekisho agents`: the agents of a running server.

mod agent_args;
mod agents_client;
mod create;
mod delete;
mod edit;
mod list;
mod show;

pub(in crate::commands) use agent_args::provider;

use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;

/// Create, change and list the agents of a server
///
/// An agent is a model with prompts, limits and tools. All tools are off until they are enabled, and every call passes
/// the policy. Reading needs a token of a viewer, changing one of an admin (`SEKISHO_TOKEN`). Name an agent by its name,
/// its id, or the last characters of its id.
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
  export SEKISHO_TOKEN=$(sekisho token create --name me --role admin)
  sekisho agents create reviewer --provider anthropic --model claude-sonnet-4-5 --tool read --tool grep
  sekisho agents list
  sekisho agents edit reviewer --tool git_ops --no-tool grep
  sekisho agents delete reviewer";

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Create(create::Args),
    Edit(edit::Args),
    Delete(delete::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::List(list) => list::run(&list, args.server),
        Command::Show(show) => show::run(&show, args.server),
        Command::Create(create) => create::run(create, args.server),
        Command::Edit(edit) => edit::run(edit, args.server),
        Command::Delete(delete) => delete::run(&delete, args.server),
    }
}
