//! The ledger in one SQLite file.
//!
//! One thread writes and a few read; callers wait on channels and are bound to no runtime. Everything that waits for the
//! writer is committed together ([`writer`]), so a burst of calls costs one sync to the disk, and a single call waits for
//! nobody. Other processes may have the file open: SQLite's own lock orders the writers, and their commits are noticed by
//! the file's version ([`heads`]).

mod audit;
mod connect;
mod fault;
mod heads;
mod ledger;
mod migrate;
mod options;
mod pen;
#[cfg(test)]
mod plan;
mod readers;
mod rules;
mod scripts;
mod soundness;
mod store;
mod tables;
mod tokens;
mod version;
mod writer;

pub use options::Options;
pub use soundness::soundness;
pub use store::SqliteStore;
pub use version::{Version, version};
