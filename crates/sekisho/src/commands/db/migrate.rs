use std::io::Write;

use crate::commands::audit::blocking_store::BlockingStore;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Update the tables to the current version, and create what is missing
///
/// sekisho does this whenever it opens the database; run this command first if you want to know whether it
/// will succeed. Also creates the audit key if there is none.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho db migrate";

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let store = BlockingStore::create_despite_key(&settings)?;
    writeln!(terminal::stdout(), "{} is up to date", store.location)?;
    Ok(Exit::Ok)
}
