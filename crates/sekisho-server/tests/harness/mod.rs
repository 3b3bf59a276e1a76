//! One server in memory for all tests, and the ways to talk to it: within the process, over sockets byte by byte, and by
//! those who listen.

pub(crate) mod event_streams;
pub(crate) mod in_process;
pub(crate) mod memory;
mod memory_ports;
pub(crate) mod sockets;
