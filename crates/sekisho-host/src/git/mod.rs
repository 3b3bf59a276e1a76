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

use look::{Look, Stamp, stamp_of};
pub(crate) use tracked::reads_through_link;

/// What is known of repositories, kept as long as the files that told it stay as they were.
#[derive(Debug, Default)]
pub(crate) struct Repositories {
    known: HashMap<PathBuf, (Vec<Stamp>, Repository)>,
}

impl Repositories {
    /// What the repository of a directory can do. `None` where that cannot be told.
    pub(crate) fn look_up(&mut self, directory: &Path, home: Option<&Path>) -> Option<Repository> {
        let directory = directory.canonicalize().ok()?;
        if let Some((stamps, known)) = self.known.get(&directory)
            && stamps.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
        {
            return Some(known.clone());
        }
        let mut look = Look::default();
        look.at_directory(&directory, home);
        let found = match look.findings {
            findings if findings.is_empty() => Repository::Plain,
            findings => Repository::Unproven { findings },
        };
        self.known.insert(directory, (look.stamps, found.clone()));
        Some(found)
    }
}
