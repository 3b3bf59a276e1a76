//! The store itself: opening it, and the ways to its writer and its readers.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::ReplicaId;
use sekisho_gate::audit::WriterId;
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::Entry;

use super::connect::Place;
use super::heads::{Heads, Reading};
use super::keys::meet_at_opening;
use super::options::Options;
use super::pen::{Ink, Pen};
use super::readers::Readers;
use super::writer::Writer;
use crate::error::StoreError;
use crate::fault::Scripted;
use crate::keys::{SHARE, another};

/// The ledger and the rules in one SQLite file.
///
/// Dropping it finishes what was asked of it, then ends its threads.
pub struct SqliteStore {
    pub(super) writer: Writer,
    readers: Readers,
    pub(super) heads: Arc<Heads>,
}

impl SqliteStore {
    /// Opens a file, making it and its directories where they are missing: only their owner may read them.
    ///
    /// A file that a later version has written is refused, and so is a key that is another one than the file knows under
    /// its number. Each opening is a writer of its own in the audit log.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<SqliteStore, StoreError> {
        let place = Arc::new(Place::new(path.as_ref(), options)?);
        let db = place.prepare()?;
        let heads = Arc::new(Heads::default());
        let unusable = |error: &dyn std::fmt::Display| {
            place.unusable(error.to_string(), "check the file, or put back a copy of it")
        };
        let read = Reading::take(&db).map_err(|fault| unusable(&fault.at(&place.shown)))?;
        heads.publish(read);
        let met = meet_at_opening(&db, &place.options.seal.keys);
        if let Some(key) = met.map_err(|fault| unusable(&fault.at(&place.shown)))? {
            return Err(place.unusable(another(key), SHARE));
        }
        let readers = Readers::start(&place).map_err(|error| unusable(&error))?;
        let keys = Arc::clone(&place.options.seal.keys);
        let ink = Ink::new(WriterId(ReplicaId::new(Timestamp::now()).0), keys);
        let writer = Writer::start(&place, db, &heads, ink).map_err(|error| unusable(&error))?;
        Ok(SqliteStore { writer, readers, heads })
    }

    /// Runs a script that writes no line, or seldom one.
    pub(super) fn write<T, F>(&self, script: F) -> Kept<'_, T>
    where
        T: Send + 'static,
        F: Fn(&Pen<'_>) -> Scripted<T> + Send + 'static,
    {
        Box::pin(self.writer.write(Vec::new(), script))
    }

    /// Runs a script that writes these lines.
    pub(super) fn record<T, F>(&self, lines: Vec<Entry>, script: F) -> Kept<'_, T>
    where
        T: Send + 'static,
        F: Fn(&Pen<'_>) -> Scripted<T> + Send + 'static,
    {
        Box::pin(self.writer.write(lines, script))
    }

    /// Runs a script that writes lines about what is kept, which are read ahead.
    pub(super) fn record_ahead<T, F, A>(&self, ahead: A, script: F) -> Kept<'_, T>
    where
        T: Send + 'static,
        F: Fn(&Pen<'_>) -> Scripted<T> + Send + 'static,
        A: FnOnce(&Connection) -> Scripted<Vec<Entry>> + Send + 'static,
    {
        Box::pin(self.writer.write_ahead(&self.readers, ahead, script))
    }

    pub(super) fn read<T, F>(&self, script: F) -> Kept<'_, T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Scripted<T> + Send + 'static,
    {
        Box::pin(self.readers.read(script))
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("place", &self.writer.place().shown).finish_non_exhaustive()
    }
}
