//! The ledger in a PostgreSQL database that several processes share.
//!
//! Every process has one task that writes ([`writer`]), a few connections that read, and one that listens for the others'
//! commits ([`listener`]). Everything that waits for the writer is committed together ([`batch`]). What becomes of a
//! question is decided by the gate's own functions between reading a row `FOR UPDATE` and writing it, so of all processes
//! exactly one gets to decide. Connections that are lost are made again; callers hear of it as an error that may pass.

mod approvals;
mod audit;
mod backoff;
mod batch;
mod calls;
mod commit_counters;
mod connection;
mod connector;
pub mod copy;
mod database_url;
mod error_class;
mod events;
mod executions;
mod input_purge;
mod input_schemas;
mod ledger;
mod listener;
mod migrate;
mod nul_escape;
mod open_transaction;
mod options;
mod past_calls;
mod rules;
mod signing_keys;
mod store;
mod tls;
mod tokens;
mod transaction;
mod version;
mod write_operation;
mod write_queue;
mod writer;
mod writer_chain;

pub use options::Options;
pub use store::PostgresStore;
pub use version::{display_url, version};
