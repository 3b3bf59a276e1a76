//! A directory that a person named, such as the root of a project, without links that a sandboxed command could have
//! made.
//!
//! A command that may write a directory on the way can put a link there, and so choose which project is meant. So a
//! link is followed only where this user can change neither the directory that contains it nor one above: there the
//! system or an administrator made it. The root directory counts as such for every user, because no command may write
//! it: `/tmp` and `/home` are links on some machines.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::process::geteuid;

use crate::error::HostError;

/// How many links are followed.
const MOST_LINKS: usize = 40;

/// The path of an existing directory without links, or why it is not accepted.
pub(crate) fn named_directory(path: &Path) -> Result<PathBuf, HostError> {
    named_directory_where(path, can_change)
}

/// `can_change`: whether this user can change the contents of a directory.
fn named_directory_where(path: &Path, can_change: impl Fn(&Path) -> bool) -> Result<PathBuf, HostError> {
    let io = |error: std::io::Error| HostError::io(path, &error);
    let mut real = PathBuf::from("/");
    // Nobody but others can change the directories so far.
    let mut is_fixed = true;
    let mut links = 0;
    let mut left = names(&std::path::absolute(path).map_err(io)?);
    while let Some(name) = left.pop() {
        if name == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&name);
        if !next.symlink_metadata().map_err(io)?.is_symlink() {
            real = next;
            is_fixed = is_fixed && !can_change(&real);
            continue;
        }
        links += 1;
        if !is_fixed || links > MOST_LINKS {
            let there = path.canonicalize().map_err(io)?;
            return Err(HostError::file(
                path,
                format!(
                    "`{}` is a link that a command could have made; if it is yours, name the directory itself: `{}`",
                    next.display(),
                    there.display()
                ),
            ));
        }
        let target = next.read_link().map_err(io)?;
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        left.extend(names(&target));
    }
    if real.symlink_metadata().map_err(io)?.is_dir() {
        Ok(real)
    } else {
        Err(HostError::file(path, "not a directory"))
    }
}

/// The names of a path, the last one first. `..` is one of them.
fn names(path: &Path) -> Vec<OsString> {
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    path.components().rev().filter(is_name).map(|part| part.as_os_str().to_owned()).collect()
}

fn can_change(dir: &Path) -> bool {
    let is_own = dir.symlink_metadata().is_ok_and(|found| found.uid() == geteuid().as_raw());
    is_own || access(dir, Access::WRITE_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// `own` is a directory that commands may write, `system` is not.
    fn check(path: &str, expected: Result<&str, &str>) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in ["own/project/doc", "own/other/project", "system/data/home/project"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        for (target, link) in [
            ("project", "own/link"),
            ("data/home", "system/home"),
            ("../own/link", "system/to-own-link"),
            ("home/project", "system/twice"),
            ("loop", "system/loop"),
        ] {
            symlink(target, top.join(link)).unwrap();
        }
        fs::write(top.join("own/file"), "").unwrap();
        let own = top.join("own");
        let found = named_directory_where(&top.join(path), |dir| dir.starts_with(&own));
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, top.join(expected), "{path}"),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{path}: {error}"),
            (found, _) => panic!("{path}: {found:?}"),
        }
    }

    #[test]
    fn only_links_that_no_command_can_make_are_followed() {
        check("own/project", Ok("own/project"));
        check("own/project/../project/./doc", Ok("own/project/doc"));
        check("own/link", Err("own/link` is a link that a command could have made"));
        check("own/link/doc", Err("name the directory itself: `"));
        check("system/home/project", Ok("system/data/home/project"));
        check("system/twice", Ok("system/data/home/project"));
        check("system/to-own-link", Err("own/link` is a link"));
        check("system/loop", Err("system/loop"));
        check("own/file", Err("not a directory"));
        check("own/missing", Err("no such file"));
    }

    #[test]
    fn own_directories_can_be_changed() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o500)).unwrap();
        assert!(can_change(dir.path()));
    }
}
