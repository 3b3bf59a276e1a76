//! Symbolic links in a git directory.
//!
//! Git follows them, and prints what some of its files say: `BISECT_START` by `git status`, `packed-refs` in an error
//! message, `worktrees/x/gitdir` by `git worktree list`. A link in place of one lets a repository print any file. Git itself
//! makes none.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use sekisho_policy::RepositoryProblem as Problem;

use super::discovery::{Place, PlaceKind};
use super::look::{Kind, Look};

/// More entries of directories are not looked through.
const MOST_ENTRIES: usize = 50_000;
/// How deep directories in a git directory are followed.
const DEEPEST: u8 = 32;

/// What reading commands do not read, or what is looked at in another way (hooks, submodules).
const UNREAD: &[&str] = &["annex", "hooks", "lfs", "modules", "rr-cache", "svn"];

/// The directories whose content is read, whatever is in them.
const READ: &[&str] =
    &["branches", "info", "logs", "rebase-apply", "rebase-merge", "refs", "reftable", "remotes", "sequencer"];

impl Look {
    /// Looks for links where git would follow one. The files that a split index shares are on the way.
    pub(super) fn at_links(&mut self, place: &Place) -> Vec<PathBuf> {
        let mut shared = self.links_at_top(&place.common);
        if place.kind == PlaceKind::Linked {
            shared = self.links_at_top(&place.git_dir);
        }
        let worktrees = place.common.join("worktrees");
        for (name, kind) in self.entries_of(&worktrees) {
            let path = worktrees.join(name);
            match kind {
                _ if kind.is_symlink() => self.finds(Problem::Link, &path),
                _ if kind.is_dir() && path != place.git_dir => {
                    self.links_at_top(&path);
                }
                _ => {}
            }
        }
        let objects = place.common.join("objects");
        // The 256 directories of loose objects are not walked: what is no object is not printed.
        self.links_in(&objects, 0);
        self.links_in(&objects.join("info"), DEEPEST);
        self.links_in(&objects.join("pack"), 0);
        shared
    }

    fn links_at_top(&mut self, git_dir: &Path) -> Vec<PathBuf> {
        let mut shared = Vec::new();
        for (name, kind) in self.entries_of(git_dir) {
            let is = |list: &[&str]| list.iter().any(|other| OsStr::new(other) == name);
            let path = git_dir.join(&name);
            if kind.is_symlink() && !is(UNREAD) {
                self.finds(Problem::Link, &path);
            } else if kind.is_dir() && is(READ) {
                self.links_in(&path, DEEPEST);
            } else if name.as_encoded_bytes().starts_with(b"sharedindex.") {
                shared.push(path);
            }
        }
        shared
    }

    /// Looks for links in a directory and, for as many levels, in those below it.
    fn links_in(&mut self, directory: &Path, levels: u8) {
        for (name, kind) in self.entries_of(directory) {
            let path = directory.join(&name);
            if kind.is_symlink() {
                self.finds(Problem::Link, &path);
            } else if kind.is_dir() && levels > 1 {
                self.links_in(&path, levels - 1);
            } else if kind.is_dir() && levels == 1 {
                self.finds(Problem::TooMuch, &path);
            }
        }
    }

    /// The entries of a directory, none where there is no such directory.
    fn entries_of(&mut self, directory: &Path) -> Vec<(OsString, FileType)> {
        if self.kind(directory).0 == Kind::Absent {
            return Vec::new();
        }
        let mut found = Vec::new();
        let Ok(entries) = fs::read_dir(directory) else {
            self.finds(Problem::Unreadable, directory);
            return found;
        };
        for entry in entries {
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                self.finds(Problem::TooMuch, directory);
                break;
            }
            match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
                Ok(entry) => found.push(entry),
                Err(_) => self.finds(Problem::Unreadable, directory),
            }
        }
        found
    }
}
