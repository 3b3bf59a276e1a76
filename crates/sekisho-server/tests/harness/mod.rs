//! One in-memory server for all tests, and the ways to talk to it: in process, over sockets byte by byte, and
//! over event streams.

pub(crate) mod event_streams;
pub(crate) mod in_memory_server;
pub(crate) mod in_process;
mod memory_ports;
pub(crate) mod socket_server;
