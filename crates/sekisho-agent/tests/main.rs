//! Tests of the loop of runs.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod driver;
mod machine;
