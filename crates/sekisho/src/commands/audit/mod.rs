pub(crate) mod blocking_store;
mod calls;
mod export;
mod filter;
mod head;
mod import_spools;
pub(crate) mod local_operator;
mod prune;
mod purge;
mod rotate_key;
mod row_json;
mod row_table;
mod search;
mod show;
pub(crate) mod stats;
mod tail;
pub(crate) mod time_format;
mod verify;

use crate::exit::Exit;
use crate::failure::Failure;

/// Search, verify and maintain the audit log
///
/// Every verdict, question, answer, execution and rule change is a record in the audit log, with secrets
/// masked. Records are chained and signed with a key outside the database, so a changed or missing record is
/// detected.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit calls 'git push' --from 3d       recent pushes, and what became of them
  sekisho audit search 'git push' --from 3d      every record about them
  sekisho audit tail -f                          follow new records
  sekisho audit stats                            the last day in numbers
  sekisho audit verify                           is it complete and unchanged?";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Calls(calls::Args),
    Search(search::Args),
    Tail(tail::Args),
    Show(show::Args),
    Stats(stats::Args),
    Verify(verify::Args),
    Head(head::Args),
    Export(export::Args),
    RotateKey(rotate_key::Args),
    Prune(prune::Args),
    Purge(purge::Args),
    #[command(name = "import-spools", alias = "take-in")]
    ImportSpools(import_spools::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::Calls(args) => calls::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Tail(args) => tail::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Head(args) => head::run(&args),
        Command::Export(args) => export::run(&args),
        Command::RotateKey(args) => rotate_key::run(&args),
        Command::Prune(args) => prune::run(&args),
        Command::Purge(args) => purge::run(&args),
        Command::ImportSpools(args) => import_spools::run(&args),
    }
}
