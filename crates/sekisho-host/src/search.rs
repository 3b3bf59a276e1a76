//! This machine's files, for a search that must end soon.

use std::path::Path;
use std::time::{Duration, Instant};

use sekisho_policy::{Contents, FileKind, FileTree, Holds, Spent};

use crate::{contents, git_files};

/// How much the searches of one call may look at.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Names in directories.
    pub entries: usize,
    /// Time, looked at only after the first thousand names: small trees are always searched.
    pub time: Duration,
}

impl Default for Bound {
    fn default() -> Bound {
        Bound { entries: 50_000, time: Duration::from_millis(20) }
    }
}

/// How many names are looked at whatever the time.
const FREE: usize = 1000;

/// How many names are looked at between two looks at the clock.
const STRIDE: usize = 64;

/// The files of this machine, while a bound lasts.
pub(crate) struct Disk {
    bound: Bound,
    entries: usize,
    started: Instant,
}

impl Disk {
    pub(crate) fn new(bound: Bound) -> Disk {
        Disk { bound, entries: 0, started: Instant::now() }
    }

    fn count(&mut self) -> Result<(), Spent> {
        self.entries += 1;
        let late = self.entries > FREE
            && self.entries.is_multiple_of(STRIDE)
            && self.started.elapsed() > self.bound.time;
        if self.entries > self.bound.entries || late { Err(Spent) } else { Ok(()) }
    }
}

fn kind_of(kind: std::fs::FileType) -> FileKind {
    match (kind.is_symlink(), kind.is_dir()) {
        (true, _) => FileKind::Link,
        (false, true) => FileKind::Directory,
        (false, false) => FileKind::File,
    }
}

impl FileTree for Disk {
    fn list(&mut self, directory: &str) -> Result<Vec<(String, FileKind)>, Spent> {
        self.count()?;
        // What we cannot read, a program of the same user cannot read either.
        let Ok(entries) = Path::new(directory).read_dir() else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for entry in entries.map_while(Result::ok) {
            self.count()?;
            let Ok(kind) = entry.file_type().map(kind_of) else { continue };
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                // No path leads to what lies below a name that is no text.
                Err(_) if kind != FileKind::File => return Err(Spent),
                Err(name) => name.to_string_lossy().into_owned(),
            };
            names.push((name, kind));
        }
        Ok(names)
    }

    fn kind(&mut self, path: &str) -> Option<FileKind> {
        Path::new(path).symlink_metadata().ok().map(|metadata| kind_of(metadata.file_type()))
    }

    fn resolve(&mut self, path: &str) -> Option<String> {
        self.entries += 1;
        let found = Path::new(path).canonicalize().ok()?;
        Some(found.to_string_lossy().into_owned())
    }

    fn holds(&mut self, path: &str, contents: Contents) -> Holds {
        self.entries += 8;
        contents::holds(Path::new(path), contents)
    }

    fn is_ignored(&mut self, path: &str) -> bool {
        git_files::is_ignored(path)
    }

    fn brought_back(&mut self, directory: &str) -> Vec<String> {
        git_files::brought_back(Path::new(directory))
    }

    fn is_untracked(&mut self, path: &str) -> bool {
        git_files::is_untracked(path)
    }

    fn top(&mut self, directory: &str) -> Option<String> {
        let top = git_files::top(Path::new(directory));
        top.map_or_else(|| Some(directory.to_owned()), |top| top.to_str().map(str::to_owned))
    }
}
