//! Opens directories beneath a handle.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, open, openat, unlinkat};
use rustix::io::Errno;
use sekisho_sandbox::DirectoryId;

use super::path_components::Names;
use super::write_error::{WriteError, WriteStep};

/// How names are resolved. Neither way follows a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lookup {
    /// By one `openat2`. Where the kernel has none, or a filter blocks it, as [`Lookup::Stepwise`].
    #[default]
    Kernel,
    /// One `openat` with `O_NOFOLLOW` for each name.
    Stepwise,
}

/// How often `openat2` is tried while directories are being moved.
#[cfg(target_os = "linux")]
const ATTEMPTS: usize = 16;

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A directory on the way, which need not be readable.
#[cfg(target_os = "linux")]
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const STEP: OFlags = DIRECTORY;

/// The permissions of new directories, before the umask.
const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o777);

/// Opens a directory beneath another.
pub(super) fn open_directory(
    lookup: Lookup,
    start: BorrowedFd<'_>,
    names: &Names,
) -> Result<OwnedFd, WriteError> {
    open_beneath(lookup, start, names).map_err(as_write_error)
}

/// Opens a directory beneath another for reading. No link is followed.
pub(crate) fn open_directory_beneath(start: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    let names = Names::new(path).ok_or(Errno::INVAL)?;
    Ok(open_beneath(Lookup::default(), start, &names)?)
}

/// Opens a directory by its absolute path. A link on any part of the path is an error.
pub(super) fn open_absolute(lookup: Lookup, path: &Path) -> Result<OwnedFd, Errno> {
    let names = path.strip_prefix("/").ok().and_then(Names::new).ok_or(Errno::INVAL)?;
    open_beneath(lookup, open("/", STEP, Mode::empty())?.as_fd(), &names)
}

/// Opens a directory by its absolute path. A link on any part of the path is an error.
pub(crate) fn open_without_links(path: &Path) -> io::Result<OwnedFd> {
    Ok(open_absolute(Lookup::default(), path)?)
}

/// Which directory is at an absolute path. A link on any part of the path is an error.
pub(crate) fn directory_id(path: &Path) -> io::Result<DirectoryId> {
    Ok(DirectoryId::of(&File::from(open_without_links(path)?).metadata()?))
}

fn as_write_error(errno: Errno) -> WriteError {
    match errno {
        Errno::NOENT => WriteError::MissingDirectory,
        Errno::LOOP | Errno::NOTDIR | Errno::XDEV => WriteError::NotADirectory,
        Errno::AGAIN => WriteError::Changed,
        errno => WriteError::Io(WriteStep::Resolve, errno.into()),
    }
}

#[cfg(target_os = "linux")]
fn open_beneath(lookup: Lookup, start: BorrowedFd<'_>, names: &Names) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    const RESOLVE: ResolveFlags =
        ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);
    let path = names.path();
    let mut answer = Err(Errno::AGAIN);
    for _ in 0..ATTEMPTS {
        answer = match lookup {
            Lookup::Kernel => openat2(start, &path, DIRECTORY, Mode::empty(), RESOLVE),
            Lookup::Stepwise => Err(Errno::NOSYS),
        };
        match answer {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // A filter that does not know the call may answer either.
            Err(Errno::NOSYS | Errno::PERM) => return open_stepwise(start, names),
            answer => return answer,
        }
    }
    answer
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(_: Lookup, start: BorrowedFd<'_>, names: &Names) -> Result<OwnedFd, Errno> {
    open_stepwise(start, names)
}

fn open_stepwise(start: BorrowedFd<'_>, names: &Names) -> Result<OwnedFd, Errno> {
    let mut directory = openat(start, ".", STEP, Mode::empty())?;
    for name in names.iter() {
        directory = openat(&directory, name, STEP, Mode::empty())?;
    }
    openat(&directory, ".", DIRECTORY, Mode::empty())
}

/// A directory that was opened, and those that were created for it. They are removed again when it is dropped,
/// unless it is [kept](Self::keep).
pub(super) struct OpenedDirectory {
    pub(super) handle: OwnedFd,
    made: Vec<(OwnedFd, OsString)>,
}

impl OpenedDirectory {
    /// Opens a directory and creates those that are missing.
    pub(super) fn open_or_create(
        lookup: Lookup,
        start: BorrowedFd<'_>,
        names: &Names,
    ) -> Result<OpenedDirectory, WriteError> {
        match open_directory(lookup, start, names) {
            Err(WriteError::MissingDirectory) => {}
            opened => return opened.map(|handle| OpenedDirectory { handle, made: Vec::new() }),
        }
        let handle = openat(start, ".", DIRECTORY, Mode::empty()).map_err(as_write_error)?;
        let mut opened = OpenedDirectory { handle, made: Vec::new() };
        for name in names.iter() {
            opened.enter(lookup, name)?;
        }
        Ok(opened)
    }

    fn enter(&mut self, lookup: Lookup, name: &OsStr) -> Result<(), WriteError> {
        let step = Names::new(name.as_ref()).ok_or(WriteError::NotADirectory)?;
        let next = match open_directory(lookup, self.handle.as_fd(), &step) {
            Err(WriteError::MissingDirectory) => {
                let made = mkdirat(&self.handle, name, NEW_DIRECTORY);
                if !matches!(made, Err(Errno::EXIST)) {
                    made.map_err(WriteError::at(WriteStep::CreateDirectory))?;
                    let parent = self.handle.try_clone();
                    let parent = parent.map_err(|error| WriteError::Io(WriteStep::CreateDirectory, error))?;
                    self.made.push((parent, name.to_owned()));
                }
                open_directory(lookup, self.handle.as_fd(), &step)?
            }
            opened => opened?,
        };
        self.handle = next;
        Ok(())
    }

    /// Keeps the directories that were created.
    pub(super) fn keep(mut self) {
        for (parent, _) in self.made.drain(..) {
            // The file itself is in place; an unsynced directory entry is lost only with the power.
            let _ = rustix::fs::fsync(&parent);
        }
    }
}

impl Drop for OpenedDirectory {
    fn drop(&mut self) {
        for (parent, name) in self.made.drain(..).rev() {
            // Fails if somebody has put a file there in the meantime, which is right.
            let _ = unlinkat(&parent, &name, AtFlags::REMOVEDIR);
        }
    }
}
