//! Reads the schema version of a file without changing it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::migrate;
use crate::error::StoreError;

/// The schema version of a database, and the latest one this program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The database's version; 0 if it has no tables yet.
    pub found: i64,
    /// The latest version this program knows.
    pub known: i64,
}

/// Reads the schema version of a file. `None`: there is no file. Opening a store there would update it
/// instead.
pub fn version(path: impl AsRef<Path>) -> Result<Option<Version>, StoreError> {
    let path = path.as_ref();
    if !path.exists() {
        return Ok(None);
    }
    let read = || -> rusqlite::Result<i64> {
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        if !db.table_exists(None, "refinery_schema_history")? {
            return Ok(0);
        }
        db.query_row("SELECT coalesce(max(version), 0) FROM refinery_schema_history", [], |row| row.get(0))
    };
    let found = read().map_err(|error| StoreError::Unusable {
        path: path.to_owned(),
        what: error.to_string(),
        way_out: "use another file, or restore a backup",
    })?;
    Ok(Some(Version { found, known: migrate::latest() }))
}
