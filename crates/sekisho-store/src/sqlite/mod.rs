//! The store in one SQLite file.
//!
//! One thread writes and a few read; callers wait on channels and need no particular runtime. All waiting
//! writes are committed together ([`writer`]), so a burst of calls costs one sync to disk, and a single call
//! waits for no other. Other processes may have the file open: SQLite's lock lets one process write at a
//! time; this process notices commits of others because the file's version changes ([`commit_counters`]).

mod agents;
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
mod pipeline_run_purge;
mod pipeline_runs;
mod pipelines;
#[cfg(test)]
mod query_plan;
mod readers;
mod rules;
mod run_purge;
mod run_storage;
mod run_trees;
mod runs;
mod schema_version;
mod signing_keys;
mod statement;
mod store;
mod tokens;
mod transaction_impl;
mod writer;

pub use integrity_check::integrity_check;
pub use options::Options;
pub use schema_version::{Version, version};
pub use store::SqliteStore;
