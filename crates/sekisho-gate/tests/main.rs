//! The gate as its callers see it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests say what is wrong by panicking"
)]

mod answers;
mod audit;
mod remote_callers;
mod checkpoints;
mod durable_calls;
mod fail_closed;
mod feed;
mod hostile_callers;
mod repeated_requests;
mod approval_machine;
mod component_records;
mod pipeline;
mod known_failures;
mod races;
mod row_masks;
mod time;
mod fair_queue;
mod harness;
