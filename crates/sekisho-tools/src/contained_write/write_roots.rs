//! The directories that may be written to.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;

use super::path_components::{Names, absolute};
use super::replaced_file::ExistingFile;
use super::resolve::{Lookup, OpenedDirectory, open_absolute, open_directory};
use super::temporary_file::TemporaryFile;
use super::write_error::WriteError;
use super::{MAX_REWRITE, WriteMode};

/// The directories that may be written to, each beneath an open handle.
///
/// A directory below the working directory is resolved from the working directory's handle at every write, and need
/// not exist yet. The working directory and any other directory are opened once, name by name, and no name may be a
/// link: a program that may write above the directory could have made one. So the paths here are the real ones.
#[derive(Debug)]
pub struct WriteRoots {
    working_dir: PathBuf,
    roots: Vec<WriteRoot>,
    lookup: Lookup,
}

#[derive(Debug)]
struct WriteRoot {
    /// Without links when it was opened.
    path: PathBuf,
    handle: OwnedFd,
    /// The names between the handle and the root.
    below: Names,
}

/// A file that may be written to.
#[derive(Debug)]
pub struct Location<'r> {
    root: &'r WriteRoot,
    lookup: Lookup,
    names: Names,
    path: PathBuf,
    protection: Option<Protection>,
}

/// Why a file of an opened directory must not be written, if it must not.
pub type Protection = fn(&OwnedFd, &OsStr) -> Option<&'static str>;

/// Why a file was not rewritten: an error of the file, or the caller's function refused.
#[derive(Debug)]
pub enum RewriteError<E> {
    /// The file cannot be read or written.
    File(WriteError),
    /// The caller's function refused.
    Refused(E),
}

/// Appending and editing read a file and then replace it, so two writes at once could lose a change. All writes
/// therefore wait for each other.
static REWRITES: Mutex<()> = Mutex::new(());

impl WriteRoots {
    /// Opens every allowed directory, or the working directory above it. Nothing is created.
    pub fn open(working_dir: &Path, allowed: &[PathBuf]) -> io::Result<WriteRoots> {
        WriteRoots::open_with(working_dir, allowed, Lookup::default())
    }

    /// Like [`open`](Self::open); `lookup` chooses how names are resolved.
    pub fn open_with(working_dir: &Path, allowed: &[PathBuf], lookup: Lookup) -> io::Result<WriteRoots> {
        let why = "the path is not absolute, is empty, or contains a NUL";
        let invalid = || io::Error::new(io::ErrorKind::InvalidInput, why);
        let working_dir = absolute(working_dir, Path::new(".")).ok_or_else(invalid)?;
        let mut roots = Vec::new();
        for directory in allowed {
            let path = absolute(&working_dir, directory).ok_or_else(invalid)?;
            roots.push(WriteRoot::open(&working_dir, path, lookup)?);
        }
        Ok(WriteRoots { working_dir, roots, lookup })
    }

    /// The path as an absolute one. `None` if it is empty or contains a NUL.
    pub fn absolute(&self, path: &str) -> Option<PathBuf> {
        absolute(&self.working_dir, Path::new(path))
    }

    /// The place of an absolute path, if it is below one of the directories. Decided by names alone, so that a
    /// directory `/a/b` does not contain `/a/b_c/d`.
    pub fn locate(&self, path: &Path) -> Option<Location<'_>> {
        let below = |root: &WriteRoot| Names::new(path.strip_prefix(&root.path).ok()?);
        let mut found: Option<(&WriteRoot, Names)> = None;
        for root in &self.roots {
            if let Some(names) = below(root)
                && found.as_ref().is_none_or(|(other, _)| root.path.starts_with(&other.path))
            {
                found = Some((root, names));
            }
        }
        let (root, names) = found?;
        Some(Location { root, lookup: self.lookup, names, path: path.to_owned(), protection: None })
    }
}

impl WriteRoot {
    fn open(working_dir: &Path, path: PathBuf, lookup: Lookup) -> io::Result<WriteRoot> {
        let mut start = if path.starts_with(working_dir) { working_dir } else { path.as_path() };
        let handle = loop {
            match open_absolute(lookup, start) {
                Err(Errno::NOENT) if start != working_dir => {
                    start = start.parent().ok_or(Errno::NOENT)?;
                }
                Err(Errno::LOOP | Errno::NOTDIR) => return Err(no_directory(start)),
                opened => break opened?,
            }
        };
        let rest = path.strip_prefix(start).unwrap_or(Path::new(""));
        let below = Names::new(rest).unwrap_or_default();
        Ok(WriteRoot { path, handle, below })
    }
}

