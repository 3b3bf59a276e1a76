//! One scan of a repository: its findings, and the state of every file that was read or did not exist.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use sekisho_policy::{RepositoryFinding, RepositoryProblem};

use super::tracked_files::TrackedFiles;

/// Larger files are not read, apart from indexes. Git reads no gitfile larger than one mebibyte.
pub(super) const LARGEST_TEXT: u64 = 1 << 20;
/// The most files and the most bytes that are read: includes, alternates and submodules can refer to each
/// other.
const MOST_READS: usize = 4096;
const MOST_BYTES: usize = 64 << 20;
/// The most findings that are listed.
const MOST_FINDINGS: usize = 64;

/// The state of files when they were read, or their absence. One buffer holds all paths, because a hook
/// stamps a hundred files once.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    paths: Vec<u8>,
    /// Where a path ends in `paths`, and the state of the file.
    states: Vec<(usize, Option<State>)>,
}

/// What distinguishes one state of a file from another.
type State = [i64; 6];

impl Stamps {
    fn push(&mut self, path: &Path, state: Option<State>) {
        self.paths.extend_from_slice(path.as_os_str().as_bytes());
        self.states.push((self.paths.len(), state));
    }

    /// Whether every file is unchanged.
    pub(super) fn are_unchanged(&self) -> bool {
        let mut start = 0;
        self.states.iter().all(|(end, before)| {
            let path = self.paths.get(start..*end).unwrap_or_default();
            start = *end;
            fs::symlink_metadata(OsStr::from_bytes(path)).ok().as_ref().map(state) == *before
        })
    }
}

fn state(metadata: &Metadata) -> State {
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

/// What is at a path. Links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Absent,
    File,
    Directory,
    Link,
    Other,
}

#[derive(Debug, Default)]
pub(super) struct RepositoryScan {
    pub(super) stamps: Stamps,
    pub(super) findings: Vec<RepositoryFinding>,
    /// Whether a submodule is being scanned.
    pub(super) in_submodule: bool,
    /// Repositories scanned so far.
    pub(super) visited: usize,
    /// Files read so far, and their bytes.
    reads: usize,
    bytes: usize,
    /// Directory entries read so far.
    pub(super) entries: usize,
    /// The index of the repository itself.
    pub(super) tracked: Option<TrackedFiles>,
}

impl RepositoryScan {
    /// Bytes read so far.
    pub(super) fn bytes_read(&self) -> usize {
        self.bytes
    }

    pub(super) fn add_finding(&mut self, problem: RepositoryProblem, file: &Path) {
        self.add_setting_finding(problem, file, None);
    }

    pub(super) fn add_setting_finding(
        &mut self,
        problem: RepositoryProblem,
        file: &Path,
        key: Option<String>,
    ) {
        self.add(problem, file, key, false);
    }

    /// Adds what matters only to commands that change the repository.
    pub(super) fn add_writers_finding(
        &mut self,
        problem: RepositoryProblem,
        file: &Path,
        key: Option<String>,
    ) {
        self.add(problem, file, key, true);
    }

    fn add(&mut self, problem: RepositoryProblem, file: &Path, key: Option<String>, writes: bool) {
        if self.findings.len() > MOST_FINDINGS {
            return;
        }
        let is_full = self.findings.len() == MOST_FINDINGS;
        // What is left out may matter to every command.
        let (problem, writes) = if is_full { (RepositoryProblem::TooMuch, false) } else { (problem, writes) };
        let file = file.to_string_lossy().into_owned();
        self.findings.push(RepositoryFinding { problem, file, key, submodule: self.in_submodule, writes });
    }

    /// What is at a path, and its mode.
    pub(super) fn kind(&mut self, path: &Path) -> (Kind, u32) {
        let found = fs::symlink_metadata(path);
        self.stamps.push(path, found.as_ref().ok().map(state));
        match found {
            Ok(metadata) => (kind_of(&metadata), metadata.mode()),
            Err(error) if is_absence(error.kind()) => (Kind::Absent, 0),
            Err(_) => (Kind::Other, 0),
        }
    }

    /// Stamps an open file.
    pub(super) fn stamp_open(&mut self, path: &Path, file: &File) {
        self.stamps.push(path, file.metadata().ok().as_ref().map(state));
    }

