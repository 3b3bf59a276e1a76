//! Namespaces of our own, where bubblewrap is not installed.
//!
//! Everything is mounted read-only except the writable directories. `/proc` shows only the program's processes,
//! where the kernel allows a new one. When the first process ends, the kernel kills all others.

use std::fs;
use std::path::Path;

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_change,
    move_mount, open_tree,
};
use rustix::process::{getegid, geteuid};

use crate::failure::Failure;
use crate::plan::HelperPlan;
use crate::raw_calls;

/// Puts the next child of this process into a new process namespace. An ordinary user needs a user
/// namespace for that; inside it the user id stays the same.
pub(crate) fn separate_children() -> Result<(), Failure> {
    if geteuid().is_root() && unshare(CloneFlags::CLONE_NEWPID).is_ok() {
        return Ok(());
    }
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID).map_err(Failure::of("user namespace"))?;
    fs::write("/proc/self/setgroups", "deny").map_err(Failure::of("setgroups of the user namespace"))?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))
        .map_err(Failure::of("user map of the user namespace"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
        .map_err(Failure::of("group map of the user namespace"))
}

/// A copy of an open directory's mount with all mounts below it.
const COPY: OpenTreeFlags = OpenTreeFlags::OPEN_TREE_CLONE
    .union(OpenTreeFlags::OPEN_TREE_CLOEXEC)
    .union(OpenTreeFlags::AT_RECURSIVE)
    .union(OpenTreeFlags::AT_EMPTY_PATH);

/// Gives this process, the first of its process namespace, its own mounts and IPC, and its own network if there is a
/// proxy. Without a proxy, seccomp forbids sockets.
pub(crate) fn isolate(plan: &HelperPlan) -> Result<(), Failure> {
    let mut kinds = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    kinds.set(CloneFlags::CLONE_NEWNET, plan.proxy);
    unshare(kinds).map_err(Failure::of("mount namespace"))?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(Failure::of("private mounts"))?;
    let mut writable = Vec::new();
    for dir in plan.outermost_writable() {
        // Opened once, so that copy and place are this directory, whatever its path leads to meanwhile.
        let place = dir.open()?;
        let copy = open_tree(&place, c"", COPY).map_err(Failure::of("mount of a writable directory"))?;
        writable.push((place, copy));
    }
    raw_calls::make_read_only(c"/").map_err(Failure::of("read-only mounts"))?;
    for (place, copy) in writable {
        let both = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        move_mount(copy, c"", place, c"", both).map_err(Failure::of("mount of a writable directory"))?;
    }
    for path in &plan.hidden {
        hide(path)?;
    }
    // A container may hide parts of `/proc`, and then the kernel refuses a new one. The old one shows more
    // processes, but Landlock keeps their memory and environment closed.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    let _ = mount(c"proc", c"/proc", c"proc", flags, None);
    if plan.proxy {
        raw_calls::bring_loopback_up().map_err(Failure::of("loopback interface"))?;
    }
    Ok(())
}

/// Mounts something empty over a path that exists.
fn hide(path: &Path) -> Result<(), Failure> {
    let hidden = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => {
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
            mount(c"tmpfs", path, c"tmpfs", flags, c"mode=0,size=4k")
        }
        Ok(_) => mount_bind(c"/dev/null", path),
        // A path that does not exist is not mounted over. If it is created later, Landlock still forbids
        // reading it (see `readable_paths`).
        Err(_) => return Ok(()),
    };
    hidden.map_err(Failure::of("mount over a hidden path"))
}
