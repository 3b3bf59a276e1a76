//! A directory that the program may write or read, with its device and inode numbers, so that no other directory
//! can take its place.
//!
//! A path can lead somewhere else when the helper opens it: another program may have exchanged a directory for a
//! link meanwhile. So the parent says which directory it has seen, and the helper opens the path without following
//! links and compares.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::str::FromStr;

/// Which directory it is, whatever its path leads to later: the numbers of its device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryId {
    device: u64,
    inode: u64,
}

impl DirectoryId {
    /// The id of a file or directory.
    pub fn of(found: &Metadata) -> DirectoryId {
        DirectoryId { device: found.dev(), inode: found.ino() }
    }

    /// The numbers of its device and inode.
    pub fn numbers(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}

impl fmt::Display for DirectoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.device, self.inode)
    }
}

impl FromStr for DirectoryId {
    type Err = ();

    fn from_str(text: &str) -> Result<DirectoryId, ()> {
        let (device, inode) = text.split_once(':').ok_or(())?;
        Ok(DirectoryId { device: device.parse().map_err(drop)?, inode: inode.parse().map_err(drop)? })
    }
}

/// A directory that the program may write or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedDir {
    /// Where it is, without links.
    pub path: PathBuf,
    /// Which directory it must be. Without it, any directory at the path is taken.
    pub id: Option<DirectoryId>,
}

impl From<PathBuf> for PlannedDir {
    fn from(path: PathBuf) -> PlannedDir {
        PlannedDir { path, id: None }
    }
}

#[cfg(target_os = "linux")]
mod opening {
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, open, openat, openat2};
    use rustix::io::Errno;

    use super::{DirectoryId, PlannedDir};
    use crate::failure::Failure;

    /// Opens a directory. Fails if any part of its path is a link.
    pub(crate) fn open_without_links(path: &Path) -> Result<OwnedFd, Errno> {
        open_at(path, OFlags::PATH | OFlags::DIRECTORY)
    }

    /// Opens a file or directory, to know what it is. Fails if any part of its path is a link.
    pub(crate) fn find_without_links(path: &Path) -> Result<OwnedFd, Errno> {
        open_at(path, OFlags::PATH)
    }

    /// Opens a file for reading. Fails if any part of its path is a link.
    pub(crate) fn read_without_links(path: &Path) -> Result<OwnedFd, Errno> {
        open_at(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)
    }

    fn open_at(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // An old kernel, on which the sandbox is not complete anyway.
            Err(Errno::NOSYS) => open(path, flags, Mode::empty()),
            opened => opened,
        }
    }

    /// Opens what is below an open directory. Fails if any part of the path is a link.
    pub(crate) fn find_below(dir: &OwnedFd, path: &Path) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match openat2(dir, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH) {
            Err(Errno::NOSYS) => openat(dir, path, flags, Mode::empty()),
            opened => opened,
        }
    }

    impl PlannedDir {
        /// Opens it, if the path still leads to the directory that is meant.
        pub(crate) fn open(&self) -> Result<OwnedFd, Failure> {
            let opened = open_without_links(&self.path).map_err(|error| self.unusable(&error))?;
            self.check(opened)
        }

        fn unusable(&self, error: &dyn std::fmt::Display) -> Failure {
            let (path, why) = (self.path.display(), error.to_string().to_lowercase());
            Failure::new(format!("cannot set up the sandbox: directory `{path}`: {why}"))
        }

        /// The same directory, with its id.
        pub(crate) fn identified(&self) -> Result<PlannedDir, Failure> {
            let found = File::from(self.open()?).metadata().map_err(|error| self.unusable(&error))?;
            Ok(PlannedDir { path: self.path.clone(), id: Some(DirectoryId::of(&found)) })
        }

        /// Makes sure that an opened directory is the one that is meant.
        pub(crate) fn check(&self, opened: OwnedFd) -> Result<OwnedFd, Failure> {
            let opened = File::from(opened);
            let found = opened.metadata().map_err(|error| self.unusable(&error))?;
            match self.id {
                Some(id) if id != DirectoryId::of(&found) => Err(Failure::new(format!(
                    "`{}` was exchanged for another directory",
                    self.path.display()
                ))),
                _ => Ok(opened.into()),
            }
        }
    }
}

#[cfg(target_os = "linux")]
pub(crate) use opening::{find_below, find_without_links, open_without_links, read_without_links};
