//! The ledger in one SQLite file.
//!
//! One thread writes and a few read; callers wait on channels and are bound to no runtime. Everything that waits for the
//! writer is committed together ([`writer`]), so a burst of calls costs one sync to the disk, and a single call waits for
//! nobody. Other processes may have the file open: SQLite's own lock orders the writers, and their commits are noticed by
//! the file's version ([`heads`]).

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
