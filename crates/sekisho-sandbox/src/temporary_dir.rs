//! The removal of the program's temporary directory, whatever the program left in it.
//!
//! The directory is opened before the program starts. Everything is removed through that handle, without following
//! links, so if somebody puts another directory in its place, that one is not touched. Directories without
//! permissions and trees of any depth are removed: each directory is moved up before it is emptied, so neither path
//! lengths nor the number of open descriptors grow with the depth. Another program may put files there all the time,
//! so the removal gives up after a while.

use std::ffi::{CStr, OsString};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, chmod, fstat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::planned_dir::{PlannedDir, open_without_links};

/// A directory that [`remove`](Self::remove) removes with everything in it.
pub(crate) struct TemporaryDir {
    parent: OwnedFd,
    name: OsString,
    dir: OwnedFd,
}

/// How long [`TemporaryDir::remove`] takes at most.
const LONGEST_REMOVAL: Duration = Duration::from_secs(10);

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl TemporaryDir {
    /// Opens it, if the path still leads to the directory that was created.
    pub(crate) fn open(dir: &PlannedDir) -> Result<TemporaryDir, Failure> {
        let (Some(parent), Some(name)) = (dir.path.parent(), dir.path.file_name()) else {
            return Err(Failure::new("temporary directory: it has no name"));
        };
        let parent = open_without_links(parent).map_err(Failure::of("temporary directory"))?;
        let opened =
            openat(&parent, name, OPEN, Mode::empty()).map_err(Failure::of("temporary directory"))?;
        Ok(TemporaryDir { parent, name: name.to_owned(), dir: dir.check(opened)? })
    }

    /// Removes it, as far as this user can in some seconds. Call it when the program does not use it any more.
    pub(crate) fn remove(self) {
        self.remove_within(LONGEST_REMOVAL);
    }

    fn remove_within(self, limit: Duration) {
        let _ = rustix::fs::fchmod(&self.dir, Mode::RWXU);
        let mut removal = Removal { top: &self.dir, moved: 0, start: Instant::now(), limit };
        // Ends when a round finds nothing to do, which is when all is gone or nothing more can be removed.
        while removal.empty(&self.dir).is_ok_and(|progress| progress) && !removal.is_late() {}
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

/// The removal of everything in a directory.
struct Removal<'d> {
    top: &'d OwnedFd,
    /// The number in the name of the directory that was moved last.
    moved: u64,
    start: Instant,
    limit: Duration,
}

impl Removal<'_> {
    fn is_late(&self) -> bool {
        self.start.elapsed() >= self.limit
    }

    /// Removes the files in `dir`. Subdirectories of `top` are emptied and removed; subdirectories further down are
    /// first moved up into `top`.
    /// Returns whether anything was removed or moved.
    fn empty(&mut self, dir: &OwnedFd) -> Result<bool, Errno> {
        let is_top = std::ptr::eq(dir, self.top);
        let mut progress = false;
        for entry in Dir::read_from(dir)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            if self.is_late() {
                break;
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
                progress |= opened.and_then(|inner| self.empty(&inner)).unwrap_or(false);
                progress |= unlinkat(dir, name, AtFlags::REMOVEDIR).is_ok();
            } else {
                progress |= self.move_up(dir, name);
            }
        }
        Ok(progress)
    }

    /// Moves a directory to `top`, under a name that is free.
    fn move_up(&mut self, dir: &OwnedFd, name: &CStr) -> bool {
        while !self.is_late() {
            self.moved += 1;
            match renameat(dir, name, self.top, format!("moved-{}", self.moved).as_str()) {
                Ok(()) => return true,
                // A name that the program has used too.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                Err(_) => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planned_dir::DirectoryId;
    use rustix::fs::open;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

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

    /// Another program may go on writing to it.
    #[test]
    fn removal_ends_while_files_are_added() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().canonicalize().unwrap().join("temporary");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("file"), "").unwrap();
        TemporaryDir::open(&path.clone().into()).unwrap().remove_within(Duration::ZERO);
        assert!(path.join("file").exists(), "no time is left");
        let dir = TemporaryDir::open(&path.clone().into()).unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let is_done = done.clone();
        let flood = std::thread::spawn(move || {
            let start = Instant::now();
            for number in 0_u64.. {
                if is_done.load(Ordering::Relaxed) || start.elapsed().as_secs() > 60 {
                    break;
                }
                let _ = fs::create_dir(&path);
                let _ = fs::write(path.join(number.to_string()), "");
            }
        });
        let start = Instant::now();
        dir.remove_within(Duration::from_millis(50));
        assert!(start.elapsed().as_secs() < 50, "it ended after the flood only");
        done.store(true, Ordering::Relaxed);
        flood.join().unwrap();
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
        let dir = PlannedDir { path: path.clone(), id: Some(id) };
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
        let linked = PlannedDir { path: root.join("link/temporary"), id: Some(id) };
        assert!(TemporaryDir::open(&linked).is_err() && linked.open().is_err(), "behind a link");
        assert!(TemporaryDir::open(&dir).is_ok() && dir.open().is_ok());
    }
}
