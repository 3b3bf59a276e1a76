//! Opens the audit log for one command.
//!
//! Commands that only read get no key, so they cannot sign and therefore cannot write. They create neither a
//! database nor a key. Commands that write create the key on first use.

use std::path::Path;
use std::sync::Arc;

use sekisho_gate::audit::{AuditConfig, AuditLog, KeyRing, SigningKey};
use sekisho_gate::ledger::{Ledger, LedgerError, LedgerFuture};
use sekisho_gate::mask::Masks;
use sekisho_gate::token_store::TokenStore;
use sekisho_host::AuditKeyFile;
use sekisho_store::{Options, PostgresStore, SqliteStore, Store, StoreError, Version, postgres, sqlite};

use crate::failure::Failure;
use crate::settings::{Database, PostgresUrl, Settings};
use crate::terminal::shorten_path;

/// The open store, with a runtime to block on.
pub(crate) struct BlockingStore {
    store: Arc<dyn Store>,
    runtime: tokio::runtime::Runtime,
    /// Where the database is, for display.
    pub(crate) location: String,
}

impl BlockingStore {
    /// Opens the audit log for reading. Creates nothing.
    pub(crate) fn open_for_reading(settings: &Settings) -> Result<BlockingStore, Failure> {
        exists(settings)?;
        BlockingStore::open_store(settings, KeyRing::none())
    }

    /// Opens the audit log for reading and writing records.
    pub(crate) fn open_for_writing(settings: &Settings) -> Result<(BlockingStore, KeyRing), Failure> {
        exists(settings)?;
        let keys = load_or_create_keys(settings)?;
        Ok((BlockingStore::open_store(settings, keys.clone())?, keys))
    }

    /// Opens the audit log and creates what is missing.
    pub(crate) fn open_or_create(settings: &Settings) -> Result<BlockingStore, Failure> {
        BlockingStore::open_store(settings, load_or_create_keys(settings)?)
    }

    /// Like [`Self::open_or_create`], but also starts a new audit log where only the key of an earlier one
    /// exists.
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

    pub(crate) fn tokens(&self) -> &dyn TokenStore {
        &*self.store
    }

    pub(crate) fn audit(&self) -> &dyn AuditLog {
        &*self.store
    }

    pub(crate) fn ledger(&self) -> &dyn Ledger {
        &*self.store
    }

    /// Blocks on a future of the ledger.
    pub(crate) fn block_on_ledger<T>(&self, future: LedgerFuture<'_, T>) -> Result<T, Failure> {
        Ok(self.runtime.block_on(future)?)
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Opens the store that the settings name and creates what is missing.
pub(crate) async fn open(settings: &Settings, seal: AuditConfig) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match &settings.database {
        Database::Sqlite(path) => Arc::new(SqliteStore::open(path, Options::new(seal))?),
        Database::Postgres(address) => {
            Arc::new(PostgresStore::open(&address.url, postgres::Options::new(seal)).await?)
        }
    })
}

/// Where the database is, for display.
pub(crate) fn database_location(settings: &Settings) -> String {
    match &settings.database {
        Database::Sqlite(path) => shorten_path(&path.to_string_lossy(), settings.locations.home.as_deref()),
        Database::Postgres(address) => address.shown.clone(),
    }
}

/// Rows held in memory at once.
pub(crate) const PAGE: usize = 4096;

/// The keys, if there are any.
pub(crate) fn load_keys(settings: &Settings) -> Result<Option<KeyRing>, Failure> {
    let file = AuditKeyFile::at(&settings.locations.state);
    file.read()?.map(|text| parsed(file.path(), &text)).transpose()
}

/// The keys. They are created if there is neither a key nor anything signed with one. The audit log is
/// created before its key, so a key without an audit log always means that the audit log was removed.
pub(crate) fn load_or_create_keys(settings: &Settings) -> Result<KeyRing, Failure> {
    let file = AuditKeyFile::at(&settings.locations.state);
    if file.read()?.is_none() {
        let opened = BlockingStore::open_store(settings, KeyRing::none())?;
        if opened.block_on_ledger(opened.audit().count())? > 0 {
            return Err(missing_key_failure(settings));
        }
    } else if !record_exists(settings)? {
        return Err(removed(settings));
    }
    let text = file.read_or_make(|bytes| KeyRing::of(SigningKey::new(1, bytes)).to_file_text())?;
    parsed(file.path(), &text)
}

/// The audit log exists, but its key is gone. With a new key the whole log would look forged.
pub(crate) fn missing_key_failure(settings: &Settings) -> Failure {
    let file = AuditKeyFile::at(&settings.locations.state);
    Failure::new(format!(
        "{}: the audit key is missing, and without it nothing can be verified; restore the key of this audit log from a copy",
        file.path().display()
    ))
}

/// The key exists, but the audit log is gone. A new log would look as if nothing had been recorded before.
fn removed(settings: &Settings) -> Failure {
    let (file, place) = (AuditKeyFile::at(&settings.locations.state), database_location(settings));
    Failure::new(format!(
        "{place}: there is no audit log, but there is a key of one ({}); restore the database, or set `DATABASE_URL` to where it is; to start a new audit log, run `sekisho db migrate`",
        file.path().display()
    ))
}

fn parsed(path: &Path, text: &str) -> Result<KeyRing, Failure> {
    KeyRing::parse(text).map_err(|error| {
        let way_out = "restore it from a copy: without its keys the audit log cannot be verified";
        Failure::new(format!("{}: {error}; {way_out}", path.display()))
    })
}

/// Fails if there is no audit log yet, so that reading does not create one.
fn exists(settings: &Settings) -> Result<(), Failure> {
    if record_exists(settings)? {
        return Ok(());
    }
    let place = match &settings.database {
        Database::Sqlite(path) => path.display().to_string(),
        Database::Postgres(address) => address.shown.clone(),
    };
    Err(Failure::new(format!(
        "{place}: there is no audit log yet; the first decided call creates it, or `sekisho db migrate`"
    )))
}

/// Whether there is an audit log. Fails if a database server cannot be reached.
pub(crate) fn record_exists(settings: &Settings) -> Result<bool, Failure> {
    match &settings.database {
        // A file without our tables holds no audit log. A file that cannot be read may hold one: opening it
        // reports the error.
        Database::Sqlite(path) => {
            Ok(sqlite::version(path).map_or(true, |version| version.is_some_and(|version| version.found > 0)))
        }
        Database::Postgres(address) => Ok(postgres_schema_version(address)?.found > 0),
    }
}

/// The version of the tables on a server; 0 if there are none.
pub(crate) fn postgres_schema_version(address: &PostgresUrl) -> Result<Version, Failure> {
    Ok(runtime()?.block_on(postgres::version(&address.url))?)
}

/// The runtime that a command blocks on.
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
