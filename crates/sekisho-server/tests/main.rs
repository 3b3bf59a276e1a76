//! The server over real sockets.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests say what is wrong by panicking"
)]

mod attacks;
mod descriptors;
mod harness;
mod input_schemas;
mod openapi;
mod openapi_additions;
mod roles;
mod routes;
mod serving;
mod wire;

use harness::sockets::House;
