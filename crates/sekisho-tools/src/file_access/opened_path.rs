//! A path that was opened without reading it, and what it leads to.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open, openat};
use rustix::io::Errno;

/// How files are opened for reading: a pipe or terminal that took the place of a file cannot make us wait, and
/// does not become our terminal.
const READING: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A file or directory that was opened without reading it.
pub(crate) struct OpenedPath {
    handle: OwnedFd,
    stat: Stat,
    real: PathBuf,
}

impl OpenedPath {
    /// Opens a path and follows its links. Opening a device or pipe in this way has no effect on it.
    pub(crate) fn open(path: &Path) -> io::Result<OpenedPath> {
        let handle = open(path, WITHOUT_EFFECT, Mode::empty())?;
        let stat = fstat(&handle)?;
        let real = path_of_handle(handle.as_fd(), path)?;
        if !is_same_file(&rustix::fs::stat(&real)?, &stat) {
            return Err(io::Error::other("it was moved or deleted while it was opened"));
        }
        Ok(OpenedPath { handle, stat, real })
    }

    /// The path without links.
    pub(crate) fn real_path(&self) -> &Path {
        &self.real
    }

    pub(crate) fn stat(&self) -> &Stat {
        &self.stat
    }

    pub(crate) fn is_directory(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::Directory
    }

    /// Why the tools do not read it although it is there. `None` for a regular file, and for a directory.
    pub(crate) fn refusal(&self) -> Option<&'static str> {
        let kind = match FileType::from_raw_mode(self.stat.st_mode) {
            FileType::RegularFile | FileType::Directory => None,
            FileType::Fifo => Some("it is a pipe"),
            FileType::Socket => Some("it is a socket"),
            FileType::CharacterDevice | FileType::BlockDevice => Some("it is a device"),
            FileType::Symlink | FileType::Unknown => Some("it is not a regular file"),
        };
        let kernel = || is_on_kernel_file_system(self.handle.as_fd());
        kind.or_else(|| kernel().then_some("the kernel makes its contents when it is read"))
    }

    /// Opens the same regular file for reading.
    pub(crate) fn read(&self) -> io::Result<File> {
        let handle = reopen(self, READING)?;
        let stat = fstat(&handle)?;
        if !is_same_file(&stat, &self.stat) || !is_regular(&stat) {
            return Err(io::Error::other("it was replaced while it was opened"));
        }
        Ok(File::from(handle))
    }

    /// Opens the same directory, to list it and to open what is below.
    pub(crate) fn list(&self) -> io::Result<OwnedFd> {
        let handle = reopen(self, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
        if !is_same_file(&fstat(&handle)?, &self.stat) {
            return Err(io::Error::other("it was replaced while it was opened"));
        }
        Ok(handle)
    }
}

/// Opens an entry of a directory for reading. A link is not followed. The caller checks what it is.
pub(crate) fn open_entry(directory: BorrowedFd<'_>, name: &CStr) -> Result<File, Errno> {
    openat(directory, name, READING.union(OFlags::NOFOLLOW), Mode::empty()).map(File::from)
}

pub(crate) fn is_regular(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

fn is_same_file(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

#[cfg(target_os = "linux")]
const WITHOUT_EFFECT: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const WITHOUT_EFFECT: OFlags = READING;

#[cfg(target_os = "linux")]
fn handle_name(handle: BorrowedFd<'_>) -> String {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

#[cfg(target_os = "linux")]
fn path_of_handle(handle: BorrowedFd<'_>, _opened: &Path) -> io::Result<PathBuf> {
    std::fs::read_link(handle_name(handle))
}

/// Where a handle's path cannot be asked for, the path is resolved again; the caller compares the files.
#[cfg(not(target_os = "linux"))]
fn path_of_handle(_handle: BorrowedFd<'_>, opened: &Path) -> io::Result<PathBuf> {
    opened.canonicalize()
}

#[cfg(target_os = "linux")]
fn reopen(opened: &OpenedPath, flags: OFlags) -> io::Result<OwnedFd> {
    Ok(open(handle_name(opened.handle.as_fd()), flags, Mode::empty())?)
}

#[cfg(not(target_os = "linux"))]
fn reopen(opened: &OpenedPath, flags: OFlags) -> io::Result<OwnedFd> {
    Ok(open(&opened.real, flags | OFlags::NOFOLLOW, Mode::empty())?)
}

/// File systems whose files the kernel makes up when they are read: reading one can wait for ever, or change
/// something.
#[cfg(target_os = "linux")]
const KERNEL_FILE_SYSTEMS: &[u64] = &[
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x6265_6570, // configfs
    0xcafe_4a11, // bpf
    0x1cd1,      // devpts
    0x6e73_6673, // nsfs
    0x4249_4e4d, // binfmt_misc
    0x6573_5543, // fusectl
    0xde5e_81e4, // efivarfs
    0xf97c_ff8c, // selinuxfs
];

#[cfg(target_os = "linux")]
pub(crate) fn is_on_kernel_file_system(handle: BorrowedFd<'_>) -> bool {
    let kind = rustix::fs::fstatfs(handle).map(|found| found.f_type);
    // Some kernels give the number with its sign extended.
    kind.is_ok_and(|kind| KERNEL_FILE_SYSTEMS.contains(&(kind as u64 & 0xffff_ffff)))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_on_kernel_file_system(_handle: BorrowedFd<'_>) -> bool {
    false
}
