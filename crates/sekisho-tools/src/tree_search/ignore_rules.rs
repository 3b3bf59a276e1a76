//! The ignore files that apply to a directory, read with care.
//!
//! Precedence is ripgrep's: `.rgignore` before `.ignore` before `.gitignore` before `.git/info/exclude`, and of each
//! kind the nearest file that says anything. Git's files count only inside a repository. The user's global ignore
//! file is not read.

use std::ffi::CStr;
use std::io::Read as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};

use super::globs::MAX_BRACES;
use crate::file_access::{StopSignal, is_regular, open_entry};

/// The largest ignore file that is used, in bytes.
const MAX_FILE: u64 = 256 << 10;
/// All ignore files of a search together.
const MAX_BYTES: u64 = 1 << 20;
/// Lines of all ignore files of a search together.
const MAX_LINES: u64 = 32 << 10;
/// A longer line is not used, in bytes.
const MAX_LINE: usize = 1024;
/// A line with more wildcards is not used. Each takes hundreds of bytes when it is compiled.
const MAX_WILDCARDS: usize = 32;
/// Wildcards of all ignore files of a search together.
const MAX_ALL_WILDCARDS: u64 = 64 << 10;

/// What ignore files say about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// Nothing.
    Unlisted,
    /// It is ignored.
    Ignored,
    /// It is included, even if it is hidden.
    Included,
}

/// The ignore files of a directory and of those above it.
pub(super) struct IgnoreRules {
    parent: Option<Arc<IgnoreRules>>,
    /// From the strongest kind to the weakest.
    rgignore: Gitignore,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    is_repository: bool,
    in_repository: bool,
}

impl IgnoreRules {
    /// What the files say about a path below the directory, absolute.
    pub(super) fn listing(&self, path: &Path, is_directory: bool) -> Listing {
        let mut found = [Listing::Unlisted; 4];
        let mut left_repository = false;
        let mut rules = Some(self);
        while let Some(here) = rules {
            let git = self.in_repository && !left_repository;
            let files =
                [(&here.rgignore, true), (&here.ignore, true), (&here.gitignore, git), (&here.exclude, git)];
            for (known, (file, counts)) in found.iter_mut().zip(files) {
                if counts && *known == Listing::Unlisted && !file.is_empty() {
                    *known = match file.matched(path, is_directory) {
                        Match::None => Listing::Unlisted,
                        Match::Ignore(_) => Listing::Ignored,
                        Match::Whitelist(_) => Listing::Included,
                    };
                }
            }
            // What is above a repository's root is not the repository's.
            left_repository |= here.is_repository;
            rules = here.parent.as_deref();
        }
        found.into_iter().find(|one| *one != Listing::Unlisted).unwrap_or(Listing::Unlisted)
    }
}

/// Which names that matter here a directory contains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IgnoreFileNames {
    rgignore: bool,
    ignore: bool,
    gitignore: bool,
    git: Option<FileType>,
    other_repository: bool,
}

impl IgnoreFileNames {
    /// Notes an entry of the directory.
    pub(super) fn add(&mut self, name: &CStr, kind: FileType) {
        match name.to_bytes() {
            b".rgignore" => self.rgignore = true,
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = Some(kind),
            b".jj" => self.other_repository = true,
            _ => {}
        }
    }

    fn look_up(directory: BorrowedFd<'_>) -> IgnoreFileNames {
        let mut names = IgnoreFileNames::default();
        for name in [c".rgignore", c".ignore", c".gitignore", c".git", c".jj"] {
            if let Ok(stat) = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                names.add(name, FileType::from_raw_mode(stat.st_mode));
            }
        }
        names
    }

    /// A link to a repository is not a repository.
    fn is_repository(&self) -> bool {
        matches!(self.git, Some(FileType::Directory | FileType::RegularFile)) || self.other_repository
    }

    fn is_empty(&self) -> bool {
        !(self.rgignore || self.ignore || self.gitignore || self.is_repository())
    }
}

/// Reads the ignore files of one search, within limits.
pub(super) struct IgnoreReader<'s> {
    stop: &'s StopSignal,
    bytes: AtomicU64,
    lines: AtomicU64,
    wildcards: AtomicU64,
    unused: AtomicU64,
}

