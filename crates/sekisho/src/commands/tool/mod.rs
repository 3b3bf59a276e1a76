//! `sekisho tool`: the built-in tools, by hand.

mod list;
mod local_gate;
mod run;
mod show;
mod tool_input;
mod tool_limits;

use crate::exit::Exit;
use crate::failure::Failure;

/// List, show and run the built-in tools
///
/// A tool runs as it would for an agent: the local policy judges the call, the terminal asks you if the
/// policy says confirm, and the audit log records it. Programs run in the sandbox.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho tool list
  sekisho tool show shell_exec
  sekisho tool run shell_exec --command 'ls | wc -l'";

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Run(run::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::List(args) => list::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Run(args) => run::run(args),
    }
}
