mod copy;
mod migrate;
mod status;

use crate::exit::Exit;
use crate::failure::Failure;

/// Show the database, update its tables, or copy it to a PostgreSQL server
///
/// The database is the file `ledger.db` in the state directory, or what `DATABASE_URL` names: a file or a
/// PostgreSQL database.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho db status
  DATABASE_URL=sqlite:/srv/sekisho/ledger.db sekisho db migrate
  DATABASE_URL=postgres://sekisho@localhost/sekisho sekisho db status";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Status(status::Args),
    Migrate(migrate::Args),
    Copy(copy::Args),
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    match &args.command {
        Command::Status(args) => status::run(args),
        Command::Migrate(args) => migrate::run(args),
        Command::Copy(args) => copy::run(args),
    }
}
