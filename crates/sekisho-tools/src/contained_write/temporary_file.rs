//! The file that holds the new contents until it is renamed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, Uid, XattrFlags, fchmod, fchown, fsetxattr, fstat, fsync, linkat, openat,
    renameat, statat, unlinkat,
};
use rustix::io::Errno;

use super::replaced_file::{ACL, ExistingFile, is_same_file};
use super::write_error::{WriteError, WriteStep};

/// The permissions of a new file, before the umask.
const NEW_FILE: Mode = Mode::from_raw_mode(0o644);
/// The permissions while the contents of an existing file are written.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);
/// The permission bits that are kept. Set-user-ID and set-group-ID are dropped, as the kernel does when a file is written
/// in place.
const KEPT: u32 = 0o777;
const GROUP: u32 = 0o070;
/// How many random names are tried.
const ATTEMPTS: usize = 8;

/// A file with a random name. It is removed when it is dropped, unless it was renamed.
pub(super) struct TemporaryFile<'d> {
    directory: &'d OwnedFd,
    name: String,
    file: File,
    is_renamed: bool,
}

impl<'d> TemporaryFile<'d> {
    /// Creates the file with these contents and, as far as this process may, with the owner and permissions of the file
    /// that it replaces.
    pub(super) fn create(
        directory: &'d OwnedFd,
        contents: &[&[u8]],
        replaces: Option<&ExistingFile>,
    ) -> Result<TemporaryFile<'d>, WriteError> {
        let failed = |error: io::Error| WriteError::Io(WriteStep::Write, error);
        let mut temporary =
            TemporaryFile::open(directory, if replaces.is_some() { PRIVATE } else { NEW_FILE })?;
        for part in contents {
            temporary.file.write_all(part).map_err(failed)?;
        }
        if let Some(old) = replaces {
            temporary.take_owner_and_mode(old).map_err(WriteError::at(WriteStep::Write))?;
        }
        temporary.file.sync_all().map_err(failed)?;
        Ok(temporary)
    }

    fn open(directory: &'d OwnedFd, mode: Mode) -> Result<TemporaryFile<'d>, WriteError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut failure = Errno::EXIST;
        for _ in 0..ATTEMPTS {
            let random = getrandom::u64()
                .map_err(|error| WriteError::Io(WriteStep::Write, io::Error::other(error)))?;
            let name = format!(".sekisho-{random:016x}.tmp");
            match openat(directory, &name, flags, mode) {
                Ok(file) => {
                    return Ok(TemporaryFile { directory, name, file: file.into(), is_renamed: false });
                }
                Err(Errno::EXIST) => {}
                Err(other) => {
                    failure = other;
                    break;
                }
            }
        }
        Err(WriteError::Io(WriteStep::Write, failure.into()))
    }

    fn take_owner_and_mode(&self, existing: &ExistingFile) -> Result<(), Errno> {
        let (old, new) = (&existing.stat, fstat(&self.file)?);
        let mut mode = old.st_mode & KEPT;
        let mut acl = existing.acl.as_ref();
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
            let (owner, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
            // Only root can give a file away. Others may still give it to one of their groups; if that fails
            // too, the file has a different group, which must not get the old group's permissions.
            let kept = fchown(&self.file, Some(owner), Some(group))
                .or_else(|_| fchown(&self.file, None, Some(group)));
            if kept.is_err() && new.st_gid != old.st_gid {
                mode &= !GROUP;
                acl = None;
            }
        }
        // If a file has an ACL, the group bits of its mode are the ACL's mask, not the permissions of the group.
        // So they are cleared here and set again with the ACL.
        if existing.acl.is_some() {
            mode &= !GROUP;
        }
        fchmod(&self.file, Mode::from_raw_mode(mode))?;
        if let Some(acl) = acl {
            // If the ACL cannot be set, everybody but the owner has fewer permissions than before, never more.
            let _ = fsetxattr(&self.file, ACL, acl, XattrFlags::empty());
        }
        Ok(())
    }

    /// Gives the file its name. With `replace`, a file of that name is replaced; otherwise no file of that name may exist.
    pub(super) fn rename(mut self, to: &OsStr, replace: bool) -> Result<(), WriteError> {
        let renamed = if replace {
            renameat(self.directory, &self.name, self.directory, to)
        } else {
            self.rename_to_free_name(to)
        };
        match renamed {
            Err(Errno::EXIST) => return Err(WriteError::Exists),
            Err(Errno::NOENT | Errno::ISDIR | Errno::NOTEMPTY) => return Err(WriteError::Changed),
            renamed => renamed.map_err(WriteError::at(WriteStep::Rename))?,
        }
        self.is_renamed = true;
        // Somebody may have exchanged the temporary file.
        let ours = fstat(&self.file).map_err(WriteError::at(WriteStep::Rename))?;
        let named = statat(self.directory, to, AtFlags::SYMLINK_NOFOLLOW);
        if !named.is_ok_and(|named| is_same_file(&named, &ours)) {
            return Err(WriteError::Changed);
        }
        match fsync(self.directory) {
            // Some file systems cannot sync directories.
            Err(Errno::INVAL) => Ok(()),
            synced => synced.map_err(WriteError::at(WriteStep::SyncDirectory)),
        }
    }

    fn rename_to_free_name(&self, to: &OsStr) -> Result<(), Errno> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            let flags = RenameFlags::NOREPLACE;
            match renameat_with(self.directory, &self.name, self.directory, to, flags) {
                // Not every file system supports RENAME_NOREPLACE.
                Err(Errno::INVAL | Errno::NOSYS) => {}
                renamed => return renamed,
            }
        }
        linkat(self.directory, &self.name, self.directory, to, AtFlags::empty())?;
        unlinkat(self.directory, &self.name, AtFlags::empty())
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            // Only if the name is still ours: another file of that name is not ours to remove.
            let ours = fstat(&self.file);
            let named = statat(self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW);
            if let (Ok(ours), Ok(named)) = (ours, named)
                && is_same_file(&ours, &named)
            {
                let _ = unlinkat(self.directory, &self.name, AtFlags::empty());
            }
        }
    }
}
