use std::io::Write;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::audit::KeyRing;
use sekisho_gate::audit::maintenance_records::record_new_key;
use sekisho_host::AuditKeyFile;

use super::blocking_store::BlockingStore;
use super::local_operator;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Add a key that signs the audit log from now on
///
/// Older keys stay in the file, because they verify what they signed. A running server keeps using its key
/// until it is restarted. Adding a key is recorded.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho audit rotate-key
  sekisho audit rotate-key && sekisho audit verify";

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let (store, _) = BlockingStore::open_for_writing(&settings)?;
    let file = AuditKeyFile::at(&settings.locations.state);
    let text = file.rotate(|old, bytes| {
        let keys = KeyRing::parse(old).map_err(|error| error.to_string())?;
        Ok(keys.rotated(bytes).to_file_text())
    })?;
    let keys =
        KeyRing::parse(&text).map_err(|error| Failure::new(format!("{}: {error}", file.path().display())))?;
    let id = keys.signing().map_or(0, |key| key.id);
    store.block_on_ledger(store.audit().set_keys(Arc::new(keys)))?;
    let now = Timestamp::now();
    store.block_on_ledger(record_new_key(
        store.ledger(),
        id,
        Some(local_operator::local_operator(&settings)),
        now,
    ))?;
    local_operator::write_checkpoint(&store, now)?;
    let place = terminal::shorten_path(&file.path().to_string_lossy(), settings.locations.home.as_deref());
    writeln!(
        terminal::stdout(),
        "key {id} signs from now on; keep a copy of {place} apart from the database"
    )?;
    Ok(Exit::Ok)
}
