//! The store in one SQLite file.
//!
//! One thread writes and a few read; callers wait on channels and need no particular runtime. All waiting
//! writes are committed together ([`writer`]), so a burst of calls costs one sync to disk, and a single call
//! waits for no other. Other processes may have the file open: SQLite's lock orders the writers, and their
//! commits are noticed by the file's version ([`commit_counters`]).

mod approvals;
mod audit;
mod calls;
mod commit_counters;
mod database_file;
mod error_class;
mod events;
mod executions;
mod input_purge;
mod input_schemas;
mod integrity_check;
mod ledger;
mod migrate;
mod open_transaction;
mod options;
mod past_calls;
#[cfg(test)]
mod query_plan;
mod readers;
mod rules;
mod signing_keys;
mod statement;
mod store;
mod tokens;
mod transaction;
mod version;
mod writer;

pub use integrity_check::integrity_check;
pub use options::Options;
pub use store::SqliteStore;
pub use version::{Version, version};

/// The transactions, by the names the ledger uses.
mod transactions {
    pub(super) use super::approvals::{leave, open, snapshot, step, step_ahead, sweep};
    pub(super) use super::executions::{admit, finish, finish_ahead, retract};
    pub(super) use super::transaction::note;
}

/// The tables, by the names the ledger and the open transaction use.
mod tables {
    pub(super) use super::approvals::list as listing;
    pub(super) use super::audit::rows as audit;
    pub(super) use super::events as record;
    pub(super) use super::{approvals, executions, input_schemas, past_calls};
}
