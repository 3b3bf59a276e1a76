//! The ledger in a PostgreSQL database that several processes share.
//!
//! Every process has one task that writes ([`writer`]), a few connections that read, and one that listens for the others'
//! commits ([`listener`]). Everything that waits for the writer is committed together ([`batch`]). What becomes of a
//! question is decided by the gate's own functions between reading a row `FOR UPDATE` and writing it, so of all processes
//! exactly one gets to decide. Connections that are lost are made again; callers hear of it as an error that may pass.

mod address;
mod approvals;
mod audit;
mod back_off;
mod batch;
mod calls;
mod chain;
mod connect;
pub mod copy;
mod db;
mod events;
mod executions;
mod fault;
mod heads;
mod keys;
mod ledger;
mod listener;
mod migrate;
mod options;
mod page;
mod past;
mod purging;
mod request;
mod rules;
mod schemas;
mod script;
mod store;
mod text;
mod tls;
mod tokens;
mod transaction;
mod version;
mod writer;

pub use options::Options;
pub use store::PostgresStore;
pub use version::{shown, version};
