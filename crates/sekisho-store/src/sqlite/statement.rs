//! Running a statement.

use rusqlite::{Connection, Params};

use crate::fault::Scripted;

/// Runs a prepared statement, and says how many rows it changed.
pub(super) fn run(db: &Connection, sql: &str, params: impl Params) -> Scripted<usize> {
    Ok(db.prepare_cached(sql)?.execute(params)?)
}
