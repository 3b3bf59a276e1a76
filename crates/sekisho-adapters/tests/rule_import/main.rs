//! Rules imported from other agents: what they become, and that they never allow more.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod conversions;
mod export;
mod harness;
mod priorities;
mod properties;
mod source_models;
