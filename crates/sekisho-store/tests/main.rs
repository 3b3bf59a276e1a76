//! The SQLite store on a real file.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod agents;
mod changed_input;
mod conformance;
mod earlier_versions;
mod expiry;
mod full_disk;
mod harness;
mod killed_agents;
mod killed_process;
mod killed_runs;
mod migrations;
mod open_file;
mod persistence;
mod pipelines;
mod postgres;
mod rules;
mod run_purge;
mod run_trees;
mod runs;
mod schema;
mod shared_file;
mod signing_keys;
mod tampering;
mod test_database;
mod write_failures;