/// Why a path cannot be opened without following links. Only words: the path may lead elsewhere by now.
fn no_directory(path: &Path) -> io::Error {
    let Some(link) = path.ancestors().filter(|path| path.is_symlink()).last() else {
        return io::Error::other(format!("`{}` is not a directory", path.display()));
    };
    let (link, real) = (link.display(), link.canonicalize().unwrap_or_default());
    let real = real.display();
    io::Error::other(format!("`{link}` is a link and leads to `{real}`; name that directory instead"))
}

impl Location<'_> {
    /// The absolute path, without links as far as its root.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Has this function look at the file's directory, once that is open: meanwhile the path may lead to another one.
    #[must_use]
    pub fn protected_by(mut self, protection: Protection) -> Self {
        self.protection = Some(protection);
        self
    }

    fn check(&self, directory: &OwnedFd, name: &OsStr) -> Result<(), WriteError> {
        let protected = self.protection.and_then(|protection| protection(directory, name));
        protected.map_or(Ok(()), |what| Err(WriteError::Protected(what)))
    }

    /// Writes the file. Missing directories are created, and removed again if the write fails.
    pub fn write(&self, contents: &[u8], mode: WriteMode) -> Result<(), WriteError> {
        let _one_at_a_time = REWRITES.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.root.below.join(&self.names);
        let (directories, name) = all.split().ok_or(WriteError::NotRegular(super::FileKind::Directory))?;
        if self.names.split().is_none() {
            return Err(WriteError::NotRegular(super::FileKind::Directory));
        }
        let directory = OpenedDirectory::open_or_create(self.lookup, self.root.handle.as_fd(), &directories)?;
        let handle = &directory.handle;
        self.check(handle, name)?;
        if mode == WriteMode::Create {
            if rustix::fs::statat(handle, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                return Err(WriteError::Exists);
            }
            TemporaryFile::create(handle, &[contents], None)?.rename(name, false)?;
        } else {
            let appends = mode == WriteMode::Append;
            let mut existing = ExistingFile::find(handle, name, appends)?;
            let before = match &mut existing {
                Some(file) if appends => file.read()?,
                _ => Vec::new(),
            };
            if appends && before.len().saturating_add(contents.len()) as u64 > MAX_REWRITE {
                return Err(WriteError::TooLarge);
            }
            let temporary = TemporaryFile::create(handle, &[&before, contents], existing.as_ref())?;
            finish(temporary, existing.as_ref(), handle, name)?;
        }
        directory.keep();
        Ok(())
    }

    /// Replaces the contents of an existing file with the result of a function. Nothing is created.
    pub fn rewrite<E>(
        &self,
        change: impl FnOnce(Vec<u8>) -> Result<Vec<u8>, E>,
    ) -> Result<(), RewriteError<E>> {
        let _one_at_a_time = REWRITES.lock().unwrap_or_else(PoisonError::into_inner);
        let is_directory = || RewriteError::File(WriteError::NotRegular(super::FileKind::Directory));
        self.names.split().ok_or_else(is_directory)?;
        let all = self.root.below.join(&self.names);
        let (directories, name) = all.split().ok_or_else(is_directory)?;
        let handle = match open_directory(self.lookup, self.root.handle.as_fd(), &directories) {
            Err(WriteError::MissingDirectory) => return Err(RewriteError::File(WriteError::NotFound)),
            opened => opened.map_err(RewriteError::File)?,
        };
        self.check(&handle, name).map_err(RewriteError::File)?;
        let existing = ExistingFile::find(&handle, name, true).map_err(RewriteError::File)?;
        let mut existing = existing.ok_or(RewriteError::File(WriteError::NotFound))?;
        let before = existing.read().map_err(RewriteError::File)?;
        let after = change(before).map_err(RewriteError::Refused)?;
        if after.len() as u64 > MAX_REWRITE {
            return Err(RewriteError::File(WriteError::TooLarge));
        }
        let temporary = TemporaryFile::create(&handle, &[&after], Some(&existing));
        let temporary = temporary.map_err(RewriteError::File)?;
        finish(temporary, Some(&existing), &handle, name).map_err(RewriteError::File)
    }
}

/// Renames the temporary file, unless the file that it replaces has changed.
fn finish(
    temporary: TemporaryFile<'_>,
    existing: Option<&ExistingFile>,
    directory: &OwnedFd,
    name: &OsStr,
) -> Result<(), WriteError> {
    match existing {
        Some(file) if !file.is_unchanged(directory, name) => Err(WriteError::Changed),
        Some(_) => temporary.rename(name, true),
        // A file that appeared in the meantime is not replaced.
        None => match temporary.rename(name, false) {
            Err(WriteError::Exists) => Err(WriteError::Changed),
            renamed => renamed,
        },
    }
}
