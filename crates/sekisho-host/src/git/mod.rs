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

mod config;
mod credentials;
mod discovery;
mod harmless;
mod index;
mod links;
mod look;
mod settings;
mod tracked;
mod user;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sekisho_policy::Repository;

use look::{Look, Stamps};
use tracked::Tracked;

/// What is known of repositories, kept as long as the files that told it stay as they were.
#[derive(Debug, Default)]
pub(crate) struct Repositories {
    known: HashMap<PathBuf, Known>,
}

#[derive(Debug)]
struct Known {
    stamps: Stamps,
    repository: Repository,
    tracked: Option<Tracked>,
}

impl Repositories {
    /// What the repository of a directory can do. `None` where that cannot be told.
    pub(crate) fn look_up(&mut self, directory: &Path, home: Option<&Path>) -> Option<Repository> {
        self.known(directory, home).map(|known| known.repository.clone())
    }

    /// Whether git would read files outside of the work tree, since a directory in it that the index names is a link.
    /// `None` where that cannot be told.
    pub(crate) fn reads_through_link(&mut self, directory: &Path, home: Option<&Path>) -> Option<bool> {
        match &self.known(directory, home)?.tracked {
            Some(tracked) => tracked.lies_behind_link(),
            None => Some(false),
        }
    }

    /// The files below a directory that git tracks: see [`FileTree::tracked`](sekisho_policy::FileTree::tracked).
    pub(crate) fn tracked(
        &mut self,
        directory: &Path,
        home: Option<&Path>,
        changed: bool,
        is_chosen: &dyn Fn(&str) -> bool,
    ) -> Option<Vec<String>> {
        match &self.known(directory, home)?.tracked {
            Some(tracked) => tracked.below(&directory.canonicalize().ok()?, changed, is_chosen),
            None => Some(Vec::new()),
        }
    }

    fn known(&mut self, directory: &Path, home: Option<&Path>) -> Option<&Known> {
        let directory = directory.canonicalize().ok()?;
        let fresh = self.known.get(&directory).is_some_and(|known| known.stamps.still_hold());
        if !fresh {
            let mut look = Look::default();
            look.at_directory(&directory, home);
            let Look { stamps, findings, tracked, .. } = look;
            let repository = match findings.is_empty() {
                true => Repository::Plain,
                false => Repository::Unproven { findings },
            };
            self.known.insert(directory.clone(), Known { stamps, repository, tracked });
        }
        self.known.get(&directory)
    }
}
