//! Namespaces of our own, where bubblewrap is not installed.
//!
//! Everything is mounted read-only except the writable directories. `/proc` shows only the program's processes,
//! where the kernel allows a new one. When the first process ends, the kernel kills all others.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::CWD;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::process::{getegid, geteuid};

use crate::failure::Failure;
use crate::kept_files;
use crate::mount_copies;
use crate::plan::HelperPlan;
use crate::planned_dir::find_without_links;
use crate::raw_calls;
use crate::stream_devices;

/// Puts the next child of this process into a new process namespace.
pub(crate) fn separate_children() -> Result<(), Failure> {
    unshare_as_user(CloneFlags::CLONE_NEWPID)
}

/// Gives this process mounts of its own, in which nothing appears that is mounted outside later. bubblewrap alone
/// would let such mounts in.
pub(crate) fn separate_mounts() -> Result<(), Failure> {
    unshare_as_user(CloneFlags::CLONE_NEWNS)?;
    make_mounts_private()
}

/// The devices that bubblewrap mounts from outside.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Mounts devices read-only for this process. bubblewrap mounts them from there, in the same way, and would let their mode
/// and times be changed. They can still be written to.
pub(crate) fn make_devices_read_only() -> Result<(), Failure> {
    let output = std::io::stdout();
    // bubblewrap mounts the terminal of its standard output as `/dev/console`.
    let console = output.is_terminal().then(|| fs::read_link("/proc/self/fd/1").ok()).flatten();
    for path in DEVICES.iter().map(PathBuf::from).chain(console) {
        // What does not exist is not mounted.
        let Ok(place) = find_without_links(&path) else { continue };
        let copy = mount_copies::copy(&place).map_err(Failure::of("copy of a device"))?;
        raw_calls::make_read_only(&copy, c"").map_err(Failure::of("read-only device"))?;
        mount_copies::put(&copy, &place).map_err(Failure::of("mount of a device"))?;
    }
    Ok(())
}

fn make_mounts_private() -> Result<(), Failure> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(Failure::of("private mounts"))
}

/// Makes namespaces, and a user namespace if this user needs one for that. The user id stays the same.
fn unshare_as_user(kinds: CloneFlags) -> Result<(), Failure> {
    if geteuid().is_root() && unshare(kinds).is_ok() {
        return Ok(());
    }
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER | kinds).map_err(Failure::of("user namespace"))?;
    fs::write("/proc/self/setgroups", "deny").map_err(Failure::of("setgroups of the user namespace"))?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))
        .map_err(Failure::of("user map of the user namespace"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
        .map_err(Failure::of("group map of the user namespace"))
}

/// Gives this process, the first of its process namespace, its own mounts and IPC, and its own network if there is a
/// proxy. Without a proxy, seccomp forbids sockets.
pub(crate) fn isolate(plan: &HelperPlan) -> Result<(), Failure> {
    let mut kinds = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    kinds.set(CloneFlags::CLONE_NEWNET, plan.proxy);
    unshare(kinds).map_err(Failure::of("mount namespace"))?;
    make_mounts_private()?;
    stream_devices::reopen()?;
    let mut writable = Vec::new();
    for dir in plan.outermost_writable() {
        // Opened once, so that copy and place are this directory, whatever its path leads to meanwhile.
        let place = dir.open()?;
        let copy = mount_copies::copy(&place).map_err(Failure::of("mount of a writable directory"))?;
        if plan.no_links {
            raw_calls::ignore_links(&copy).map_err(Failure::of("mount without links"))?;
        }
        writable.push((place, copy));
    }
    raw_calls::make_read_only(CWD, c"/").map_err(Failure::of("read-only mounts"))?;
    for (place, copy) in writable {
        mount_copies::put(&copy, &place).map_err(Failure::of("mount of a writable directory"))?;
    }
    kept_files::mount(plan)?;
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
