//! The writable directories, open while they are searched.
//!
//! A path can lead somewhere else at each use: another program may exchange a directory above for a link meanwhile. So
//! everything is looked up below an open directory, and that must be the one that is meant.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use sekisho_sandbox::{DirectoryId, PlannedDir};

use super::error::SandboxError;
use super::paths::outermost;
use crate::contained_write::{open_directory_beneath, open_without_links};

/// The outermost writable directories.
pub(super) struct SearchRoots(Vec<SearchRoot>);

struct SearchRoot {
    path: PathBuf,
    dir: OwnedFd,
}

impl SearchRoots {
    /// Opens them. No link is followed.
    pub(super) fn open(writable: &[PlannedDir]) -> Result<SearchRoots, SandboxError> {
        let mut roots = Vec::new();
        for path in outermost(writable.iter().map(|dir| dir.path.clone()).collect()) {
            let opened = open_without_links(&path).and_then(|opened| {
                let opened = File::from(opened);
                Ok((DirectoryId::of(&opened.metadata()?), opened))
            });
            let is_meant = |id: DirectoryId| {
                let ids = writable.iter().filter(|dir| dir.path == path).filter_map(|dir| dir.id);
                ids.into_iter().all(|wanted| wanted == id)
            };
            match opened {
                Ok((id, dir)) if is_meant(id) => roots.push(SearchRoot { path, dir: dir.into() }),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(SandboxError::Unreadable(path));
                }
                _ => return Err(SandboxError::Exchanged(path)),
            }
        }
        Ok(SearchRoots(roots))
    }

    /// None: everything is looked up by its path.
    pub(super) fn none() -> SearchRoots {
        SearchRoots(Vec::new())
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|root| root.path.as_path())
    }

    pub(super) fn is_root(&self, path: &Path) -> bool {
        self.paths().any(|root| root == path)
    }

    /// The writable directory that a path is below.
    pub(super) fn path_above(&self, path: &Path) -> Option<&Path> {
        self.paths().find(|root| path.starts_with(root) && path != *root)
    }

    /// A path that leads through the open directory, for a path at or below a writable directory. Others stay as they
    /// are.
    pub(super) fn opened(&self, path: &Path) -> PathBuf {
        let below = |root: &SearchRoot| {
            let below = path.strip_prefix(&root.path).ok()?;
            let opened = PathBuf::from(format!("/proc/self/fd/{}", root.dir.as_raw_fd()));
            // The number itself would be a link.
            Some(opened.join(if below.as_os_str().is_empty() { Path::new(".") } else { below }))
        };
        self.0.iter().find_map(below).unwrap_or_else(|| path.to_owned())
    }

    /// What is at a path, or the link that is there.
    pub(super) fn metadata(&self, path: &Path) -> io::Result<fs::Metadata> {
        fs::symlink_metadata(self.opened(path))
    }

    /// Whether a path leads to a directory below a writable one, and through no link.
    pub(super) fn is_directory_without_links(&self, path: &Path) -> bool {
        self.0.iter().any(|root| {
            let below = path.strip_prefix(&root.path);
            below.is_ok_and(|below| open_directory_beneath(root.dir.as_fd(), below).is_ok())
        })
    }
}
