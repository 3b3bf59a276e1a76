//! Where a path leads, for every process.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// How many links the kernel follows on one path.
const MOST_LINKS: usize = 40;
const PROC: &str = "/proc";

/// Follows all links of a path. A link of the kernel, such as `/proc/self/cwd`, leads elsewhere in each process: the path
/// ends there, so `link/to/proc/self/cwd/a` is `/proc/self/cwd/a`, which is protected.
pub(crate) fn link_target(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize();
    // Most paths have no links. Standard input and its like are named on purpose.
    if real.as_deref().is_ok_and(|real| real == path) || path.starts_with("/dev") {
        return real;
    }
    kernel_link(path).map_or(real, Ok)
}

/// Whether a path leads elsewhere in each process.
pub(crate) fn is_of_process(target: &Path) -> bool {
    target.starts_with(PROC)
}

/// The path from the first link of the kernel on.
fn kernel_link(path: &Path) -> Option<PathBuf> {
    let mut left: Vec<OsString> = Vec::new();
    let push = |left: &mut Vec<OsString>, path: &Path| {
        left.extend(path.components().rev().map(|component| component.as_os_str().to_owned()));
    };
    push(&mut left, path);
    let (mut reached, mut links) = (PathBuf::new(), 0);
    while let Some(name) = left.pop() {
        match Path::new(&name).components().next() {
            Some(Component::RootDir) => reached = PathBuf::from("/"),
            Some(Component::ParentDir) => {
                reached.pop();
            }
            Some(Component::Normal(name)) => {
                let next = reached.join(name);
                let target = next.read_link();
                // A process that does not run yet has no directory there, and those of others cannot be read.
                let is_plain = || next.symlink_metadata().is_ok_and(|metadata| !metadata.is_symlink());
                if reached.starts_with(PROC) && (target.is_ok() || !is_plain()) {
                    return Some(left.iter().rev().fold(next, |path, name| path.join(name)));
                }
                let Ok(target) = target else {
                    reached = next;
                    continue;
                };
                links += 1;
                if links > MOST_LINKS {
                    return None;
                }
                push(&mut left, &target);
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_of_the_kernel_end_the_path() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().canonicalize().unwrap();
        fs::create_dir(top.join("real")).unwrap();
        fs::write(top.join("real/a"), "").unwrap();
        for (link, target) in [
            ("plain", "real/a"),
            ("cwd", "/proc/self/cwd/a/b"),
            ("thread", "/proc/thread-self/cwd"),
            ("far", "cwd"),
            ("descriptor", "/dev/fd/3"),
            ("lost", "/proc/self/cwd/absent"),
            ("later", "/proc/4194305/environ"),
            ("process", "/proc/4194305"),
            ("round", "round"),
        ] {
            symlink(target, top.join(link)).unwrap();
        }
        let check = |path: &str, expected: &str| {
            assert_eq!(link_target(&top.join(path)).unwrap(), top.join(expected), "{path}");
        };
        check("plain", "real/a");
        check("real/../plain", "real/a");
        check("cwd", "/proc/self/cwd/a/b");
        check("cwd/c", "/proc/self/cwd/a/b/c");
        check("far", "/proc/self/cwd/a/b");
        check("real/../far", "/proc/self/cwd/a/b");
        check("thread/x", "/proc/thread-self/cwd/x");
        check("descriptor", "/proc/self/fd/3");
        check("lost", "/proc/self/cwd/absent");
        check("later", "/proc/4194305/environ");
        check("process/environ", "/proc/4194305/environ");
        assert!(link_target(&top.join("round")).is_err() && link_target(&top.join("absent")).is_err());
        assert_eq!(link_target(Path::new("/proc/self/cwd/x")).unwrap(), Path::new("/proc/self/cwd/x"));
        assert!(is_of_process(Path::new("/proc/self")) && !is_of_process(&top));
    }
}
