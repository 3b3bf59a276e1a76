//! The store against a real file.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod changed_input;
mod conforming;
mod earlier;
mod failing;
mod full_disk;
mod keeping;
mod keys;
mod killing;
mod migrating;
mod opening;
mod pg;
mod rules;
mod schema;
mod sharing;
mod site;
mod support;
mod sweeping;
mod tampering;
