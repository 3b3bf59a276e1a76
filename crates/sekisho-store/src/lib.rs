//! The databases behind the gate: SQLite and PostgreSQL.
//!
//! The gate defines what is stored and which pure functions decide inside a transaction; a store makes it
//! durable. The files are arranged by subject. `approvals`, `rules`, `tokens` and the other modules beside
//! this file hold what does not depend on the database: converting the gate's values to rows and back, and
//! the steps of each transaction, written against a trait of table operations. The module of the same name in
//! `sqlite` and in `postgres` implements those operations, each statement beside the function that runs it.
//! No rule about answers, expiry or joining is written in SQL.
#![forbid(unsafe_code)]

mod admissions;
mod agents;
mod approvals;
mod audit;
mod calls;
mod encoding;
mod entry_masking;
mod error;
mod executions;
mod input_purge;
mod input_schemas;
mod past_calls;
mod pipeline_run_purge;
mod pipeline_runs;
mod pipelines;
pub mod postgres;
mod rules;
mod run_purge;
mod run_storage;
mod run_trees;
mod runs;
mod signing_keys;
pub mod sqlite;
mod store_trait;
mod tokens;
mod transaction;
mod transaction_error;

pub use error::StoreError;
pub use postgres::PostgresStore;
pub use sqlite::{Options, SqliteStore, Version};
pub use store_trait::Store;
