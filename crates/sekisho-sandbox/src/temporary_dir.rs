//! The removal of the program's temporary directory, whatever the program left in it.
//!
//! It is opened before the program starts, and everything is removed beneath that handle and without following
//! links, so that another directory in its place stays untouched. Directories
//! without permissions and trees of any depth are removed: each directory is moved up before it is emptied, so
//! neither paths nor open descriptors add up.

use std::ffi::{CStr, OsString};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, chmod, fstat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::writable_dir::{WritableDir, open_without_links};

/// A directory that [`remove`](Self::remove) removes with everything in it.
pub(crate) struct TemporaryDir {
    parent: OwnedFd,
    name: OsString,
    dir: OwnedFd,
}

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl TemporaryDir {
    /// Opens it, if the path still leads to the directory that was created.
    pub(crate) fn open(dir: &WritableDir) -> Result<TemporaryDir, Failure> {
        let (Some(parent), Some(name)) = (dir.path.parent(), dir.path.file_name()) else {
            return Err(Failure::new("temporary directory: it has no name"));
        };
        let parent = open_without_links(parent).map_err(Failure::of("temporary directory"))?;
        let opened =
            openat(&parent, name, OPEN, Mode::empty()).map_err(Failure::of("temporary directory"))?;
        Ok(TemporaryDir { parent, name: name.to_owned(), dir: dir.check(opened)? })
    }

    /// Removes it, as far as this user can. Call it when nothing uses the directory any more.
    pub(crate) fn remove(self) {
        let _ = rustix::fs::fchmod(&self.dir, Mode::RWXU);
        let mut moved = 0;
        // Ends when a round finds nothing to do, which is when all is gone or nothing more can be removed.
        while empty(&self.dir, &self.dir, &mut moved).is_ok_and(|progress| progress) {}
        let own = fstat(&self.dir).map(|found| (found.st_dev, found.st_ino));
        let named = statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        if own.is_ok() && own == named.map(|found| (found.st_dev, found.st_ino)) {
            let _ = unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR);
        }
    }
}

/// Gives the owner access to a directory. A link is not followed.
fn make_accessible(dir: &OwnedFd, name: &CStr) {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if let Ok(found) = openat(dir, name, flags, Mode::empty()) {
        let _ = chmod(format!("/proc/self/fd/{}", found.as_raw_fd()), Mode::RWXU);
    }
}

/// Removes the files of a directory, and its directories where they are in `top`; others are moved to `top`.
/// Returns whether anything was removed or moved.
fn empty(dir: &OwnedFd, top: &OwnedFd, moved: &mut u64) -> Result<bool, Errno> {
    let is_top = std::ptr::eq(dir, top);
    let mut progress = false;
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let is_dir = match entry.file_type() {
            FileType::Unknown => unlinkat(dir, name, AtFlags::empty()) == Err(Errno::ISDIR),
            kind => kind == FileType::Directory,
        };
        if !is_dir {
            progress |= unlinkat(dir, name, AtFlags::empty()).is_ok();
            continue;
        }
        if unlinkat(dir, name, AtFlags::REMOVEDIR).is_ok() {
            progress = true;
            continue;
        }
        make_accessible(dir, name);
        if is_top {
            let opened = openat(dir, name, OPEN, Mode::empty());
            progress |= opened.and_then(|inner| empty(&inner, top, moved)).unwrap_or(false);
            progress |= unlinkat(dir, name, AtFlags::REMOVEDIR).is_ok();
        } else {
            progress |= loop {
                *moved += 1;
                match renameat(dir, name, top, format!("moved-{moved}").as_str()) {
                    Ok(()) => break true,
                    // A name that the program has used too.
                    Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                    Err(_) => break false,
                }
            };
        }
    }
    Ok(progress)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writable_dir::DirectoryId;
    use rustix::fs::open;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    fn remove(path: &Path, prepare: impl FnOnce(&Path)) -> bool {
        let dir = TemporaryDir::open(&path.canonicalize().unwrap().into()).unwrap();
        prepare(path);
        dir.remove();
        fs::symlink_metadata(path).is_err()
    }

    #[test]
    fn whatever_was_left_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("temporary");
        fs::create_dir(&path).unwrap();
        fs::write(parent.path().join("outside"), "kept").unwrap();
        assert!(remove(&path, |path| {
            fs::create_dir_all(path.join("closed/inner")).unwrap();
            fs::write(path.join("closed/inner/file"), "x").unwrap();
            fs::create_dir(path.join("moved-1")).unwrap();
            fs::write(path.join("moved-2"), "x").unwrap();
            symlink(parent.path(), path.join("link")).unwrap();
            symlink("/", path.join("closed/link")).unwrap();
            for closed in ["closed/inner", "closed", ""] {
                fs::set_permissions(path.join(closed), fs::Permissions::from_mode(0o000)).unwrap();
            }
        }));
        assert_eq!(fs::read_to_string(parent.path().join("outside")).unwrap(), "kept");
    }

    /// Deeper than a path can be long, and than descriptors can be open.
    #[test]
    fn deep_trees_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("temporary");
        fs::create_dir(&path).unwrap();
        assert!(remove(&path, |path| {
            let mut dir = open(path, OPEN, Mode::empty()).unwrap();
            for _ in 0..1200 {
                rustix::fs::mkdirat(&dir, "a directory", Mode::RWXU).unwrap();
                dir = openat(&dir, "a directory", OPEN, Mode::empty()).unwrap();
            }
        }));
    }

    #[test]
    fn directory_in_its_place_stays() {
        let parent = tempfile::tempdir().unwrap();
        let (path, victim) = (parent.path().join("temporary"), parent.path().join("victim"));
        fs::create_dir(&path).unwrap();
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join("file"), "kept").unwrap();
        let removed = remove(&path, |path| {
            fs::rename(path, parent.path().join("elsewhere")).unwrap();
            symlink(&victim, path).unwrap();
        });
        assert!(!removed && victim.join("file").exists(), "the link and its target stay");
    }

    #[test]
    fn exchanged_directory_is_not_opened() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().canonicalize().unwrap();
        let (path, victim) = (root.join("temporary"), root.join("victim"));
        fs::create_dir(&path).unwrap();
        fs::create_dir(&victim).unwrap();
        let id = DirectoryId::of(&fs::metadata(&path).unwrap());
        let dir = WritableDir { path: path.clone(), id: Some(id) };
        assert!(TemporaryDir::open(&dir).is_ok() && dir.open().is_ok());
        fs::rename(&path, root.join("elsewhere")).unwrap();
        symlink(&victim, &path).unwrap();
        assert!(TemporaryDir::open(&dir).is_err() && dir.open().is_err(), "a link");
        fs::remove_file(&path).unwrap();
        fs::rename(&victim, &path).unwrap();
        assert!(TemporaryDir::open(&dir).is_err() && dir.open().is_err(), "another directory");
        symlink(&root, root.join("link")).unwrap();
        fs::rename(&path, &victim).unwrap();
        fs::rename(root.join("elsewhere"), &path).unwrap();
        let linked = WritableDir { path: root.join("link/temporary"), id: Some(id) };
        assert!(TemporaryDir::open(&linked).is_err() && linked.open().is_err(), "behind a link");
        assert!(TemporaryDir::open(&dir).is_ok() && dir.open().is_ok());
    }
}
