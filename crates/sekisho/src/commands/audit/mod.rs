mod row_table;
mod export;
mod filter;
mod head;
mod row_json;
pub(crate) mod blocking_store;
pub(crate) mod time_format;
mod prune;
mod purge;
mod rotate_key;
mod search;
mod show;
pub(crate) mod stats;
mod tail;
mod take_in;
pub(crate) mod local_operator;
mod verify;

use crate::exit::Exit;
use crate::failure::Failure;

/// Read, verify and look after the record of what was decided
///
/// Every verdict, question, answer, execution and change of rules is a row of the record, with secrets masked. Rows are
/// chained and signed with a key that lies outside the database, so that a changed or missing row is found.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit search 'git push' --from 3d      what was said about pushes lately
  sekisho audit tail -f                          what happens now
  sekisho audit stats                            the last day in numbers
  sekisho audit verify                           is it all there, and as it was written?";

#[derive(Debug, clap::Subcommand)]
enum Command {
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
    TakeIn(take_in::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
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
        Command::TakeIn(args) => take_in::run(&args),
    }
}
