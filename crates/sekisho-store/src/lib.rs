//! Where the gate keeps everything.
//!
//! The gate says what is kept and which pure functions decide inside the transaction; a store makes it durable. What does
//! not depend on the database stands apart from what does: `rows` is how the gate's values become columns and come
//! back, and each backend has its SQL text (`sql`), its binding of rows to statements (`tables`) and its transactions
//! (`scripts`). No rule about answers, expiry or joining is written in SQL.
#![forbid(unsafe_code)]

mod error;
mod fault;
mod masking;
pub mod postgres;
mod rows;
pub mod sqlite;

pub use error::StoreError;
pub use postgres::PostgresStore;
pub use sqlite::{Options, SqliteStore, Version};
