//! Looks up the facts that judging asks for: where paths lead, what a repository can do, which protected
//! files a command would open.
//!
//! A fact is given only if it is certain. Anything uncertain (no permission, a link that leads nowhere, a
//! name that is not UTF-8, `..` after something that does not exist) is left out, and a missing fact never
//! allows.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sekisho_policy::{
    ContentCheck, Fact, FactQuery, Facts, FileSearchOutcome, FileSecrecy, FileTree as _, Policy,
    find_protected,
};

use crate::bounded_file_tree::{DiskFileTree, SearchLimit};
use crate::git::Repositories;
use crate::glob_option_names::{expands_to_option, option_names};
use crate::link_target::link_target;

/// Looks up facts once, for a call that is judged by a policy in a workspace.
pub fn look_up(policy: &Policy, queries: &[FactQuery], root: Option<&str>, home: Option<&Path>) -> Facts {
    FactResolver::new(home).look_up(policy, queries, root)
}

/// How many resolved directories are remembered; others are looked up again.
const REMEMBERED: usize = 4096;

/// The longest path the kernel accepts. A longer one is not resolved.
const LONGEST: usize = 4096;

/// A path with more components is not resolved: the kernel would walk the whole path for each component.
const MOST_NAMES: usize = 256;

/// Looks up facts for many calls at one moment: resolved directories are not walked again.
#[derive(Debug)]
pub struct FactResolver {
    home: Option<PathBuf>,
    directories: HashMap<PathBuf, Option<PathBuf>>,
    repositories: Repositories,
    limit: SearchLimit,
}

impl FactResolver {
    /// A resolver without cached facts. `~` in a path means `home`.
    pub fn new(home: Option<&Path>) -> FactResolver {
        FactResolver {
            home: home.map(Path::to_path_buf),
            directories: HashMap::new(),
            repositories: Repositories::default(),
            limit: SearchLimit::default(),
        }
    }

    /// Sets the limit on what the searches of one call may read.
    pub fn with_limit(self, limit: SearchLimit) -> FactResolver {
        FactResolver { limit, ..self }
    }

    /// The facts about one call that are certain.
    pub fn look_up(&mut self, policy: &Policy, queries: &[FactQuery], root: Option<&str>) -> Facts {
        let mut facts = Facts::default();
        let home = self.home.clone();
        let mut disk = DiskFileTree::new(self.limit, std::mem::take(&mut self.repositories), home.clone());
        let mut options: HashMap<&str, Option<Vec<String>>> = HashMap::new();
        for query in queries {
            let fact = match query {
                FactQuery::Resolve(path) => {
                    let found = self.expand_home(path).and_then(|path| self.resolve(&path));
                    found.and_then(|path| path.into_os_string().into_string().ok()).map(Fact::Resolved)
                }
                FactQuery::Repository(directory) => {
                    let found = disk.repositories().look_up(Path::new(directory), home.as_deref());
                    found.map(Fact::Repository)
                }
                FactQuery::TrackedLinks(directory) => {
                    let repositories = disk.repositories();
                    let found = repositories.reads_through_link(Path::new(directory), home.as_deref());
                    found.map(Fact::TrackedLinks)
                }
                FactQuery::GlobOption { directory, pattern } => {
                    let names =
                        options.entry(directory).or_insert_with(|| option_names(Path::new(directory)));
                    names.as_ref().map(|names| Fact::GlobOption(expands_to_option(names, pattern)))
                }
                FactQuery::Files(_) => self.searched(policy, query, &mut disk, root).map(Fact::Files),
                FactQuery::Contents(path) => self.text_of(path).map(|path| {
                    let home = self.home.as_deref().and_then(Path::to_str);
                    let protections = policy.protections(&path, root, home).map(|one| one.contents());
                    let mut kinds = protections.filter(|contents| *contents != ContentCheck::NotNeeded);
                    let secret = |contents| disk.secrecy(&path, contents) == FileSecrecy::Secret;
                    Fact::Contents(if kinds.any(secret) {
                        FileSecrecy::Secret
                    } else {
                        FileSecrecy::NoSecret
                    })
                }),
            };
            if let Some(fact) = fact {
                facts.insert(query.clone(), fact);
            }
        }
        self.repositories = disk.into_repositories();
        facts
    }

    /// Expands `~` to the home directory. `~name` is unknown.
    fn expand_home<'a>(&self, path: &'a str) -> Option<Cow<'a, Path>> {
        match path.strip_prefix('~') {
            None => Some(Cow::Borrowed(Path::new(path))),
            Some("") => self.home.clone().map(Cow::Owned),
            Some(rest) => {
                Some(Cow::Owned(self.home.as_ref()?.join(rest.strip_prefix('/')?.trim_start_matches('/'))))
            }
        }
    }

    fn searched(
        &self,
        policy: &Policy,
        query: &FactQuery,
        disk: &mut DiskFileTree,
        root: Option<&str>,
    ) -> Option<FileSearchOutcome> {
        let mut query = query.clone();
        for path in query.paths_mut() {
            *path = self.text_of(path)?;
        }
        let FactQuery::Files(search) = query else { return None };
        let found = find_protected(policy, disk, &search, root, self.home.as_deref().and_then(Path::to_str));
        match found {
            Some(FileSearchOutcome::Protected(files)) if !files.is_empty() => {
                Some(FileSearchOutcome::Protected(files))
            }
            _ if disk.is_limit_reached() => Some(FileSearchOutcome::TooMany),
            found => found,
        }
    }

    /// The expanded path as text.
    fn text_of(&self, path: &str) -> Option<String> {
        self.expand_home(path)?.to_str().map(str::to_owned)
    }

    /// Where an absolute path leads. For a path that does not exist: its nearest existing ancestor, and the
    /// rest.
    ///
    /// A path can have hundreds of components: they are walked in a loop, because the stack may be small.
    fn resolve(&mut self, path: &Path) -> Option<PathBuf> {
        if !path.is_absolute() || path.as_os_str().len() >= LONGEST || path.components().count() > MOST_NAMES
        {
            return None;
        }
        let mut below = Vec::new();
        let mut directory = path;
        let mut found = loop {
            if let Some(known) = self.directories.get(directory).filter(|_| !below.is_empty()) {
                break known.clone();
            }
            // `..` follows the kernel's rules: after something that does not exist, it cannot be resolved.
            let (Some(parent), Some(name)) = (directory.parent(), directory.file_name()) else {
                let found = link_target(directory).ok();
                if !below.is_empty() {
                    self.remember(directory, found.as_ref());
                }
                break found;
            };
            below.push((directory, name));
            directory = parent;
        };
        while let Some((directory, name)) = below.pop() {
            found = found.and_then(|parent| step(parent.join(name)));
            if !below.is_empty() {
                self.remember(directory, found.as_ref());
            }
        }
        found
    }

    fn remember(&mut self, directory: &Path, found: Option<&PathBuf>) {
        if self.directories.len() < REMEMBERED {
            self.directories.insert(directory.to_path_buf(), found.cloned());
        }
    }
}

/// Where a path leads, if its parent is already resolved.
fn step(path: PathBuf) -> Option<PathBuf> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => link_target(&path).ok(),
        Ok(_) => Some(path),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(path),
        Err(_) => None,
    }
}
