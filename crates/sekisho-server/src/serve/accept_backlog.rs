//! How many callers may wait to be accepted.

use std::os::fd::AsFd;

/// The system's own default is short: beyond it callers are dropped and try again after a second.
const LENGTH: i32 = 4096;

/// Listens, with a queue of that length.
pub(super) fn listen(socket: impl AsFd) -> rustix::io::Result<()> {
    rustix::net::listen(socket, LENGTH)
}
