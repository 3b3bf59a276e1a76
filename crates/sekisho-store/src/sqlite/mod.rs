//! The ledger in one SQLite file.
//!
//! One thread writes and a few read; callers wait on channels and are bound to no runtime. Everything that waits for the
//! writer is committed together ([`writer`]), so a burst of calls costs one sync to the disk, and a single call waits for
//! nobody. Other processes may have the file open: SQLite's own lock orders the writers, and their commits are noticed by
//! the file's version ([`heads`]).

mod approvals;
mod audit;
mod calls;
mod connect;
mod events;
mod executions;
mod fault;
mod heads;
mod keys;
mod ledger;
mod migrate;
mod options;
mod past;
mod pen;
#[cfg(test)]
mod plan;
mod purging;
mod readers;
mod rules;
mod schemas;
mod soundness;
mod statement;
mod store;
mod tokens;
mod transaction;
mod version;
mod writer;

pub use options::Options;
pub use soundness::soundness;
pub use store::SqliteStore;
pub use version::{Version, version};
