//! Terminals, devices and FIFOs that are standard streams.
//!
//! An open file belongs to the mount through which it was opened. Through one from outside the namespaces, the program
//! could change the mode and the times of a terminal or of `/dev/null`. So they are opened again through a read-only copy
//! of their mount. Reading, writing and terminal control work as before.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, SeekFrom, Stat, fcntl_getfl, fcntl_setfl, fstat, open, seek};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::failure::Failure;
use crate::mount_copies;
use crate::planned_dir::find_without_links;
use crate::raw_calls;

/// Opens them again. Needs a mount namespace of this process.
pub(crate) fn reopen() -> Result<(), Failure> {
    if let Some(stream) = reopened(std::io::stdin().as_fd(), "input")? {
        dup2_stdin(stream).map_err(Failure::of("standard input"))?;
    }
    if let Some(stream) = reopened(std::io::stdout().as_fd(), "output")? {
        dup2_stdout(stream).map_err(Failure::of("standard output"))?;
    }
    if let Some(stream) = reopened(std::io::stderr().as_fd(), "error output")? {
        dup2_stderr(stream).map_err(Failure::of("standard error output"))?;
    }
    Ok(())
}

/// The same device or FIFO, opened again. None if it can stay as it is.
fn reopened(stream: BorrowedFd<'_>, name: &str) -> Result<Option<OwnedFd>, Failure> {
    let Ok(found) = fstat(stream) else { return Ok(None) };
    let kind = FileType::from_raw_mode(found.st_mode);
    let is_special = matches!(kind, FileType::CharacterDevice | FileType::BlockDevice | FileType::Fifo);
    if !is_special || found.st_nlink == 0 {
        return Ok(None);
    }
    let failed = Failure::of("standard streams");
    let path = std::fs::read_link(format!("/proc/self/fd/{}", stream.as_raw_fd())).map_err(failed)?;
    // A pipe has no path.
    if kind == FileType::Fifo && !path.is_absolute() {
        return Ok(None);
    }
    let opened = find(path, &found)
        .map_err(std::io::Error::from)
        .and_then(|place| open_read_only_mount(&place, stream, kind));
    match opened {
        Ok(opened) => Ok(Some(opened)),
        // Only its owner can change the mode.
        Err(_) if found.st_uid != geteuid().as_raw() => Ok(None),
        Err(error) => Err(Failure::new(format!(
            "standard {name} is a device or FIFO that cannot be opened again ({}); use a pipe: `cat | …`, `… | cat`",
            error.to_string().to_lowercase()
        ))),
    }
}

/// Finds it among the mounts of this process. In a container, the path of a terminal may be one outside, and
/// `/dev/console` is the terminal.
fn find(path: PathBuf, wanted: &Stat) -> Result<OwnedFd, Errno> {
    for path in [path.as_path(), Path::new("/dev/console")] {
        let place = find_without_links(path);
        let is_same = |place: &OwnedFd| {
            fstat(place).is_ok_and(|found| (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino))
        };
        if let Some(place) = place.ok().filter(is_same) {
            return Ok(place);
        }
    }
    Err(Errno::NOENT)
}

fn open_read_only_mount(
    place: &OwnedFd,
    stream: BorrowedFd<'_>,
    kind: FileType,
) -> Result<OwnedFd, std::io::Error> {
    let copy = mount_copies::copy(place)?;
    raw_calls::make_read_only(&copy, c"")?;
    let path = format!("/proc/self/fd/{}", copy.as_raw_fd());
    let flags = fcntl_getfl(stream)?;
    // Neither a FIFO nor a serial line may make this wait.
    let open = |access: OFlags| {
        open(&path, access | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
    };
    // A FIFO without a reader cannot be opened for writing.
    let _reader = (kind == FileType::Fifo).then(|| open(OFlags::RDWR));
    let opened = open(flags & OFlags::ACCMODE)?;
    if let Ok(position) = seek(stream, SeekFrom::Current(0)) {
        // Devices without a position accept any.
        let _ = seek(&opened, SeekFrom::Start(position));
    }
    fcntl_setfl(&opened, flags & !OFlags::ACCMODE)?;
    Ok(opened)
}
