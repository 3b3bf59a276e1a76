//! The server over real sockets.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what is wrong by panicking")]

mod docs;
mod events;
mod house_docs;
mod house_live;
mod openapi;
