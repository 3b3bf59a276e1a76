use std::io::Write;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::audit::Keys;
use sekisho_gate::audit::upkeep::note_key;
use sekisho_host::AuditKey;

use super::ledger::Book;
use super::upkeep;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Add a key that signs the record from now on
///
/// Older keys stay in the file: without them what they signed could not be verified. A process that is running goes on
/// with the key it knows until it reads the file again. That a key was added is itself on the record.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho audit rotate-key
  sekisho audit rotate-key && sekisho audit verify";

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let settings = Settings::gather()?;
    let (book, _) = Book::write(&settings)?;
    let file = AuditKey::at(&settings.locations.state);
    let text = file.rotate(|old, bytes| {
        let keys = Keys::parse(old).map_err(|error| error.to_string())?;
        Ok(keys.rotated(bytes).write())
    })?;
    let keys =
        Keys::parse(&text).map_err(|error| Failure::new(format!("{}: {error}", file.path().display())))?;
    let id = keys.signing().map_or(0, |key| key.id);
    book.wait(book.audit().take_keys(Arc::new(keys)))?;
    let now = Timestamp::now();
    book.wait(note_key(book.ledger(), id, Some(upkeep::by(&settings)), now))?;
    upkeep::tie(&book, now)?;
    let place = terminal::short(&file.path().to_string_lossy(), settings.locations.home.as_deref());
    writeln!(
        terminal::stdout(),
        "key {id} signs from now on; keep a copy of {place} where the database is not"
    )?;
    Ok(Exit::Ok)
}
