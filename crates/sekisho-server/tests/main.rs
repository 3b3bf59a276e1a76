//! The server over real sockets.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod attacks;
mod house_edge;
mod pages;
mod roles;
mod serving;
mod session;
mod tokens;
