//! The server over real sockets.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod audit;
mod health;
mod house_reading;
mod notifications;
mod rules;
mod trust;
