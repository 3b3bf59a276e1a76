//! The store against a real file.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod conformance;
mod earlier_versions;
mod write_failures;
mod full_disk;
mod persistence;
mod signing_keys;
mod killed_process;
mod migrations;
mod open_file;
mod pg;
mod rules;
mod schema;
mod shared_file;
mod test_database;
mod harness;
mod expiry;
mod tampering;
