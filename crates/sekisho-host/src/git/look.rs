//! One look at a repository: what was found, and the state of every file that was or was not there.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sekisho_policy::{RepositoryFinding, RepositoryProblem};

/// Files larger than these are not read. Git reads no gitfile of more than a mebibyte.
pub(super) const LARGEST_TEXT: u64 = 1 << 20;
pub(super) const LARGEST_INDEX: u64 = 256 << 20;
/// More findings than these are not told apart.
const MOST_FINDINGS: usize = 64;

/// A file as it was when it was looked at, or its absence.
pub(super) type Stamp = (PathBuf, Option<[i64; 6]>);

/// What tells one state of a file from another.
pub(super) fn stamp_of(path: &Path) -> Option<[i64; 6]> {
    fs::symlink_metadata(path).ok().as_ref().map(state)
}

fn state(metadata: &Metadata) -> [i64; 6] {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    [
        count(metadata.ino()),
        count(metadata.len()),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ]
}

/// What stands at a path. Links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Absent,
    File,
    Directory,
    Link,
    Other,
}

#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) stamps: Vec<Stamp>,
    pub(super) findings: Vec<RepositoryFinding>,
    /// Whether it is a submodule that is looked at.
    pub(super) in_submodule: bool,
    /// Repositories looked at so far.
    pub(super) visited: usize,
    /// Directory entries looked at so far.
    pub(super) entries: usize,
}

impl Look {
    pub(super) fn finds(&mut self, problem: RepositoryProblem, file: &Path) {
        self.finds_key(problem, file, None);
    }

    pub(super) fn finds_key(&mut self, problem: RepositoryProblem, file: &Path, key: Option<String>) {
        if self.findings.len() > MOST_FINDINGS {
            return;
        }
        let problem = if self.findings.len() == MOST_FINDINGS { RepositoryProblem::TooMuch } else { problem };
        let file = file.to_string_lossy().into_owned();
        self.findings.push(RepositoryFinding { problem, file, key, submodule: self.in_submodule });
    }

    /// What stands at a path, and how it may be accessed.
    pub(super) fn kind(&mut self, path: &Path) -> (Kind, u32) {
        let found = fs::symlink_metadata(path);
        self.stamps.push((path.to_owned(), found.as_ref().ok().map(state)));
        match found {
            Ok(metadata) => (kind_of(&metadata), metadata.mode()),
            Err(error) if is_absence(error.kind()) => (Kind::Absent, 0),
            Err(_) => (Kind::Other, 0),
        }
    }

    /// The content of a regular file that is no link; `None` where there is none. What is there and cannot be read is a
    /// finding.
    pub(super) fn read(&mut self, path: &Path, largest: u64) -> Result<Option<Vec<u8>>, ()> {
        match self.read_if_possible(path, largest, OFlags::NOFOLLOW) {
            Ok(content) => Ok(content),
            Err(problem) => {
                self.finds(problem, path);
                Err(())
            }
        }
    }

    /// The same for a file of the user's own, which may be a link.
    pub(super) fn read_followed(&mut self, path: &Path) -> Result<Option<Vec<u8>>, ()> {
        match self.read_if_possible(path, LARGEST_TEXT, OFlags::empty()) {
            Ok(content) => Ok(content),
            Err(problem) => {
                self.finds(problem, path);
                Err(())
            }
        }
    }

    fn read_if_possible(
        &mut self,
        path: &Path,
        largest: u64,
        flags: OFlags,
    ) -> Result<Option<Vec<u8>>, RepositoryProblem> {
        let flags = i32::try_from((flags | OFlags::NONBLOCK).bits()).unwrap_or(0);
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let file = match opened {
            Ok(file) => file,
            Err(error) => {
                let (kind, _) = self.kind(path);
                return match kind {
                    Kind::Absent if is_absence(error.kind()) => Ok(None),
                    Kind::Link => Err(RepositoryProblem::Link),
                    _ => Err(RepositoryProblem::Unreadable),
                };
            }
        };
        let unreadable = |_| RepositoryProblem::Unreadable;
        let metadata = file.metadata().map_err(unreadable)?;
        self.stamps.push((path.to_owned(), Some(state(&metadata))));
        if !metadata.is_file() || metadata.len() > largest {
            return Err(RepositoryProblem::Unreadable);
        }
        let mut content = Vec::with_capacity(usize::try_from(metadata.len() + 1).unwrap_or(0));
        file.take(largest + 1).read_to_end(&mut content).map_err(unreadable)?;
        if content.len() as u64 > largest {
            return Err(RepositoryProblem::Unreadable);
        }
        Ok(Some(content))
    }
}

/// Nothing is there, and nothing could be: a file may stand where the path needs a directory.
fn is_absence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn kind_of(metadata: &Metadata) -> Kind {
    match metadata.file_type() {
        kind if kind.is_file() => Kind::File,
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Other,
    }
}
