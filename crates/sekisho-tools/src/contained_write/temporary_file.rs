//! The file that holds the new contents until it is renamed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, Uid, XattrFlags, fchmod, fchown, fremovexattr, fsetxattr, fstat, fsync,
    linkat, openat, renameat, statat, unlinkat,
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

/// A file without a name, or with a random one where the file system needs one. Then it is removed when it is dropped,
/// unless it was renamed. A process that is killed while it writes leaves only a file with a name behind.
pub(super) struct TemporaryFile<'d> {
    directory: &'d OwnedFd,
    name: Option<String>,
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
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed_file(directory, mode) {
            return Ok(TemporaryFile { directory, name: None, file, is_renamed: false });
        }
        TemporaryFile::open_named(directory, mode)
    }

    fn open_named(directory: &'d OwnedFd, mode: Mode) -> Result<TemporaryFile<'d>, WriteError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (name, file) = with_random_name(|name| openat(directory, name, flags, mode))
            .map_err(|error| WriteError::Io(WriteStep::Write, error))?;
        Ok(TemporaryFile { directory, name: Some(name), file: file.into(), is_renamed: false })
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
        // Before the mode is set: its group bits would become the mask of an ACL that the directory gave to this file.
        self.remove_acl()?;
        fchmod(&self.file, Mode::from_raw_mode(mode))?;
        if let Some(acl) = acl {
            // If the ACL cannot be set, everybody but the owner has fewer permissions than before, never more.
            let _ = fsetxattr(&self.file, ACL, acl, XattrFlags::empty());
        }
        Ok(())
    }

    fn remove_acl(&self) -> Result<(), Errno> {
        match fremovexattr(&self.file, ACL) {
            // There is none, or the file system has none.
            Err(Errno::OPNOTSUPP | Errno::NODATA) => Ok(()),
            // Other systems have ACLs of another kind, which no mode changes.
            Err(_) if cfg!(not(target_os = "linux")) => Ok(()),
            removed => removed,
        }
    }

    /// Gives the file its name. With `replace`, a file of that name is replaced; otherwise no file of that name may exist.
    pub(super) fn rename(mut self, to: &OsStr, replace: bool) -> Result<(), WriteError> {
        let renamed = if replace {
            let name = self.random_name().map_err(|error| WriteError::Io(WriteStep::Rename, error))?;
            renameat(self.directory, name, self.directory, to)
        } else {
            match &self.name {
                Some(name) => self.rename_to_free_name(name, to),
                None => link_unnamed(&self.file, self.directory, to),
            }
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

    /// The random name. A file without a name gets one.
    fn random_name(&mut self) -> io::Result<String> {
        let name = match self.name.take() {
            Some(name) => name,
            None => {
                let link = |name: &str| link_unnamed(&self.file, self.directory, OsStr::new(name));
                with_random_name(link)?.0
            }
        };
        self.name = Some(name.clone());
        Ok(name)
    }

    fn rename_to_free_name(&self, name: &str, to: &OsStr) -> Result<(), Errno> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            let flags = RenameFlags::NOREPLACE;
            match renameat_with(self.directory, name, self.directory, to, flags) {
                // Not every file system supports RENAME_NOREPLACE.
                Err(Errno::INVAL | Errno::NOSYS) => {}
                renamed => return renamed,
            }
        }
        linkat(self.directory, name, self.directory, to, AtFlags::empty())?;
        unlinkat(self.directory, name, AtFlags::empty())
    }
}

/// Calls a function with a random name, and with another one while it says that the name exists.
fn with_random_name<T>(make: impl Fn(&str) -> Result<T, Errno>) -> io::Result<(String, T)> {
    for _ in 0..ATTEMPTS {
        let random = getrandom::u64().map_err(io::Error::other)?;
        let name = format!(".sekisho-{random:016x}.tmp");
        match make(&name) {
            Ok(made) => return Ok((name, made)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::EXIST.into())
}

/// A file in a directory, without a name. `None` where the file system has no such files, or where `/proc`, which
/// gives it a name later, does not show it.
#[cfg(target_os = "linux")]
fn unnamed_file(directory: &OwnedFd, mode: Mode) -> Option<File> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = openat(directory, ".", flags, mode).ok()?;
    let shown = rustix::fs::stat(path_of(&file)).ok()?;
    is_same_file(&shown, &fstat(&file).ok()?).then(|| File::from(file))
}

/// Gives a file its first name.
fn link_unnamed(file: &File, directory: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    linkat(CWD, path_of(file), directory, name, AtFlags::SYMLINK_FOLLOW)
}

fn path_of(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if let Some(name) = self.name.take().filter(|_| !self.is_renamed) {
            // Only if the name is still ours: another file of that name is not ours to remove.
            let ours = fstat(&self.file);
            let named = statat(self.directory, &name, AtFlags::SYMLINK_NOFOLLOW);
            if let (Ok(ours), Ok(named)) = (ours, named)
                && is_same_file(&ours, &named)
            {
                let _ = unlinkat(self.directory, &name, AtFlags::empty());
            }
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn directory() -> (tempfile::TempDir, OwnedFd) {
        // Not every file system has files without names. This one has.
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let opened = fs::File::open(directory.path()).unwrap().into();
        (directory, opened)
    }

    /// So that a process that is killed leaves nothing behind.
    #[test]
    fn file_has_no_name_while_it_is_written() {
        let (directory, opened) = directory();
        fs::write(directory.path().join("old"), "old").unwrap();
        for (to, replace) in [("new", false), ("old", true)] {
            let before = names(directory.path());
            let temporary = TemporaryFile::create(&opened, &[b"a", b"b"], None).unwrap();
            assert_eq!(names(directory.path()), before);
            temporary.rename(OsStr::new(to), replace).unwrap();
            assert_eq!(fs::read_to_string(directory.path().join(to)).unwrap(), "ab");
        }
        assert_eq!(names(directory.path()), ["new", "old"]);
        let temporary = TemporaryFile::create(&opened, &[b"x"], None).unwrap();
        assert!(matches!(temporary.rename(OsStr::new("old"), false), Err(WriteError::Exists)));
        assert_eq!(fs::read_to_string(directory.path().join("old")).unwrap(), "ab");
    }

    #[test]
    fn file_with_a_name_is_renamed_or_removed() {
        let (directory, opened) = directory();
        fs::write(directory.path().join("old"), "old").unwrap();
        for (to, replace) in [("new", false), ("old", true)] {
            let mut temporary = TemporaryFile::open_named(&opened, NEW_FILE).unwrap();
            temporary.file.write_all(b"ab").unwrap();
            assert_eq!(names(directory.path()).len(), 2 + usize::from(replace));
            temporary.rename(OsStr::new(to), replace).unwrap();
            assert_eq!(fs::read_to_string(directory.path().join(to)).unwrap(), "ab");
        }
        let temporary = TemporaryFile::open_named(&opened, NEW_FILE).unwrap();
        assert!(matches!(temporary.rename(OsStr::new("old"), false), Err(WriteError::Exists)));
        assert_eq!(names(directory.path()), ["new", "old"]);
    }
}