    /// The content of a regular file that is not a link; `None` if there is no file. A file that cannot be
    /// read is a finding.
    pub(super) fn read(&mut self, path: &Path, largest: u64) -> Result<Option<Vec<u8>>, ()> {
        match self.read_if_possible(path, largest, OFlags::NOFOLLOW) {
            Ok(content) => Ok(content),
            Err(problem) => {
                self.add_finding(problem, path);
                Err(())
            }
        }
    }

    /// The same for a file of the user, which may be a link.
    pub(super) fn read_followed(&mut self, path: &Path) -> Result<Option<Vec<u8>>, ()> {
        match self.read_if_possible(path, LARGEST_TEXT, OFlags::empty()) {
            Ok(content) => Ok(content),
            Err(problem) => {
                self.add_finding(problem, path);
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
        self.reads += 1;
        if self.reads > MOST_READS || self.bytes > MOST_BYTES {
            return Err(RepositoryProblem::TooMuch);
        }
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
        self.stamps.push(path, Some(state(&metadata)));
        if !metadata.is_file() || metadata.len() > largest {
            return Err(RepositoryProblem::Unreadable);
        }
        let mut content = Vec::with_capacity(usize::try_from(metadata.len() + 1).unwrap_or(0));
        file.take(largest + 1).read_to_end(&mut content).map_err(unreadable)?;
        self.bytes += content.len();
        if content.len() as u64 > largest {
            return Err(RepositoryProblem::Unreadable);
        }
        Ok(Some(content))
    }
}

/// Whether the path does not exist and could not: a file may be where the path needs a directory.
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{Kind, MOST_BYTES, MOST_FINDINGS, MOST_READS, RepositoryProblem, RepositoryScan};

    #[test]
    fn kinds_are_distinguished() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("file"), "").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("loop", at("loop")).unwrap();
        let mut scan = RepositoryScan::default();
        let mut check = |path: &Path, expected: Kind| assert_eq!(scan.kind(path).0, expected, "{path:?}");
        check(directory.path(), Kind::Directory);
        check(&at("file"), Kind::File);
        check(&at("link"), Kind::Link);
        check(&at("none"), Kind::Absent);
        check(&at("file/below"), Kind::Absent);
        check(Path::new("/dev/null"), Kind::Other);
        check(&at("loop/below"), Kind::Other);
        assert_eq!(scan.read(&at("link"), 4), Err(()));
        assert_eq!(scan.findings.first().unwrap().problem, RepositoryProblem::Link);
    }

    #[test]
    fn reads_and_findings_are_limited() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "four").unwrap();
        let read = |reads: usize, bytes: usize| {
            let mut scan = RepositoryScan { reads, bytes, ..RepositoryScan::default() };
            scan.read(&file, 4).map(|_| scan.bytes_read())
        };
        assert_eq!(read(MOST_READS - 1, 3), Ok(7));
        assert_eq!(read(MOST_READS, 0), Err(()));
        assert_eq!(read(0, MOST_BYTES), Ok(MOST_BYTES + 4));
        assert_eq!(read(0, MOST_BYTES + 1), Err(()));
        let mut scan = RepositoryScan::default();
        for _ in 0..MOST_FINDINGS + 2 {
            scan.add_finding(RepositoryProblem::Hook, &file);
        }
        assert_eq!(scan.findings.len(), MOST_FINDINGS + 1);
        assert_eq!(scan.findings.last().unwrap().problem, RepositoryProblem::TooMuch);
    }

    #[test]
    fn files_up_to_the_limit_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "four").unwrap();
        assert_eq!(RepositoryScan::default().read(&file, 4), Ok(Some(b"four".to_vec())));
        assert_eq!(RepositoryScan::default().read(&file, 3), Err(()));
    }

    #[test]
    fn stamps_are_valid_until_a_file_changes() {
        let directory = tempfile::tempdir().unwrap();
        let (file, other) = (directory.path().join("file"), directory.path().join("other"));
        fs::write(&file, "a").unwrap();
        let mut scan = RepositoryScan::default();
        scan.read(&file, 9).unwrap();
        scan.kind(&other);
        assert!(scan.stamps.are_unchanged());
        fs::write(&other, "").unwrap();
        assert!(!scan.stamps.are_unchanged());
    }
}
