//! The gate as its callers see it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests say what is wrong by panicking"
)]

mod answering;
mod audit;
mod beginning;
mod checkpoints;
mod durable;
mod fail_closed;
mod feed;
mod hostile;
mod joining;
mod machine;
mod parts;
mod passage;
mod peers;
mod races;
mod row_masks;
mod time;
mod turns;
mod world;
