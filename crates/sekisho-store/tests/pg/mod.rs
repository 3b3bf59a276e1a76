//! The store against a real PostgreSQL server, started by the tests.

mod conforming;
mod server;
mod world;
