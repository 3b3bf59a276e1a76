//! One server in memory for all tests, and the ways to talk to it: within the process, over sockets byte by byte, and by
//! those who listen.

mod backing;
pub(crate) mod in_process;
pub(crate) mod live;
pub(crate) mod memory;
pub(crate) mod sockets;
