//! Kills the real binary while it works: no question and no answer is lost, and nothing is answered twice.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests report failures by panicking"
)]

mod approver_client;
mod caller_client;
mod http;
mod pipelines;
mod replica_set;
mod restart;
mod shared_database;
