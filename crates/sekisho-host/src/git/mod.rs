//! Finds out what a git repository can make git do, without running git.
//!
//! Git finds a repository by walking up from a directory and then obeys what it finds there, so that even
//! `git status` can run a program, read a secret or write a file that the repository chose. Git is allowed
//! only if everything it would read is known to be harmless:
//!
//! - `discovery` finds the repository as git does, and follows redirects only if they lead back.
//! - `settings_check` compares config files, parsed by git's grammar, with the list in `harmless_settings`.
//! - `symlinks` looks for symbolic links in the git directory, because git prints the contents of some of its
//!   files.
//! - `index` reads the submodules, which are scanned too, and finds paths that lead out of the work tree.
//! - `writer_settings` says what else matters to commands that change the repository.
//! - `user_config` reads the user's own config for files that it takes from the repository, and `identity` for
//!   the author of commits.

#[cfg(test)]
mod config_tests;
mod credential_settings;
mod discovery;
mod harmless_settings;
mod identity;
mod index;
#[cfg(test)]
mod layout_tests;
mod scan;
mod settings_check;
mod symlinks;
mod tracked_files;
mod user_config;
mod writer_settings;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sekisho_policy::Repository;

pub use identity::{GitIdentity, user_git_identity};

use crate::link_target::{is_of_process, link_target};
use scan::{RepositoryScan, Stamps};
use tracked_files::{SelectedFiles, TrackedFiles};

/// How many bytes are read for one call: an index of two hundred thousand files has twenty million.
const MOST_BYTES: usize = 128 << 20;
/// The cost of checking a directory, for each byte of its path.
const DIRECTORY_COST: usize = 8;

/// Cached scans of repositories, valid as long as the files they read stay unchanged.
#[derive(Debug, Default)]
pub(crate) struct Repositories {
    known: HashMap<PathBuf, CachedRepository>,
    /// Bytes that may still be read for this call.
    left: usize,
}

#[derive(Debug)]
struct CachedRepository {
    stamps: Stamps,
    repository: Repository,
    tracked: Option<TrackedFiles>,
}

impl Repositories {
    /// Starts a new call: resets the byte limit.
    pub(crate) fn begin_call(&mut self) {
        self.left = MOST_BYTES;
    }

    /// What the repository of a directory can do. `None` if that cannot be found out.
    pub(crate) fn look_up(&mut self, directory: &Path, home: Option<&Path>) -> Option<Repository> {
        self.known(directory, home).map(|(known, _)| known.repository.clone())
    }

    /// Whether git would read files outside of the work tree, because a directory that the index names is a
    /// link. `None` if that cannot be found out.
    pub(crate) fn reads_through_link(&mut self, directory: &Path, home: Option<&Path>) -> Option<bool> {
        let (known, left) = self.known(directory, home)?;
        let Some(tracked) = &known.tracked else { return Some(false) };
        *left = left.checked_sub(tracked.size_of_directories() * DIRECTORY_COST)?;
        tracked.lies_behind_link()
    }

    /// The tracked files below a directory: see
    /// [`FileTree::tracked_files`](sekisho_policy::FileTree::tracked_files).
    pub(crate) fn tracked(
        &mut self,
        directory: &Path,
        home: Option<&Path>,
        changed: bool,
        is_chosen: &dyn Fn(&str) -> bool,
    ) -> Option<SelectedFiles> {
        let (known, left) = self.known(directory, home)?;
        match &known.tracked {
            Some(tracked) => tracked.below(&link_target(directory).ok()?, changed, is_chosen, left),
            None => Some(SelectedFiles { paths: Vec::new(), chosen: 0 }),
        }
    }

    /// The cached scan of a directory's repository, and how many bytes may still be read.
    fn known(&mut self, directory: &Path, home: Option<&Path>) -> Option<(&CachedRepository, &mut usize)> {
        let directory = link_target(directory).ok().filter(|found| !is_of_process(found))?;
        let fresh = self.known.get(&directory).is_some_and(|known| known.stamps.are_unchanged());
        if !fresh {
            let mut scan = RepositoryScan::default();
            scan.scan_directory(&directory, home);
            self.left = self.left.checked_sub(scan.bytes_read())?;
            let RepositoryScan { stamps, findings, tracked, .. } = scan;
            let repository = match findings.is_empty() {
                true => Repository::Plain,
                false => Repository::Unproven { findings },
            };
            self.known.insert(directory.clone(), CachedRepository { stamps, repository, tracked });
        }
        Some((self.known.get(&directory)?, &mut self.left))
    }
}
