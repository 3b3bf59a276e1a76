//! The server over real sockets.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests say what is wrong by panicking"
)]

mod attacks;
mod audit;
mod deciding;
mod descriptors;
mod docs;
mod events;
mod health;
mod hooks;
mod house_docs;
mod house_edge;
mod house_live;
mod house_reading;
mod notifications;
mod openapi;
mod openapi_additions;
mod pages;
mod roles;
mod rules;
mod searching;
mod serving;
mod session;
mod tokens;
mod trust;
mod wire;

use house_edge::House;
