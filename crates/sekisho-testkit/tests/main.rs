//! The tests of what other tests stand on.
#![expect(clippy::unwrap_used, reason = "tests")]

mod clock;
mod conforming;
mod files;
mod memory;
