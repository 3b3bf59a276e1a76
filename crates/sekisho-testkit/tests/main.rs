//! Tests of the test kit.
#![expect(clippy::unwrap_used, reason = "tests")]

mod clock;
mod conformance;
mod in_memory_files;
mod memory;
