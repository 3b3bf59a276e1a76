//! The server over real sockets.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod attacks;
mod descriptors;
mod harness;
mod input_schemas;
mod openapi;
mod openapi_compatibility;
mod roles;
mod routes;
mod serve;
mod transport;

use harness::socket_server::TestServer;
