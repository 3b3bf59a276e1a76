//! Statements, each beside the function that binds rows to it: no decisions.

pub(super) mod approvals;
pub(super) mod audit;
pub(super) mod calls;
pub(super) mod executions;
pub(super) mod keys;
pub(super) mod listing;
pub(super) mod past;
pub(super) mod purging;
pub(super) mod record;
pub(super) mod rules;
pub(super) mod schemas;
pub(super) mod search;
pub(super) mod tokens;

use rusqlite::{Connection, Params};

use crate::fault::Scripted;

/// Runs a prepared statement, and says how many rows it changed.
fn run(db: &Connection, sql: &str, params: impl Params) -> Scripted<usize> {
    Ok(db.prepare_cached(sql)?.execute(params)?)
}
