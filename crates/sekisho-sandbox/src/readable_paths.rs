//! The paths that together hold every file except the hidden ones.
//!
//! Landlock knows only what is allowed. So beside each directory on the way to a hidden path, all others are
//! allowed. A file that somebody creates there later, outside the writable directories, cannot be read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::planned_dir::PlannedDir;

/// The outermost files and directories without a hidden one in them. Links are left out: what counts is where
/// they lead.
pub(crate) fn list(hidden: &[&Path]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("/")];
    while let Some(dir) = open.pop() {
        // What cannot be listed is not readable.
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if hidden.contains(&path.as_path()) || entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            match hidden.iter().any(|hidden| hidden.starts_with(&path)) {
                true => open.push(path),
                false => found.push(path),
            }
        }
    }
    found
}

/// A path that the program may read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReadablePath<'p> {
    /// Absolute.
    pub(crate) path: PathBuf,
    /// The directory of the plan that it is, or lies in. None if the plan allows all paths.
    pub(crate) dir: Option<&'p PlannedDir>,
}

/// Those parts of the paths that are also in `readable`. All of them if it is empty.
pub(crate) fn within(readable: &[PlannedDir], paths: Vec<PathBuf>) -> Vec<ReadablePath<'_>> {
    if readable.is_empty() {
        return paths.into_iter().map(|path| ReadablePath { path, dir: None }).collect();
    }
    let mut found = Vec::new();
    for path in paths {
        if let Some(dir) = readable.iter().find(|dir| path.starts_with(&dir.path)) {
            found.push(ReadablePath { path, dir: Some(dir) });
        } else {
            let inside = readable.iter().filter(|dir| dir.path.starts_with(&path));
            found.extend(inside.map(|dir| ReadablePath { path: dir.path.clone(), dir: Some(dir) }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_common_parts_are_readable() {
        let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
        for (readable, listed, expected) in [
            (&[][..], &["/usr", "/home/a"][..], &["/usr", "/home/a"][..]),
            (&["/usr", "/home/a/work"], &["/usr", "/home/a", "/etc"], &["/usr", "/home/a/work"]),
            (&["/home"], &["/usr", "/home/a", "/home/b/c"], &["/home/a", "/home/b/c"]),
            (&["/home/secret"], &["/home/other"], &[]),
        ] {
            let dirs: Vec<PlannedDir> = paths(readable).into_iter().map(PlannedDir::from).collect();
            let found: Vec<PathBuf> =
                within(&dirs, paths(listed)).into_iter().map(|found| found.path).collect();
            assert_eq!(found, paths(expected), "{readable:?}");
        }
    }

    #[test]
    fn everything_beside_hidden_paths_is_listed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["state/secret", "state/other/x", "project"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink(root.join("state/secret"), root.join("link")).unwrap();
        let (secret, missing) = (root.join("state/secret"), root.join("state/other/x/missing"));
        let mut found = list(&[&secret, &missing, Path::new("/dev")]);
        found.sort();
        let below: Vec<&Path> = found.iter().filter_map(|path| path.strip_prefix(&root).ok()).collect();
        assert_eq!(below, [Path::new("file"), Path::new("project")]);
        assert!(found.iter().all(|path| !root.starts_with(path) && !path.starts_with("/dev")), "{found:?}");
        assert!(found.contains(&PathBuf::from("/etc")) && found.contains(&PathBuf::from("/proc")));
    }
}
