//! The server over real sockets.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what is wrong by panicking")]

mod docs;
mod house_docs;
mod openapi;
