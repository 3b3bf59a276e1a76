//! Which version a file's tables have, told without changing them.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::migrate;
use crate::error::StoreError;

/// The version of a database's tables, and the latest one this program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// What it has; 0 where it has no tables yet.
    pub found: i64,
    /// What this program makes of it.
    pub known: i64,
}

/// Reads the version of a file. `None`: there is no file. Opening it with a store would bring it up to date.
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
        way_out: "name another file, or put back a copy of it",
    })?;
    Ok(Some(Version { found, known: migrate::latest() }))
}
