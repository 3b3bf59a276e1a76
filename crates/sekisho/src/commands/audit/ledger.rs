//! Opening the record for one command.
//!
//! Those who only read get no key, so that nothing can be signed and therefore nothing be written, and they make nothing:
//! no database, no key. Those who write make the key on first use.

use std::path::Path;
use std::sync::Arc;

use sekisho_gate::audit::{Audit, Key, Keys, Seal};
use sekisho_gate::ledger::{Kept, Ledger, LedgerError};
use sekisho_gate::mask::Masks;
use sekisho_gate::tokens::Tokens;
use sekisho_host::AuditKey;
use sekisho_store::{Options, PostgresStore, SqliteStore, Store, StoreError, Version, postgres, sqlite};

use crate::failure::Failure;
use crate::settings::{Address, Database, Settings};
use crate::terminal::short;

/// The record, open.
pub(crate) struct Book {
    store: Arc<dyn Store>,
    runtime: tokio::runtime::Runtime,
    /// Where it is, as people read it.
    pub(crate) place: String,
}

impl Book {
    /// To read. Nothing is made.
    pub(crate) fn read(settings: &Settings) -> Result<Book, Failure> {
        exists(settings)?;
        Book::open(settings, Keys::none())
    }

    /// To read and to put something on the record.
    pub(crate) fn write(settings: &Settings) -> Result<(Book, Keys), Failure> {
        exists(settings)?;
        let keys = made_keys(settings)?;
        Ok((Book::open(settings, keys.clone())?, keys))
    }

    /// Makes whatever is missing.
    pub(crate) fn make(settings: &Settings) -> Result<Book, Failure> {
        Book::open(settings, made_keys(settings)?)
    }

    /// The same, also where there is a key of another record: this one is begun on purpose.
    pub(crate) fn begin(settings: &Settings) -> Result<Book, Failure> {
        if keys(settings)?.is_some() && !is_there(settings)? {
            drop(Book::open(settings, Keys::none())?);
        }
        Book::make(settings)
    }

    fn open(settings: &Settings, keys: Keys) -> Result<Book, Failure> {
        let seal = Seal { keys: Arc::new(keys), masks: Arc::new(Masks::new([])) };
        let runtime = runtime()?;
        let store = runtime.block_on(open(settings, seal))?;
        Ok(Book { store, runtime, place: place(settings) })
    }

    /// The credentials that are kept beside it.
    pub(crate) fn tokens(&self) -> &dyn Tokens {
        &*self.store
    }

    /// The record, to read.
    pub(crate) fn audit(&self) -> &dyn Audit {
        &*self.store
    }

    /// The ledger it is part of.
    pub(crate) fn ledger(&self) -> &dyn Ledger {
        &*self.store
    }

    /// Waits for something the record was asked.
    pub(crate) fn wait<T>(&self, asked: Kept<'_, T>) -> Result<T, Failure> {
        Ok(self.runtime.block_on(asked)?)
    }

    /// Waits for anything.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Opens the store that the settings name, making whatever is missing.
pub(crate) async fn open(settings: &Settings, seal: Seal) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match &settings.database {
        Database::Sqlite(path) => Arc::new(SqliteStore::open(path, Options::new(seal))?),
        Database::Postgres(address) => {
            Arc::new(PostgresStore::open(&address.url, postgres::Options::new(seal)).await?)
        }
    })
}

/// Where the record is, as people read it.
pub(crate) fn place(settings: &Settings) -> String {
    match &settings.database {
        Database::Sqlite(path) => short(&path.to_string_lossy(), settings.locations.home.as_deref()),
        Database::Postgres(address) => address.shown.clone(),
    }
}

/// Rows that are in memory at once.
pub(crate) const PAGE: usize = 4096;

/// The keys, where there are any.
pub(crate) fn keys(settings: &Settings) -> Result<Option<Keys>, Failure> {
    let file = AuditKey::at(&settings.locations.state);
    file.read()?.map(|text| parsed(file.path(), &text)).transpose()
}

/// The keys; made where there is neither a key nor anything that was signed with one. The record is made before its key,
/// so that a key without a record is always one whose record was removed.
pub(crate) fn made_keys(settings: &Settings) -> Result<Keys, Failure> {
    let file = AuditKey::at(&settings.locations.state);
    if file.read()?.is_none() {
        let book = Book::open(settings, Keys::none())?;
        if book.wait(book.audit().count())? > 0 {
            return Err(lost(settings));
        }
    } else if !is_there(settings)? {
        return Err(removed(settings));
    }
    let text = file.read_or_make(|bytes| Keys::of(Key::new(1, bytes)).write())?;
    parsed(file.path(), &text)
}

/// There is a record, and its key is gone. A new one would make all of it look forged.
pub(crate) fn lost(settings: &Settings) -> Failure {
    let file = AuditKey::at(&settings.locations.state);
    Failure::new(format!(
        "{}: there is no key, and without it nothing can be verified; put back the copy that belongs to this record",
        file.path().display()
    ))
}

/// There is a key, and its record is gone. A new one would look as if nothing had been before it.
fn removed(settings: &Settings) -> Failure {
    let (file, place) = (AuditKey::at(&settings.locations.state), place(settings));
    Failure::new(format!(
        "{place}: there is no record, but a key of one ({}): put the record back, or name where it is with `DATABASE_URL`; to begin a new one on purpose, `sekisho db migrate`",
        file.path().display()
    ))
}

fn parsed(path: &Path, text: &str) -> Result<Keys, Failure> {
    Keys::parse(text).map_err(|error| {
        let way_out = "put back a copy of it: without its keys the record cannot be verified";
        Failure::new(format!("{}: {error}; {way_out}", path.display()))
    })
}

/// A record that nobody has written yet is not made by looking at it.
fn exists(settings: &Settings) -> Result<(), Failure> {
    if is_there(settings)? {
        return Ok(());
    }
    let place = match &settings.database {
        Database::Sqlite(path) => path.display().to_string(),
        Database::Postgres(address) => address.shown.clone(),
    };
    Err(Failure::new(format!(
        "{place}: there is no record yet; it begins with the first call that is decided, or `sekisho db migrate`"
    )))
}

/// Whether there is a record. A server that cannot be asked may have one.
pub(crate) fn is_there(settings: &Settings) -> Result<bool, Failure> {
    match &settings.database {
        // A file without our tables holds no record. One that cannot be read may: opening it tells what is wrong.
        Database::Sqlite(path) => {
            Ok(sqlite::version(path).map_or(true, |version| version.is_some_and(|version| version.found > 0)))
        }
        Database::Postgres(address) => Ok(version_at(address)?.found > 0),
    }
}

/// The version of the tables on a server; 0 where there are none.
pub(crate) fn version_at(address: &Address) -> Result<Version, Failure> {
    Ok(runtime()?.block_on(postgres::version(&address.url))?)
}

/// What a command waits on.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Failure {
        Failure::new(error.message)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::new(error.to_string())
    }
}
