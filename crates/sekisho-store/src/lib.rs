//! Where the gate keeps everything.
//!
//! The gate says what is kept and which pure functions decide inside the transaction; a store makes it durable. What does
//! not depend on the database stands apart from what does: `rows` is how the gate's values become columns and come
//! back, and each backend has its SQL text (`sql`), its binding of rows to statements (`tables`) and its transactions
//! (`scripts`). No rule about answers, expiry or joining is written in SQL.
#![forbid(unsafe_code)]

mod approvals;
mod calls;
mod encoding;
mod error;
mod executions;
mod fault;
mod keys;
mod past;
pub mod postgres;
mod rules;
pub mod sqlite;
mod store;
mod tokens;

pub use error::StoreError;
pub use postgres::PostgresStore;
pub use sqlite::{Options, SqliteStore, Version};
pub use store::Store;
