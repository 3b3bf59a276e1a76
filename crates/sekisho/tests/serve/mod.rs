//! The server as a process of its own, over its own sockets.

mod doctor;
mod documents;
mod doors;
mod gone;
mod heavy;
mod held_to;
mod reading;
mod refusing;
mod running;
pub(crate) mod server;
mod tls;
mod tokens;
