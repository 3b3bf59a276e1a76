//! The store against a real PostgreSQL server, started by the tests.

mod concurrent_answers;
mod conformance;
mod server_failures;
mod persistence;
pub(crate) mod shared_database;
mod tls;
pub(crate) mod harness;
