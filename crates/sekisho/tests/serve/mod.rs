//! The server as a process of its own, over its own sockets.

mod doctor;
mod refusing;
mod running;
mod server;
mod tls;
mod tokens;
