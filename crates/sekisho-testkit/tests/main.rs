//! The tests of what other tests stand on.
#![expect(clippy::unwrap_used, reason = "tests")]

mod clock;
mod conformance;
mod in_memory_files;
mod memory;
