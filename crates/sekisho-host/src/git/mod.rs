//! What a git repository can do to whoever runs git in it, without running git.
//!
//! Git finds a repository by walking up from a directory and then obeys what it finds there, so that even `git status` can
//! run a program, read a secret or write a file that the repository chose. Git is let through only where everything that
//! it would look at is known to be harmless:
//!
//! - `discovery` finds the repository as git finds it, and follows what redirects only where it leads back.
//! - `config` reads config files by git's grammar, `settings` holds them against the list in `harmless`.
//! - `links` looks for symbolic links in the git directory: git prints what some of its files say.
//! - `index` reads which submodules there are, which are looked at alike, and paths that lead out.
//! - `user` reads the user's own config for files that it takes from the repository.

mod config_parser;
mod credentials;
mod discovery;
mod harmless_settings;
mod index;
mod scan;
mod settings_check;
mod symlinks;
mod tracked_files;
mod user_config;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sekisho_policy::Repository;

use scan::{RepositoryScan, Stamps};
use tracked_files::{SelectedFiles, TrackedFiles};

/// How many bytes are read for one call: an index of two hundred thousand files has twenty million.
const MOST_BYTES: usize = 128 << 20;
/// What looking at a directory costs, for each byte of its path.
const LOOK: usize = 8;

/// What is known of repositories, kept as long as the files that told it stay as they were.
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
    /// Begins another call.
    pub(crate) fn begin_call(&mut self) {
        self.left = MOST_BYTES;
    }

    /// What the repository of a directory can do. `None` where that cannot be told.
    pub(crate) fn look_up(&mut self, directory: &Path, home: Option<&Path>) -> Option<Repository> {
        self.known(directory, home).map(|(known, _)| known.repository.clone())
    }

    /// Whether git would read files outside of the work tree, since a directory in it that the index names is a link.
    /// `None` where that cannot be told.
    pub(crate) fn reads_through_link(&mut self, directory: &Path, home: Option<&Path>) -> Option<bool> {
        let (known, left) = self.known(directory, home)?;
        let Some(tracked) = &known.tracked else { return Some(false) };
        *left = left.checked_sub(tracked.size_of_directories() * LOOK)?;
        tracked.lies_behind_link()
    }

    /// The files below a directory that git tracks: see [`FileTree::tracked`](sekisho_policy::FileTree::tracked).
    pub(crate) fn tracked(
        &mut self,
        directory: &Path,
        home: Option<&Path>,
        changed: bool,
        is_chosen: &dyn Fn(&str) -> bool,
    ) -> Option<SelectedFiles> {
        let (known, left) = self.known(directory, home)?;
        match &known.tracked {
            Some(tracked) => tracked.below(&directory.canonicalize().ok()?, changed, is_chosen, left),
            None => Some(SelectedFiles { paths: Vec::new(), chosen: 0 }),
        }
    }

    /// What is known of a directory's repository, and how many bytes may still be read.
    fn known(&mut self, directory: &Path, home: Option<&Path>) -> Option<(&CachedRepository, &mut usize)> {
        let directory = directory.canonicalize().ok()?;
        let fresh = self.known.get(&directory).is_some_and(|known| known.stamps.are_unchanged());
        if !fresh {
            let mut look = RepositoryScan::default();
            look.scan_directory(&directory, home);
            self.left = self.left.checked_sub(look.bytes_read())?;
            let RepositoryScan { stamps, findings, tracked, .. } = look;
            let repository = match findings.is_empty() {
                true => Repository::Plain,
                false => Repository::Unproven { findings },
            };
            self.known.insert(directory.clone(), CachedRepository { stamps, repository, tracked });
        }
        Some((self.known.get(&directory)?, &mut self.left))
    }
}
