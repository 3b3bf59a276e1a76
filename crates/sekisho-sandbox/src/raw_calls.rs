//! System calls without a safe wrapper. This is the only unsafe code in the helper. The helper has one thread.
#![expect(
    unsafe_code,
    reason = "fork, close_range, mount_setattr and the loopback ioctl have no safe wrapper"
)]

use std::ffi::CStr;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

use nix::unistd::ForkResult;
use rustix::net::{AddressFamily, SocketType, socket};
use rustix::process::Pid;

/// Forks. Returns the child's id in the parent and `None` in the child.
pub(crate) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: this process has one thread, so the child may run any code.
    match unsafe { nix::unistd::fork() }? {
        ForkResult::Child => Ok(None),
        ForkResult::Parent { child } => Ok(Pid::from_raw(child.as_raw())),
    }
}

/// Closes all descriptors from 3 on, except these.
pub(crate) fn close_inherited(kept: &[RawFd]) -> io::Result<()> {
    let mut kept: Vec<u32> =
        kept.iter().filter_map(|fd| u32::try_from(*fd).ok()).filter(|fd| *fd > 2).collect();
    kept.sort_unstable();
    let mut first = 3;
    for fd in kept {
        if fd > first {
            close_range(first, fd - 1, 0)?;
        }
        first = fd + 1;
    }
    close_range(first, u32::MAX, 0)
}

/// Marks all descriptors from 3 on so that they are closed when the program starts.
pub(crate) fn keep_from_program() -> io::Result<()> {
    close_range(3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC)
}

fn close_range(first: u32, last: u32, flags: libc::c_uint) -> io::Result<()> {
    // SAFETY: descriptors are closed only before this program opens or adopts anything, so none has an owner.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Takes ownership of an inherited descriptor. Fails if it is not open. Call it only once for each descriptor.
pub(crate) fn adopt(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: fcntl with F_GETFD takes any number and fails for one that is not open.
    if unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is open, and the caller takes it once.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Makes a mount and all mounts below it read-only: the one at a path, or that of the directory itself if the path is
/// empty.
pub(crate) fn make_read_only(dir: impl AsFd, path: &CStr) -> io::Result<()> {
    set_attribute(dir, path, libc::MOUNT_ATTR_RDONLY)
}

/// Keeps the kernel from following symbolic links on the mount of a directory, and on all mounts below it.
pub(crate) fn ignore_links(dir: impl AsFd) -> io::Result<()> {
    set_attribute(dir, c"", libc::MOUNT_ATTR_NOSYMFOLLOW)
}

fn set_attribute(dir: impl AsFd, path: &CStr, attribute: u64) -> io::Result<()> {
    // SAFETY: `mount_attr` is plain data; all-zero means no change.
    let mut attributes: libc::mount_attr = unsafe { mem::zeroed() };
    attributes.attr_set = attribute;
    let flags = libc::AT_RECURSIVE | libc::AT_EMPTY_PATH;
    let size = mem::size_of::<libc::mount_attr>();
    // SAFETY: the path and the attributes live until the call returns, and the size is theirs.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            dir.as_fd().as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const attributes,
            size,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Brings the loopback interface of a new network namespace up.
pub(crate) fn bring_loopback_up() -> io::Result<()> {
    let any = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    // SAFETY: `ifreq` is plain data.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(*b"lo") {
        *place = byte as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the socket is open and the request has the layout that this ioctl reads.
    let result = unsafe { libc::ioctl(any.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
