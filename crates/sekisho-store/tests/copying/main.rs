//! A file with something of everything, copied to a real server.
#![expect(clippy::unwrap_used, reason = "tests")]

mod comparison;
mod sample_data;
mod copied_data;
mod refused_copies;
#[path = "../pg/harness.rs"]
#[expect(dead_code, reason = "other tests begin with a store")]
mod harness;
