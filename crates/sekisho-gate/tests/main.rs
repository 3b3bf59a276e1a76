//! The gate as its callers see it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests report failures by panicking"
)]

mod answers;
mod approval_machine;
mod chain_tampering;
mod checkpoints;
mod durable_calls;
mod fail_closed;
mod fair_queue;
mod feed;
mod harness;
mod hostile_callers;
mod known_failures;
mod pipeline;
mod races;
mod readable_commands;
mod registered_records;
mod remote_callers;
mod repeated_requests;
mod required_approval;
mod row_masks;
mod secrets_in_commands;
mod time;
