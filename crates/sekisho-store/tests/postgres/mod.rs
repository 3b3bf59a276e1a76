//! The store on a real PostgreSQL server, started by the tests.

mod concurrent_answers;
mod conformance;
pub(crate) mod harness;
mod persistence;
mod server_failures;
pub(crate) mod shared_database;
mod tls;
