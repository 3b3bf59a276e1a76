//! The store against a real PostgreSQL server, started by the tests.

mod answering;
mod conforming;
mod failing;
mod keeping;
pub(crate) mod sharing;
mod tls;
pub(crate) mod world;
