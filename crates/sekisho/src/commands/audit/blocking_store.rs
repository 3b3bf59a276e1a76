//! Opening the record for one command.
//!
//! Those who only read get no key, so that nothing can be signed and therefore nothing be written, and they make nothing:
//! no database, no key. Those who write make the key on first use.

use std::path::Path;
use std::sync::Arc;

use sekisho_gate::audit::{AuditLog, SigningKey, KeyRing, AuditConfig};
use sekisho_gate::ledger::{LedgerFuture, Ledger, LedgerError};
use sekisho_gate::mask::Masks;
use sekisho_gate::token_store::TokenStore;
use sekisho_host::AuditKeyFile;
use sekisho_store::{Options, PostgresStore, SqliteStore, Store, StoreError, Version, postgres, sqlite};

use crate::failure::Failure;
use crate::settings::{PostgresUrl, Database, Settings};
use crate::terminal::shorten_path;

/// The record, open.
pub(crate) struct BlockingStore {
    store: Arc<dyn Store>,
    runtime: tokio::runtime::Runtime,
    /// Where it is, as people read it.
    pub(crate) location: String,
}

impl BlockingStore {
    /// To read. Nothing is made.
    pub(crate) fn open_for_reading(settings: &Settings) -> Result<BlockingStore, Failure> {
        exists(settings)?;
        BlockingStore::open_store(settings, KeyRing::none())
    }

    /// To read and to put something on the record.
    pub(crate) fn open_for_writing(settings: &Settings) -> Result<(BlockingStore, KeyRing), Failure> {
        exists(settings)?;
        let keys = load_or_create_keys(settings)?;
        Ok((BlockingStore::open_store(settings, keys.clone())?, keys))
    }

    /// Makes whatever is missing.
    pub(crate) fn open_or_create(settings: &Settings) -> Result<BlockingStore, Failure> {
        BlockingStore::open_store(settings, load_or_create_keys(settings)?)
    }

    /// The same, also where there is a key of another record: this one is begun on purpose.
    pub(crate) fn create_despite_key(settings: &Settings) -> Result<BlockingStore, Failure> {
        if load_keys(settings)?.is_some() && !record_exists(settings)? {
            drop(BlockingStore::open_store(settings, KeyRing::none())?);
        }
        BlockingStore::open_or_create(settings)
    }

    fn open_store(settings: &Settings, keys: KeyRing) -> Result<BlockingStore, Failure> {
        let seal = AuditConfig { keys: Arc::new(keys), masks: Arc::new(Masks::new([])) };
        let runtime = runtime()?;
        let store = runtime.block_on(open(settings, seal))?;
        Ok(BlockingStore { store, runtime, location: database_location(settings) })
    }

    /// The credentials that are kept beside it.
    pub(crate) fn tokens(&self) -> &dyn TokenStore {
        &*self.store
    }

    /// The record, to read.
    pub(crate) fn audit(&self) -> &dyn AuditLog {
        &*self.store
    }

    /// The ledger it is part of.
    pub(crate) fn ledger(&self) -> &dyn Ledger {
        &*self.store
    }

    /// Waits for something the record was asked.
    pub(crate) fn block_on_ledger<T>(&self, asked: LedgerFuture<'_, T>) -> Result<T, Failure> {
        Ok(self.runtime.block_on(asked)?)
    }

    /// Waits for anything.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Opens the store that the settings name, making whatever is missing.
pub(crate) async fn open(settings: &Settings, seal: AuditConfig) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match &settings.database {
        Database::Sqlite(path) => Arc::new(SqliteStore::open(path, Options::new(seal))?),
        Database::Postgres(address) => {
            Arc::new(PostgresStore::open(&address.url, postgres::Options::new(seal)).await?)
        }
    })
}

/// Where the record is, as people read it.
pub(crate) fn database_location(settings: &Settings) -> String {
    match &settings.database {
        Database::Sqlite(path) => shorten_path(&path.to_string_lossy(), settings.locations.home.as_deref()),
        Database::Postgres(address) => address.shown.clone(),
    }
}

/// Rows that are in memory at once.
pub(crate) const PAGE: usize = 4096;

/// The keys, where there are any.
pub(crate) fn load_keys(settings: &Settings) -> Result<Option<KeyRing>, Failure> {
    let file = AuditKeyFile::at(&settings.locations.state);
    file.read()?.map(|text| parsed(file.path(), &text)).transpose()
}

/// The keys; made where there is neither a key nor anything that was signed with one. The record is made before its key,
/// so that a key without a record is always one whose record was removed.
pub(crate) fn load_or_create_keys(settings: &Settings) -> Result<KeyRing, Failure> {
    let file = AuditKeyFile::at(&settings.locations.state);
    if file.read()?.is_none() {
        let book = BlockingStore::open_store(settings, KeyRing::none())?;
        if book.block_on_ledger(book.audit().count())? > 0 {
            return Err(missing_key_failure(settings));
        }
    } else if !record_exists(settings)? {
        return Err(removed(settings));
    }
    let text = file.read_or_make(|bytes| KeyRing::of(SigningKey::new(1, bytes)).to_file_text())?;
    parsed(file.path(), &text)
}

/// There is a record, and its key is gone. A new one would make all of it look forged.
pub(crate) fn missing_key_failure(settings: &Settings) -> Failure {
    let file = AuditKeyFile::at(&settings.locations.state);
    Failure::new(format!(
        "{}: there is no key, and without it nothing can be verified; put back the copy that belongs to this record",
        file.path().display()
    ))
}

/// There is a key, and its record is gone. A new one would look as if nothing had been before it.
fn removed(settings: &Settings) -> Failure {
    let (file, place) = (AuditKeyFile::at(&settings.locations.state), database_location(settings));
    Failure::new(format!(
        "{place}: there is no record, but a key of one ({}): put the record back, or name where it is with `DATABASE_URL`; to begin a new one on purpose, `sekisho db migrate`",
        file.path().display()
    ))
}

fn parsed(path: &Path, text: &str) -> Result<KeyRing, Failure> {
    KeyRing::parse(text).map_err(|error| {
        let way_out = "put back a copy of it: without its keys the record cannot be verified";
        Failure::new(format!("{}: {error}; {way_out}", path.display()))
    })
}

/// A record that nobody has written yet is not made by looking at it.
fn exists(settings: &Settings) -> Result<(), Failure> {
    if record_exists(settings)? {
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
pub(crate) fn record_exists(settings: &Settings) -> Result<bool, Failure> {
    match &settings.database {
        // A file without our tables holds no record. One that cannot be read may: opening it tells what is wrong.
        Database::Sqlite(path) => {
            Ok(sqlite::version(path).map_or(true, |version| version.is_some_and(|version| version.found > 0)))
        }
        Database::Postgres(address) => Ok(postgres_schema_version(address)?.found > 0),
    }
}

/// The version of the tables on a server; 0 where there are none.
pub(crate) fn postgres_schema_version(address: &PostgresUrl) -> Result<Version, Failure> {
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
