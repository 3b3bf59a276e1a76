//! The store against a real PostgreSQL server, started by the tests.

mod conforming;
mod failing;
mod keeping;
mod server;
mod sharing;
mod tls;
mod world;
