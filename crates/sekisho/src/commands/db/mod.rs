mod migrate;
mod status;

use crate::exit::Exit;
use crate::failure::Failure;

/// Look at the database of the record, and bring its tables up to date
///
/// It is the file `ledger.db` in the state directory, or what `DATABASE_URL` names.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho db status
  DATABASE_URL=sqlite:/srv/sekisho/ledger.db sekisho db migrate";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Status(status::Args),
    Migrate(migrate::Args),
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    match &args.command {
        Command::Status(args) => status::run(args),
        Command::Migrate(args) => migrate::run(args),
    }
}
