//! The private temporary directory of a program.
//!
//! Whoever may write its parent can exchange it for a link at any time. So it is known by its id from the moment it
//! is created, its path is never resolved again, and the helper takes no other directory.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, open, openat, unlinkat};
use rustix::io::Errno;

use crate::sandbox::{DirectoryId, HelperPlan, PlannedDir};

/// How many random names are tried.
const ATTEMPTS: usize = 8;

/// The parent need not be readable.
#[cfg(target_os = "linux")]
const OPEN_PARENT: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const OPEN_PARENT: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A new, empty directory that only this user can open. The helper removes what a program leaves in it; dropping
/// this removes the directory if it is empty.
#[derive(Debug)]
pub struct TemporaryDir {
    parent: OwnedFd,
    name: String,
    path: PathBuf,
    id: DirectoryId,
}

impl TemporaryDir {
    /// Creates it in the directory for temporary files.
    pub fn create() -> io::Result<TemporaryDir> {
        TemporaryDir::create_in(&std::env::temp_dir())
    }

    fn create_in(parent: &Path) -> io::Result<TemporaryDir> {
        let place = parent.canonicalize()?;
        let parent = open(&place, OPEN_PARENT, Mode::empty())?;
        for _ in 0..ATTEMPTS {
            let name = format!("sekisho-{:016x}", getrandom::u64().map_err(io::Error::other)?);
            match mkdirat(&parent, &name, Mode::RWXU) {
                Err(Errno::EXIST) => continue,
                made => made?,
            }
            let found = File::from(openat(&parent, &name, OPEN, Mode::empty())?).metadata()?;
            let is_private = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0;
            if !is_private {
                return Err(io::Error::other("the temporary directory was exchanged for another one"));
            }
            let path = place.join(&name);
            return Ok(TemporaryDir { parent, name, path, id: DirectoryId::of(&found) });
        }
        Err(io::Error::other("no free name for a temporary directory was found"))
    }

    /// Where it is, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it to the program of a plan.
    pub fn add_to(&self, plan: &mut HelperPlan) {
        plan.writable.push(PlannedDir { path: self.path.clone(), id: Some(self.id) });
        plan.temporary = Some(self.path.clone());
    }
}

impl Drop for TemporaryDir {
    fn drop(&mut self) {
        let named = openat(&self.parent, &self.name, OPEN, Mode::empty());
        let named = named.map_err(io::Error::from).and_then(|dir| File::from(dir).metadata());
        if named.is_ok_and(|found| DirectoryId::of(&found) == self.id) {
            let _ = unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn exchanged_directory_keeps_its_id_and_stays() {
        let place = tempfile::tempdir().unwrap();
        let (kept, victim) = (place.path().join("kept"), place.path().join("victim"));
        fs::create_dir(&victim).unwrap();
        let temporary = TemporaryDir::create_in(place.path()).unwrap();
        let path = temporary.path().to_owned();
        fs::rename(&path, &kept).unwrap();
        symlink(&victim, &path).unwrap();
        let mut plan = HelperPlan::default();
        temporary.add_to(&mut plan);
        let id = DirectoryId::of(&fs::metadata(&kept).unwrap());
        assert_eq!(plan.writable, [PlannedDir { path: path.clone(), id: Some(id) }]);
        drop(temporary);
        assert!(victim.is_dir() && kept.is_dir() && path.is_symlink());
    }

    #[test]
    fn empty_directory_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let temporary = TemporaryDir::create_in(place.path()).unwrap();
        assert_eq!(fs::metadata(temporary.path()).unwrap().mode() & 0o777, 0o700);
        drop(temporary);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
