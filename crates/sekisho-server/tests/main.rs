//! The server over real sockets.
#![expect(clippy::unwrap_used, reason = "tests")]

mod events;
mod house_live;
