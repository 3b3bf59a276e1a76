//! What a git repository can do to whoever runs git in it, without running git.
//!
//! Git finds a repository by walking up from a directory and then obeys its config, so that even `git status` can run a
//! program the repository chose. What is looked at: the config files of the repository a directory belongs to, bare ones
//! and work trees included, and of every submodule its index names, since git looks into those as well.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sekisho_policy::Repository;

use crate::git_config::{names_program, settings};
use crate::git_index::gitlinks;

/// Files larger than these are not read, and what they say is unknown.
const LARGEST_CONFIG: u64 = 1 << 20;
const LARGEST_INDEX: u64 = 64 << 20;
/// Submodules inside submodules are followed this far, and this many in all.
const DEEPEST: u8 = 4;
const MOST: usize = 256;

/// A file as it was when it was read, or its absence.
type Stamp = (PathBuf, Option<(u64, u64, i64, i64, i64, i64)>);

/// What is known of repositories, kept as long as the files that told it stay as they were.
#[derive(Debug, Default)]
pub(crate) struct Repositories {
    known: HashMap<PathBuf, (Vec<Stamp>, Repository)>,
}

impl Repositories {
    /// What the repository of a directory can do. `None` where that cannot be told.
    pub(crate) fn look_up(&mut self, directory: &Path) -> Option<Repository> {
        if let Some((stamps, known)) = self.known.get(directory)
            && stamps.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
        {
            return Some(known.clone());
        }
        let mut look = Look::default();
        let found = look.at_directory(directory, 0)?;
        self.known.insert(directory.to_owned(), (look.stamps, found.clone()));
        Some(found)
    }
}

fn stamp_of(path: &Path) -> Option<(u64, u64, i64, i64, i64, i64)> {
    let meta = fs::symlink_metadata(path).ok()?;
    Some((meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()))
}

/// One look at a repository: every file that was or was not there is written down.
#[derive(Default)]
struct Look {
    stamps: Vec<Stamp>,
    visited: usize,
}

impl Look {
    fn exists(&mut self, path: &Path) -> bool {
        let stamp = stamp_of(path);
        let there = stamp.is_some();
        self.stamps.push((path.to_owned(), stamp));
        there
    }

    /// The content of a regular file; an empty one if there is none. `None` if it cannot be read whole.
    fn read(&mut self, path: &Path, largest: u64) -> Option<Vec<u8>> {
        if !self.exists(path) {
            return Some(Vec::new());
        }
        let meta = fs::metadata(path).ok()?;
        if !meta.is_file() || meta.len() > largest {
            return None;
        }
        let mut content = Vec::new();
        fs::File::open(path).ok()?.take(largest + 1).read_to_end(&mut content).ok()?;
        (content.len() as u64 <= largest).then_some(content)
    }

    /// The repository that git would find from a directory.
    fn at_directory(&mut self, directory: &Path, depth: u8) -> Option<Repository> {
        let directory = directory.canonicalize().ok()?;
        for level in directory.ancestors() {
            let dot_git = level.join(".git");
            if self.exists(&dot_git) {
                return self.at_dot_git(&dot_git, level, depth);
            }
            // A bare repository: git takes the directory itself for one by what lies in it.
            let bare = [level.join("HEAD"), level.join("objects"), level.join("refs")];
            if bare.iter().all(|path| self.exists(path)) {
                return self.at_git_dir(level, None, depth);
            }
        }
        Some(Repository::Plain)
    }

    /// `.git` is the repository, or a file that says where it is.
    fn at_dot_git(&mut self, dot_git: &Path, tree: &Path, depth: u8) -> Option<Repository> {
        if fs::metadata(dot_git).ok()?.is_dir() {
            return self.at_git_dir(dot_git, Some(tree), depth);
        }
        let content = String::from_utf8(self.read(dot_git, LARGEST_CONFIG)?).ok()?;
        let target = content.strip_prefix("gitdir:")?.trim();
        let git_dir = tree.join(target).canonicalize().ok()?;
        self.at_git_dir(&git_dir, Some(tree), depth)
    }

    fn at_git_dir(&mut self, git_dir: &Path, tree: Option<&Path>, depth: u8) -> Option<Repository> {
        self.visited += 1;
        if depth > DEEPEST || self.visited > MOST {
            return None;
        }
        // A work tree added to a repository shares the config of that.
        let common = String::from_utf8(self.read(&git_dir.join("commondir"), LARGEST_CONFIG)?).ok()?;
        let common = if common.trim().is_empty() { git_dir.to_owned() } else { git_dir.join(common.trim()) };
        let configs =
            [common.join("config"), common.join("config.worktree"), git_dir.join("config.worktree")];
        for config in configs {
            let text = String::from_utf8(self.read(&config, LARGEST_CONFIG)?).ok()?;
            if let Some(what) = settings(&text)?.iter().find_map(names_program) {
                return Some(Repository::NamesPrograms { what });
            }
        }
        // The one hook that reading can set off: git refreshes the index and tells of it.
        if self.exists(&common.join("hooks/post-index-change")) {
            return Some(Repository::NamesPrograms { what: "hooks/post-index-change".into() });
        }
        match tree {
            Some(tree) => self.at_submodules(git_dir, tree, depth),
            None => Some(Repository::Plain),
        }
    }

    /// The repositories inside this one that git would look into.
    fn at_submodules(&mut self, git_dir: &Path, tree: &Path, depth: u8) -> Option<Repository> {
        let mut indexes = vec![git_dir.join("index")];
        for entry in fs::read_dir(git_dir).ok()? {
            let name = entry.ok()?.file_name();
            if name.to_string_lossy().starts_with("sharedindex.") {
                indexes.push(git_dir.join(name));
            }
        }
        for index in indexes {
            for path in gitlinks(&self.read(&index, LARGEST_INDEX)?)? {
                let inner = tree.join(path);
                let dot_git = inner.join(".git");
                if self.exists(&dot_git) {
                    let found = self.at_dot_git(&dot_git, &inner, depth + 1)?;
                    if found != Repository::Plain {
                        return Some(found);
                    }
                }
            }
        }
        Some(Repository::Plain)
    }
}
