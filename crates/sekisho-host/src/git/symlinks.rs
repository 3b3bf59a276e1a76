//! Finds symbolic links in a git directory.
//!
//! Git follows them, and prints the contents of some of its files: `git status` prints `BISECT_START`, error
//! messages print `packed-refs`, `git worktree list` prints `worktrees/x/gitdir`. A link in place of one of
//! them makes git print any file. Git itself creates no links there.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat};
use rustix::io::Errno;
use sekisho_policy::RepositoryProblem as Problem;

use super::discovery::{GitDirKind, RepositoryPaths};
use super::scan::{Kind, RepositoryScan};

/// The most directory entries that are read.
const MOST_ENTRIES: usize = 50_000;
/// How deep directories in a git directory are followed.
const DEEPEST: u8 = 32;

/// Directories that read-only commands do not read, or that are checked elsewhere (hooks, submodules).
const UNREAD: &[&str] = &["annex", "hooks", "lfs", "modules", "rr-cache", "svn"];

/// Directories whose contents are always read.
const READ: &[&str] =
    &["branches", "info", "logs", "rebase-apply", "rebase-merge", "refs", "reftable", "remotes", "sequencer"];

impl RepositoryScan {
    /// Looks for links where git would follow one. Returns the shared files of a split index, found on the
    /// way.
    pub(super) fn scan_symlinks(&mut self, paths: &RepositoryPaths) -> Vec<PathBuf> {
        let mut shared = self.links_at_top(&paths.common);
        if paths.kind == GitDirKind::Linked {
            shared = self.links_at_top(&paths.git_dir);
        }
        let worktrees = paths.common.join("worktrees");
        for (name, kind) in self.entries_of(&worktrees, |_, kind| kind.is_symlink() || kind.is_dir()) {
            let path = worktrees.join(name);
            match kind {
                _ if kind.is_symlink() => self.add_finding(Problem::Link, &path),
                _ if path != paths.git_dir => {
                    self.links_at_top(&path);
                }
                _ => {}
            }
        }
        let objects = paths.common.join("objects");
        // The 256 directories of loose objects are not walked: git does not print what is not an object.
        self.links_in(&objects, 0);
        self.links_in(&objects.join("info"), DEEPEST);
        self.links_in(&objects.join("pack"), 0);
        shared
    }

    fn links_at_top(&mut self, git_dir: &Path) -> Vec<PathBuf> {
        let mut shared = Vec::new();
        let is = |list: &[&str], name: &[u8]| list.iter().any(|other| other.as_bytes() == name);
        let entries = self.entries_of(git_dir, |name, kind| {
            (kind.is_symlink() && !is(UNREAD, name))
                || (kind.is_dir() && is(READ, name))
                || name.starts_with(b"sharedindex.")
        });
        for (name, kind) in entries {
            let path = git_dir.join(&name);
            if kind.is_symlink() {
                self.add_finding(Problem::Link, &path);
            } else if kind.is_dir() && is(READ, name.as_bytes()) {
                self.links_in(&path, DEEPEST);
            } else {
                shared.push(path);
            }
        }
        shared
    }

    /// Looks for links in a directory and, for `levels` levels, below it.
    fn links_in(&mut self, directory: &Path, levels: u8) {
        let is_relevant = |_: &[u8], kind: FileType| kind.is_symlink() || (kind.is_dir() && levels > 0);
        for (name, kind) in self.entries_of(directory, is_relevant) {
            let path = directory.join(&name);
            if kind.is_symlink() {
                self.add_finding(Problem::Link, &path);
            } else if levels > 1 {
                self.links_in(&path, levels - 1);
            } else {
                self.add_finding(Problem::TooMuch, &path);
            }
        }
    }

    /// The entries of a directory that pass the filter; empty if there is no directory.
    fn entries_of(
        &mut self,
        directory: &Path,
        is_kept: impl Fn(&[u8], FileType) -> bool,
    ) -> Vec<(OsString, FileType)> {
        let mut found = Vec::new();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = match openat(CWD, directory, flags, Mode::empty()) {
            Ok(opened) => File::from(opened),
            Err(Errno::NOENT | Errno::NOTDIR) if self.kind(directory).0 == Kind::Absent => return found,
            Err(_) => {
                self.add_finding(Problem::Unreadable, directory);
                return found;
            }
        };
        self.stamp_open(directory, &opened);
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut entries = RawDir::new(&opened, &mut buffer);
        while let Some(entry) = entries.next() {
            let Ok(entry) = entry else {
                self.add_finding(Problem::Unreadable, directory);
                break;
            };
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                self.add_finding(Problem::TooMuch, directory);
                break;
            }
            // Some file systems do not report the type of an entry here.
            let kind = match entry.file_type() {
                FileType::Unknown => statat(&opened, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
                    .map(|found| FileType::from_raw_mode(found.st_mode)),
                kind => Ok(kind),
            };
            match kind {
                Ok(kind) if is_kept(name, kind) => found.push((OsStr::from_bytes(name).to_owned(), kind)),
                Ok(_) => {}
                Err(_) => self.add_finding(Problem::Unreadable, directory),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_ENTRIES, Problem, RepositoryScan};

    #[test]
    fn number_of_entries_is_limited() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("file"), "").unwrap();
        let problem = |entries: usize| {
            let mut scan = RepositoryScan::default();
            scan.entries = entries;
            scan.links_in(directory.path(), 0);
            scan.findings.first().map(|finding| finding.problem)
        };
        assert_eq!(problem(MOST_ENTRIES - 1), None);
        assert_eq!(problem(MOST_ENTRIES), Some(Problem::TooMuch));
    }
}
