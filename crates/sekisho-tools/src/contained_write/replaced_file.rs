//! The file that is about to be replaced.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fgetxattr, fstat, openat, statat};
use rustix::io::Errno;

use super::MAX_REWRITE;
use super::write_error::{FileKind, WriteError, WriteStep};

/// A regular file that this process may write to.
pub(super) struct ExistingFile {
    file: File,
    pub(super) stat: Stat,
    /// Its POSIX access control list, if it has one.
    pub(super) acl: Option<Vec<u8>>,
}

/// The extended attribute with the access control list of a file.
pub(super) const ACL: &str = "system.posix_acl_access";
/// The longest value of an extended attribute.
const LONGEST_ACL: usize = 64 << 10;

impl ExistingFile {
    /// The file of this name. `None` if there is no such file. Anything but a regular file is an error and is not opened.
    pub(super) fn find(
        directory: &OwnedFd,
        name: &OsStr,
        is_read: bool,
    ) -> Result<Option<ExistingFile>, WriteError> {
        let found = match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            found => found.map_err(WriteError::at(WriteStep::Open))?,
        };
        regular(&found)?;
        // It is opened for writing only to check the permission, because a rename would replace even a read-only
        // file. NONBLOCK: if a FIFO has taken its place, opening it does not wait.
        let access = if is_read { OFlags::RDWR } else { OFlags::WRONLY };
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = match openat(directory, name, flags, Mode::empty()) {
            Err(Errno::LOOP | Errno::NOENT | Errno::ISDIR | Errno::NXIO) => return Err(WriteError::Changed),
            opened => opened.map_err(WriteError::at(WriteStep::Open))?,
        };
        let stat = fstat(&opened).map_err(WriteError::at(WriteStep::Open))?;
        regular(&stat)?;
        let acl = read_acl(&opened);
        Ok(Some(ExistingFile { file: File::from(opened), stat, acl }))
    }

    /// Its contents, if they are not too large.
    pub(super) fn read(&mut self) -> Result<Vec<u8>, WriteError> {
        if u64::try_from(self.stat.st_size).unwrap_or(u64::MAX) > MAX_REWRITE {
            return Err(WriteError::TooLarge);
        }
        let mut contents = Vec::new();
        let read = (&self.file).take(MAX_REWRITE + 1).read_to_end(&mut contents);
        read.map_err(|error| WriteError::Io(WriteStep::Open, error))?;
        if contents.len() as u64 > MAX_REWRITE {
            return Err(WriteError::TooLarge);
        }
        Ok(contents)
    }

    /// Whether the name still belongs to the same file, with the same contents, judging by its size and modification time.
    pub(super) fn is_unchanged(&self, directory: &OwnedFd, name: &OsStr) -> bool {
        statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|now| {
            is_same_file(&now, &self.stat)
                && now.st_size == self.stat.st_size
                && (now.st_mtime, now.st_mtime_nsec) == (self.stat.st_mtime, self.stat.st_mtime_nsec)
        })
    }
}

fn read_acl(file: &OwnedFd) -> Option<Vec<u8>> {
    let mut acl = vec![0; LONGEST_ACL];
    let length = fgetxattr(file, ACL, acl.as_mut_slice()).ok()?;
    acl.truncate(length);
    Some(acl)
}

/// Whether both describe the same file.
pub(super) fn is_same_file(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

fn regular(stat: &Stat) -> Result<(), WriteError> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        kind => Err(WriteError::NotRegular(FileKind::of(kind))),
    }
}
