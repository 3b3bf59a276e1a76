//! Where the gate keeps everything.
//!
//! The gate says what is kept and which pure functions decide inside the transaction; a store makes it durable. The files are
//! arranged by subject. `approvals`, `rules`, `tokens` and the others beside this file hold what does not depend on the
//! database: how the gate's values become rows and come back, and the steps of each transaction, over a trait of the
//! operations they need. The file of the same name in `sqlite` and in `postgres` answers those operations: each statement
//! stands beside the function that runs it. No rule about answers, expiry or joining is written in SQL.
#![forbid(unsafe_code)]

mod admissions;
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
pub mod postgres;
mod rules;
mod signing_keys;
pub mod sqlite;
mod store;
mod tokens;
mod transaction;
mod transaction_error;

pub use error::StoreError;
pub use postgres::PostgresStore;
pub use sqlite::{Options, SqliteStore, Version};
pub use store::Store;
