//! The real binary, killed in the middle: nothing that was asked or answered is lost, and nothing is answered twice.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests say what is wrong by panicking"
)]

mod callers;
mod replica_set;
mod http;
mod approvers;
mod restart;
mod shared_database;
