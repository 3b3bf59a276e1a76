//! The disk as a [`FileTree`], within a search limit.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sekisho_policy::{ContentCheck, FileKind, FileSecrecy, FileTree, SearchLimitReached};

use crate::git::Repositories;
use crate::ignore_files::IgnoreFiles;
use crate::link_target::{is_of_process, link_target};
use crate::{bounded_git_read, secret_contents};

/// How much the searches of one call may read.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimit {
    /// Directory entries.
    pub entries: usize,
    /// Time. It is checked only after the first thousand entries, so that small trees are always searched.
    pub time: Duration,
}

impl Default for SearchLimit {
    fn default() -> SearchLimit {
        SearchLimit { entries: 50_000, time: Duration::from_millis(20) }
    }
}

/// How many entries are read before the time is checked.
const FREE: usize = 1000;

/// A path with more components is not resolved.
const MOST_NAMES: usize = 256;

/// How many bytes of a file's contents cost as much as one entry.
const BYTES_PER_ENTRY: u64 = 256;

/// How many entries are read between two checks of the time.
const STRIDE: usize = 64;

/// The files of this machine, within a limit.
pub(crate) struct DiskFileTree {
    limit: SearchLimit,
    entries: usize,
    started: Instant,
    /// Whether something could not be read.
    spent: bool,
    repositories: Repositories,
    ignore_files: IgnoreFiles,
    /// The tracked files that were selected so far.
    tracked: HashMap<TrackedKey, Vec<String>>,
    home: Option<PathBuf>,
}

/// The key of a selection of tracked files: the directory as it was named, where it leads, whether only
/// changed files are selected, and whether all are.
type TrackedKey = (String, String, bool, bool);

impl DiskFileTree {
    pub(crate) fn new(
        limit: SearchLimit,
        mut repositories: Repositories,
        home: Option<PathBuf>,
    ) -> DiskFileTree {
        repositories.begin_call();
        let (started, ignore_files) = (Instant::now(), IgnoreFiles::default());
        let tracked = HashMap::new();
        DiskFileTree { limit, entries: 0, started, spent: false, repositories, ignore_files, tracked, home }
    }

    /// The cached repositories.
    pub(crate) fn repositories(&mut self) -> &mut Repositories {
        &mut self.repositories
    }

    /// Takes the cached repositories back, to keep them for the next call.
    pub(crate) fn into_repositories(self) -> Repositories {
        self.repositories
    }

    /// Whether something was left out.
    pub(crate) fn is_limit_reached(&self) -> bool {
        self.spent || self.entries > self.limit.entries
    }

    fn count(&mut self) -> Result<(), SearchLimitReached> {
        self.entries += 1;
        // Once the time is up it stays up: a call can have many short searches.
        self.spent |= self.entries > FREE
            && self.entries.is_multiple_of(STRIDE)
            && self.started.elapsed() > self.limit.time;
        if self.is_limit_reached() { Err(SearchLimitReached) } else { Ok(()) }
    }
}

fn kind_of(kind: std::fs::FileType) -> FileKind {
    match (kind.is_symlink(), kind.is_dir()) {
        (true, _) => FileKind::Link,
        (false, true) => FileKind::Directory,
        (false, false) => FileKind::File,
    }
}

impl FileTree for DiskFileTree {
    fn list(&mut self, directory: &str) -> Result<Vec<(String, FileKind)>, SearchLimitReached> {
        self.count()?;
        // What we cannot read, a program of the same user cannot read either.
        let entries = match Path::new(directory).read_dir() {
            Ok(entries) => entries,
            Err(error) => {
                let absent = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::PermissionDenied];
                // A path that is too long for us is not too long for a program that changes directory step by
                // step.
                return if absent.contains(&error.kind()) { Ok(Vec::new()) } else { Err(SearchLimitReached) };
            }
        };
        let mut names = Vec::new();
        for entry in entries {
            self.count()?;
            let entry = entry.map_err(|_| SearchLimitReached)?;
            let Ok(kind) = entry.file_type().map(kind_of) else { continue };
            // A name that is not UTF-8 cannot be matched against globs and ignore files, and paths below it
            // cannot be named.
            let name = entry.file_name().into_string().map_err(|_| SearchLimitReached)?;
            names.push((name, kind));
        }
        Ok(names)
    }

    fn kind(&mut self, path: &str) -> Option<FileKind> {
        Path::new(path).symlink_metadata().ok().map(|metadata| kind_of(metadata.file_type()))
    }

    fn resolve(&mut self, path: &str) -> Option<String> {
        // The kernel walks the whole path for each name.
        let names = Path::new(path).components().count();
        self.entries += 1;
        if names > MOST_NAMES || self.is_limit_reached() {
            self.spent = true;
            return None;
        }
        let found = link_target(Path::new(path)).ok()?;
        // It may be there when the command runs.
        let is_of_later_process = is_of_process(&found) && found.symlink_metadata().is_err();
        self.spent |= is_of_later_process || found.components().count() > MOST_NAMES;
        let text = found.into_os_string().into_string().ok();
        // It leads somewhere, but the path is not UTF-8.
        self.spent |= text.is_none();
        text
    }

    fn secrecy(&mut self, path: &str, contents: ContentCheck) -> FileSecrecy {
        let size = Path::new(path).metadata().map_or(0, |metadata| metadata.len());
        self.entries += 8 + usize::try_from(size / BYTES_PER_ENTRY).unwrap_or(usize::MAX >> 1);
        if self.is_limit_reached() {
            self.spent = true;
            return FileSecrecy::Secret;
        }
        secret_contents::holds_secret(Path::new(path), contents)
    }

    fn is_ignored(&mut self, path: &str, below: &str) -> bool {
        self.ignore_files.is_ignored(path, below)
    }

    fn negated_ignore_patterns(&mut self, directory: &str) -> Vec<String> {
        self.ignore_files.negated_ignore_patterns(Path::new(directory))
    }

    fn tracked_files(
        &mut self,
        shown: &str,
        directory: &str,
        changed: bool,
        is_chosen: Option<&dyn Fn(&str) -> bool>,
    ) -> Option<Vec<String>> {
        // A text can have many commands that read the same index: it is searched once.
        let key = (shown.to_owned(), directory.to_owned(), changed, is_chosen.is_none());
        if let Some(known) = self.tracked.get(&key) {
            self.entries += 1 + known.len();
            return Some(known.clone());
        }
        let any_file = |_: &str| true;
        let is_chosen = is_chosen.unwrap_or(&any_file);
        let found =
            self.repositories.tracked(Path::new(directory), self.home.as_deref(), changed, is_chosen)?;
        self.entries += found.chosen;
        self.tracked.insert(key, found.paths.clone());
        Some(found.paths)
    }

    fn repository_root(&mut self, directory: &str) -> Option<String> {
        // Git goes up from the real directory, not along the links that led there. A path that leads nowhere
        // is left to the search.
        let Ok(resolved) = link_target(Path::new(directory)) else { return Some(directory.to_owned()) };
        bounded_git_read::repository_top(&resolved).unwrap_or(resolved).to_str().map(str::to_owned)
    }
}
