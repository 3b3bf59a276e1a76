//! Paths without links, and paths that contain others.

use std::path::{Path, PathBuf};

/// Without those in another one: they are hidden with it, and cannot be mounted over any more.
pub(super) fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort_unstable();
    paths.dedup_by(|path, before| path.starts_with(before));
    paths
}

/// The path without links. Of one that does not exist, the part that does.
pub(super) fn real_path(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), _, _) => real,
        (Err(_), Some(parent), Some(name)) => real_path(parent).join(name),
        (Err(_), _, _) => path.to_owned(),
    }
}
