//! The store against a real file.
#![expect(clippy::unwrap_used, reason = "tests")]

mod conforming;
mod failing;
mod keeping;
mod opening;
mod rules;
mod schema;
mod sharing;
mod support;
mod sweeping;
mod tampering;
