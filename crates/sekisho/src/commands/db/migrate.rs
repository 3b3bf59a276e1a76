use std::io::Write;

use crate::commands::audit::blocking_store::BlockingStore;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Bring the tables up to date, making whatever is missing
///
/// Every sekisho does so when it opens the database; doing it beforehand shows that it works. The key of the record is
/// made too, where there is none.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho db migrate";

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let book = BlockingStore::create_despite_key(&settings)?;
    writeln!(terminal::stdout(), "{} is up to date", book.location)?;
    Ok(Exit::Ok)
}
