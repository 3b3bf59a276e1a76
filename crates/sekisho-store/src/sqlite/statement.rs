//! Runs a statement.

use rusqlite::{Connection, Params};

use crate::transaction_error::TransactionResult;

/// Runs a prepared statement and returns how many rows it changed.
pub(super) fn run(db: &Connection, sql: &str, params: impl Params) -> TransactionResult<usize> {
    Ok(db.prepare_cached(sql)?.execute(params)?)
}
