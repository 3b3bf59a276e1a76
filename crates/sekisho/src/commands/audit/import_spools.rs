use std::io::Write;

use jiff::Timestamp;
use sekisho::spool_import;
use sekisho_host::Spools;

use super::blocking_store::BlockingStore;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Import what hooks recorded while no server was running
///
/// A hook writes its decisions to a file (a spool) when it cannot reach a server. A server imports spools by
/// itself; this command does it now. No line is imported twice.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho audit import-spools";

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let store = BlockingStore::open_or_create(&settings)?;
    let spools = Spools::at(&settings.locations.state);
    let taken = store.block_on(spool_import::import_spools(&spools, store.audit(), Timestamp::now()));
    let taken = taken.map_err(Failure::new)?;
    let lines = if taken == 1 { "line" } else { "lines" };
    writeln!(terminal::stdout(), "imported {taken} {lines}")?;
    Ok(Exit::Ok)
}
