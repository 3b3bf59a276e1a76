//! The ledger in one SQLite file.
//!
//! One thread writes and a few read; callers wait on channels and are bound to no runtime. Everything that waits for the
//! writer is committed together ([`writer`]), so a burst of calls costs one sync to the disk, and a single call waits for
//! nobody. Other processes may have the file open: SQLite's own lock orders the writers, and their commits are noticed by
//! the file's version ([`heads`]).

mod audit;
mod connect;
mod fault;
mod heads;
mod ledger;
mod migrate;
mod pen;
mod readers;
mod rules;
mod scripts;
mod soundness;
mod sql;
mod tables;
mod tokens;
mod version;
mod writer;

pub use soundness::soundness;
pub use version::{Version, version};

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::ReplicaId;
use sekisho_gate::audit::{Seal, WriterId};
use sekisho_gate::ledger::Kept;

use self::connect::Place;
use self::heads::Heads;
use self::pen::{Ink, Pen};
use self::readers::Readers;
use self::writer::Writer;
use crate::error::StoreError;
use crate::fault::Scripted;
use crate::rows::{SHARE, another};

/// How a file is opened. [`Options::new`] fits a gate that serves people.
#[derive(Clone)]
pub struct Options {
    /// What the audit log is signed with, and what must not be in it.
    pub seal: Seal,
    /// How long to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// How many threads read.
    pub readers: usize,
    /// How many writes are committed together at most.
    pub largest_batch: usize,
    /// How often to look for other processes' commits, while somebody listens.
    pub look_every: Duration,
    /// The file may not grow beyond this many pages of 4096 bytes.
    pub page_limit: Option<u32>,
}

impl Options {
    /// Nothing is written that is not signed, so there is no default for the seal.
    pub fn new(seal: Seal) -> Options {
        Options {
            seal,
            busy_timeout: Duration::from_secs(5),
            readers: 2,
            largest_batch: 512,
            look_every: Duration::from_millis(250),
            page_limit: None,
        }
    }
}

/// The ledger and the rules in one SQLite file.
///
/// Dropping it finishes what was asked of it, then ends its threads.
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
    heads: Arc<Heads>,
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
        let read = heads::Reading::take(&db).map_err(|fault| unusable(&fault.at(&place.shown)))?;
        heads.publish(read);
        let met = scripts::meet_at_opening(&db, &place.options.seal.keys);
        if let Some(key) = met.map_err(|fault| unusable(&fault.at(&place.shown)))? {
            return Err(place.unusable(another(key), SHARE));
        }
        let readers = Readers::start(&place).map_err(|error| unusable(&error))?;
        let ink = Ink::new(WriterId(ReplicaId::new(Timestamp::now()).0), place.options.seal.clone());
        let writer = Writer::start(&place, db, &heads, ink).map_err(|error| unusable(&error))?;
        Ok(SqliteStore { writer, readers, heads })
    }

    fn write<T, F>(&self, script: F) -> Kept<'_, T>
    where
        T: Send + 'static,
        F: FnOnce(&Pen<'_>) -> Scripted<T> + Send + 'static,
    {
        Box::pin(self.writer.write(script))
    }

    fn read<T, F>(&self, script: F) -> Kept<'_, T>
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
