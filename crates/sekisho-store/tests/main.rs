//! The store against a real file.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod conforming;
mod failing;
mod keeping;
mod killing;
mod opening;
mod pg;
mod rules;
mod schema;
mod sharing;
mod support;
mod sweeping;
mod tampering;
