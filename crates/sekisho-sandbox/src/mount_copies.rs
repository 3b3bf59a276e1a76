//! Copies of mounts, put at another place or over themselves. By descriptors, so that no path is resolved again.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};

/// A copy of the mount of an open file or directory, with all mounts below it.
pub(crate) fn copy(place: &OwnedFd) -> Result<OwnedFd, Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    open_tree(place, c"", flags)
}

/// Mounts a copy at an open file or directory.
pub(crate) fn put(copy: &OwnedFd, place: &OwnedFd) -> Result<(), Errno> {
    let both = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(copy, c"", place, c"", both)
}
