mod add;
mod edit;
mod export;
mod import;
mod lint;
mod lint_output;
mod list;
pub(crate) mod presets;
mod rm;
mod rule_args;
mod rule_target;
mod test;
mod transfer_report;

use crate::exit::Exit;
use crate::failure::Failure;

/// List, change and check the rules of the config files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules list
  sekisho rules add deny --tool bash --command 'git push' --note 'a human pushes'
  sekisho rules lint";

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Args),
    Add(add::Args),
    Edit(edit::Args),
    Rm(rm::Args),
    Lint(lint::Args),
    Test(test::Args),
    Import(import::Args),
    Export(export::Args),
    Presets(presets::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::List(args) => list::run(&args),
        Command::Add(args) => add::run(&args),
        Command::Edit(args) => edit::run(&args),
        Command::Rm(args) => rm::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Presets(args) => presets::run(&args),
    }
}
