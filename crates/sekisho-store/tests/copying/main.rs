//! Copies a file with rows of every kind to a real server.
#![expect(clippy::unwrap_used, reason = "tests")]

mod comparison;
mod copied_data;
#[path = "../postgres/harness.rs"]
#[expect(dead_code, reason = "other tests begin with a store")]
mod harness;
mod refused_copies;
mod sample_data;
