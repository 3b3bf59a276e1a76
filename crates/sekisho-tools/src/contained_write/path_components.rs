//! Paths as lists of names.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// The length at which a path is too long for the kernel, in bytes.
const MAX_PATH: usize = 4096;

/// The path, relative to an absolute directory, without `.`, `..` and double slashes. `..` removes the name before
/// it, whatever that name is on disk: nothing beneath a root is reached through a link. `None` if the directory is
/// not absolute, or the path is empty, too long, or contains a NUL.
pub fn absolute(directory: &Path, path: &Path) -> Option<PathBuf> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() || bytes.len() >= MAX_PATH || bytes.contains(&0) {
        return None;
    }
    let joined = directory.join(path);
    let mut whole = PathBuf::from("/");
    for component in joined.has_root().then(|| joined.components())? {
        match component {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => {
                whole.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Some(whole)
}

/// Names to resolve one below the other. None is empty, `.` or `..`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names(Vec<OsString>);

impl Names {
    /// `None` if the path has a component that is not a name.
    pub(super) fn new(path: &Path) -> Option<Names> {
        let name = |component: Component<'_>| match component {
            Component::Normal(name) => Some(name.to_owned()),
            _ => None,
        };
        path.components().map(name).collect::<Option<_>>().map(Names)
    }

    /// The directories, and the last name.
    pub(super) fn split(&self) -> Option<(Names, &OsStr)> {
        let (last, before) = self.0.split_last()?;
        Some((Names(before.to_vec()), last))
    }

    pub(super) fn join(&self, more: &Names) -> Names {
        Names(self.0.iter().chain(&more.0).cloned().collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter().map(OsString::as_os_str)
    }

    /// A relative path; `.` for no names.
    pub(super) fn path(&self) -> PathBuf {
        if self.0.is_empty() { PathBuf::from(".") } else { self.0.iter().collect() }
    }
}