impl<'s> IgnoreReader<'s> {
    pub(super) fn new(stop: &'s StopSignal) -> IgnoreReader<'s> {
        IgnoreReader {
            stop,
            bytes: AtomicU64::new(MAX_BYTES),
            lines: AtomicU64::new(MAX_LINES),
            wildcards: AtomicU64::new(MAX_ALL_WILDCARDS),
            unused: AtomicU64::new(0),
        }
    }

    /// How many ignore files are not used, or not completely, because they are links, pipes or too large.
    pub(super) fn unused_files(&self) -> u64 {
        self.unused.load(Ordering::Relaxed)
    }

    /// The rules of the directories above a start directory, absolute and without links: up to the root of its
    /// repository, or else up to the workspace.
    pub(super) fn above(&self, start: &Path, workspace: &Path) -> Option<Arc<IgnoreRules>> {
        let mut directories = Vec::new();
        let mut in_workspace = 0;
        let mut repository = None;
        for (depth, path) in start.ancestors().enumerate() {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let Ok(handle) = rustix::fs::open(path, flags, Mode::empty()) else { break };
            let names = IgnoreFileNames::look_up(handle.as_fd());
            if path.starts_with(workspace) {
                in_workspace = depth + 1;
            }
            directories.push((path, handle, names));
            if names.is_repository() {
                repository = Some(depth + 1);
                break;
            }
        }
        directories.truncate(repository.unwrap_or(in_workspace));
        let mut rules = None;
        // The start directory itself is the first of them; the walk reads its files.
        for (path, handle, names) in directories.iter().skip(1).rev() {
            rules = self.below(rules, handle.as_fd(), path, *names);
        }
        rules
    }

    /// The rules of a directory, given those above it.
    pub(super) fn below(
        &self,
        parent: Option<Arc<IgnoreRules>>,
        directory: BorrowedFd<'_>,
        path: &Path,
        names: IgnoreFileNames,
    ) -> Option<Arc<IgnoreRules>> {
        if names.is_empty() {
            return parent;
        }
        let is_repository = names.is_repository();
        let in_repository = is_repository || parent.as_ref().is_some_and(|parent| parent.in_repository);
        let read = |is_there: bool, name: &CStr| match is_there {
            true => self.read(directory, name, path),
            false => Gitignore::empty(),
        };
        let exclude = match names.git {
            Some(FileType::Directory) => self.read_exclude(directory, path),
            _ => Gitignore::empty(),
        };
        Some(Arc::new(IgnoreRules {
            rgignore: read(names.rgignore, c".rgignore"),
            ignore: read(names.ignore, c".ignore"),
            gitignore: read(names.gitignore && in_repository, c".gitignore"),
            exclude,
            is_repository,
            in_repository,
            parent,
        }))
    }

    fn read_exclude(&self, directory: BorrowedFd<'_>, path: &Path) -> Gitignore {
        let enter = |from: BorrowedFd<'_>, name: &CStr| -> Option<OwnedFd> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            openat(from, name, flags, Mode::empty()).ok()
        };
        let info = enter(directory, c".git").and_then(|git| enter(git.as_fd(), c"info"));
        let Some(info) = info else { return Gitignore::empty() };
        match statat(&info, c"exclude", AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => self.read(info.as_fd(), c"exclude", path),
            Err(_) => Gitignore::empty(),
        }
    }

    /// The rules of a file. Lines that are no patterns are left out, and never shown to anyone.
    fn read(&self, directory: BorrowedFd<'_>, name: &CStr, path: &Path) -> Gitignore {
        let Some(text) = self.text(directory, name) else {
            self.unused.fetch_add(1, Ordering::Relaxed);
            return Gitignore::empty();
        };
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
        let mut builder = GitignoreBuilder::new(path);
        for line in text.split(|byte| *byte == b'\n') {
            // Compiling takes a while; nobody waits for it after the signal.
            if self.stop.reason().is_some() {
                return Gitignore::empty();
            }
            let Ok(line) = std::str::from_utf8(line) else { continue };
            let line = line.strip_suffix('\r').unwrap_or(line);
            let wildcards = line.bytes().filter(|byte| b"*?[{".contains(byte)).count();
            let is_usable = line.len() <= MAX_LINE
                && line.matches('{').count() <= MAX_BRACES
                && wildcards <= MAX_WILDCARDS;
            if line.is_empty() || !is_usable {
                continue;
            }
            if !take(&self.lines, 1) || !take(&self.wildcards, wildcards as u64) {
                self.unused.fetch_add(1, Ordering::Relaxed);
                break;
            }
            let _ = builder.add_line(None, line);
        }
        builder.build().unwrap_or_else(|_| Gitignore::empty())
    }

    /// The contents of a regular file within the limits.
    fn text(&self, directory: BorrowedFd<'_>, name: &CStr) -> Option<Vec<u8>> {
        let file = open_entry(directory, name).ok()?;
        let stat = fstat(&file).ok()?;
        let size = u64::try_from(stat.st_size).ok().filter(|size| *size <= MAX_FILE)?;
        if !is_regular(&stat) || !take(&self.bytes, size) {
            return None;
        }
        let mut text = Vec::new();
        file.take(size).read_to_end(&mut text).ok()?;
        Some(text)
    }
}

/// Takes an amount from what is left, if that is enough.
fn take(left: &AtomicU64, amount: u64) -> bool {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_compiled_after_the_signal() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(".ignore"), "a\n").unwrap();
        let handle = std::fs::File::open(dir.path()).unwrap();
        let mut names = IgnoreFileNames::default();
        names.add(c".ignore", FileType::RegularFile);
        for (stop, expected) in
            [(StopSignal::never(), Listing::Ignored), (StopSignal::expired(), Listing::Unlisted)]
        {
            let rules = IgnoreReader::new(&stop).below(None, handle.as_fd(), dir.path(), names).unwrap();
            assert_eq!(rules.listing(&dir.path().join("a"), false), expected);
        }
    }
}
