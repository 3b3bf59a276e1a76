//! One in-memory server for all tests, and the ways to talk to it: in process, over sockets byte by byte, and
//! over event streams.

pub(crate) mod event_streams;
pub(crate) mod in_process;
pub(crate) mod memory;
mod memory_ports;
pub(crate) mod sockets;
