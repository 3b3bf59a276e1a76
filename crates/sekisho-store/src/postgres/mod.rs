//! The store in a PostgreSQL database that several processes share.
//!
//! Every process has one task that writes ([`writer`]), a few connections that read, and one that listens for
//! other processes' commits ([`listener`]). All waiting writes are committed together ([`batch`]). The gate's
//! own functions decide what happens to an approval, between reading its row `FOR UPDATE` and writing it, so
//! exactly one process decides. Lost connections are reopened; callers see a transient error.

mod agents;
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
mod pipeline_run_purge;
mod pipeline_runs;
mod pipelines;
mod rules;
mod run_purge;
mod run_storage;
mod run_trees;
mod runs;
mod schema_version;
mod signing_keys;
mod store;
mod tls;
mod tokens;
mod transaction_impl;
mod write_operation;
mod write_queue;
mod writer;
mod writer_chain;

pub use options::Options;
pub use schema_version::{display_url, version};
pub use store::PostgresStore;
