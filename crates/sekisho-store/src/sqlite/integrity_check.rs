//! Checks a file for damage without changing it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;

/// Runs SQLite's integrity check on a file: pages, indexes, tables. Returns one sentence per problem; empty
/// if there is none.
pub fn integrity_check(path: impl AsRef<Path>) -> Result<Vec<String>, StoreError> {
    let path = path.as_ref();
    let read = || -> rusqlite::Result<Vec<String>> {
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = db.prepare("PRAGMA quick_check(5)")?;
        let said = statement.query_map([], |row| row.get::<_, String>(0))?;
        said.filter(|line| line.as_ref().map_or(true, |line| line != "ok")).collect()
    };
    read().map_err(|error| StoreError::Unusable {
        path: path.to_owned(),
        what: error.to_string(),
        way_out: "use another file, or restore a backup",
    })
}
