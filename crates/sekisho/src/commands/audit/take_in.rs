use std::io::Write;

use jiff::Timestamp;
use sekisho::spool_import;
use sekisho_host::Spools;

use super::blocking_store::BlockingStore;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Take in what hooks recorded while no server ran
///
/// A hook without a server writes what it decides to a spool. A server takes spools in by itself; this does it now. Each
/// spool becomes a chain of its own, and a line is never taken in twice.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho audit take-in";

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let book = BlockingStore::open_or_create(&settings)?;
    let spools = Spools::at(&settings.locations.state);
    let taken = book.block_on(spool_import::import_spools(&spools, book.audit(), Timestamp::now()));
    let taken = taken.map_err(Failure::new)?;
    writeln!(terminal::stdout(), "{taken} lines were taken in")?;
    Ok(Exit::Ok)
}
