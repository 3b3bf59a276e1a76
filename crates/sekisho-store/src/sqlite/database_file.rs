//! Creates and opens the file, and configures every connection.

use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, OpenFlags, ffi};

use super::error_class::is_busy;
use super::migrate::{self, MigrationError};
use super::options::Options;
use crate::error::StoreError;
use crate::transaction_error::{TransactionError, TransactionResult};

/// The file and how to open it.
pub(super) struct DatabaseFile {
    path: PathBuf,
    /// The path, for display.
    pub(super) shown: String,
    pub(super) options: Options,
    /// Which file it was when first opened.
    first: OnceLock<Identity>,
    /// The `-wal` file was removed, and its contents are lost.
    lost_log: AtomicBool,
    /// The greatest length in bytes seen so far. The file never shrinks while open: nothing here runs
    /// `VACUUM`.
    greatest_length: AtomicU64,
}

/// Device and inode, which identify a file whatever its name.
type Identity = (u64, u64);

/// Large enough for all statements.
const STATEMENTS: usize = 64;
/// How large the `-wal` file may stay after it was written back.
const LOG_BYTES: i64 = 64 << 20;
/// Delay between two attempts to set up the file while another process does the same.
const SETUP_RETRY_DELAY: Duration = Duration::from_millis(10);

impl DatabaseFile {
    /// A path that may not exist yet. Made absolute, so that it does not depend on the working directory and
    /// is never one of SQLite's special names.
    pub(super) fn new(path: &Path, options: Options) -> Result<DatabaseFile, StoreError> {
        let absolute = std::path::absolute(path).map_err(|error| StoreError::Unusable {
            path: path.to_owned(),
            what: error.to_string(),
            way_out: "name a file",
        })?;
        let shown = absolute.display().to_string();
        Ok(DatabaseFile {
            shown,
            path: absolute,
            options,
            first: OnceLock::new(),
            lost_log: AtomicBool::new(false),
            greatest_length: AtomicU64::new(0),
        })
    }

    /// An error that names this file.
    pub(super) fn unusable(&self, what: String, way_out: &'static str) -> StoreError {
        StoreError::Unusable { path: self.path.clone(), what, way_out }
    }

    /// Creates the file and its tables if missing, and returns the first connection.
    pub(super) fn prepare(&self) -> Result<Connection, StoreError> {
        self.make_file()?;
        let began = Instant::now();
        loop {
            match self.connect().map_err(MigrationError::Sqlite).and_then(migrate::migrated) {
                Ok(db) => {
                    if let Some((first, length)) = identity_and_length(&self.path) {
                        self.first.get_or_init(|| first);
                        self.greatest_length.fetch_max(length, Ordering::Relaxed);
                    }
                    return Ok(db);
                }
                // Two processes are creating the same file: one has to retry.
                Err(MigrationError::Sqlite(error))
                    if is_busy(&error) && began.elapsed() < self.options.busy_timeout =>
                {
                    std::thread::sleep(SETUP_RETRY_DELAY);
                }
                Err(hindrance) => return Err(self.refused(hindrance)),
            }
        }
    }

    fn make_file(&self) -> Result<(), StoreError> {
        let way_out = "make the directory writable, or name another file";
        let (mut directories, mut file) = (DirBuilder::new(), OpenOptions::new());
        directories.recursive(true);
        file.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
            directories.mode(0o700);
            file.mode(0o600);
        }
        if let Some(parent) = self.path.parent() {
            directories.create(parent).map_err(|error| {
                self.unusable(format!("directory `{}` cannot be created: {error}", parent.display()), way_out)
            })?;
        }
        match file.open(&self.path) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.unusable(format!("cannot be opened for writing: {error}"), way_out)),
        }
    }

    /// Fails unless the file is still the one that was opened. Writes to a deleted or replaced file are lost
    /// with it, and SQLite does not report that.
    pub(super) fn check_same_file(&self) -> TransactionResult<()> {
        let what = match (self.first.get(), identity_and_length(&self.path)) {
            _ if self.lost_log.load(Ordering::Relaxed) => "its log (`-wal`) was removed while in use",
            (Some(first), Some((now, _))) if *first != now => "it was replaced by another file",
            (Some(_), Some((_, length)))
                if length < self.greatest_length.fetch_max(length, Ordering::Relaxed) =>
            {
                "the file was truncated"
            }
            (Some(_), None) => "the file was deleted",
            _ => return Ok(()),
        };
        let what = format!("{what}, so writes would be lost");
        Err(TransactionError::Database { what, passing: false })
    }

    /// The `-wal` file, which exists while the database is open. `before` is the one a connection has written
    /// to: if it was replaced, its contents are lost.
    pub(super) fn log(&self, before: Option<Identity>) -> Option<Identity> {
        let mut name = self.path.clone().into_os_string();
        name.push("-wal");
        let now = identity_and_length(Path::new(&name)).map(|(now, _)| now);
        if before.is_some() && before != now {
            self.lost_log.store(true, Ordering::Relaxed);
        }
        now
    }

    /// Opens a connection that writes. It never creates the file, so that a vanished file is not replaced by
    /// an empty one.
    pub(super) fn connect(&self) -> Result<Connection, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&self.path, flags)?;
        db.busy_timeout(self.options.busy_timeout)?;
        db.set_prepared_statement_cache_capacity(STATEMENTS);
        let mode: String = db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
        if !mode.eq_ignore_ascii_case("wal") {
            let what = format!("a write-ahead log is not possible here, only `{mode}`");
            return Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CANTOPEN), Some(what)));
        }
        // Without this a statement is recompiled whenever a bound value changes.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        db.pragma_update(None, "synchronous", "full")?;
        db.pragma_update(None, "foreign_keys", true)?;
        db.pragma_update(None, "trusted_schema", false)?;
        // What is purged is overwritten, not only unlinked.
        db.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
        db.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))?;
        if let Some(pages) = self.options.page_limit {
            db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        }
        Ok(db)
    }

    /// Opens a read-only connection.
    pub(super) fn connect_to_read(&self) -> Result<Connection, Error> {
        let db = self.connect()?;
        db.pragma_update(None, "query_only", true)?;
        Ok(db)
    }

    fn refused(&self, hindrance: MigrationError) -> StoreError {
        match hindrance {
            MigrationError::Newer { found, known } => {
                StoreError::Newer { path: self.path.clone(), found, known }
            }
            MigrationError::Foreign(what) => self.unusable(what, "use another file, or restore a backup"),
            MigrationError::Sqlite(error) if is_busy(&error) => {
                self.unusable(format!("another process is using it: {error}"), "end that process, or wait")
            }
            MigrationError::Sqlite(error) => {
                self.unusable(error.to_string(), "use another file, or restore a backup")
            }
        }
    }
}

fn identity_and_length(path: &Path) -> Option<(Identity, u64)> {
    let metadata = path.metadata().ok()?;
    Some(((metadata.dev(), metadata.ino()), metadata.len()))
}
