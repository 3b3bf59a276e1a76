//! The listen backlog: how many connections may wait to be accepted.

use std::os::fd::AsFd;

/// The system's default is short: connections beyond it are dropped, and clients try again after a second.
const LENGTH: i32 = 4096;

/// Listens with this backlog.
pub(super) fn listen(socket: impl AsFd) -> rustix::io::Result<()> {
    rustix::net::listen(socket, LENGTH)
}
