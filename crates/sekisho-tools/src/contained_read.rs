//! Reads small files beneath a directory.
//!
//! Names are resolved from an open handle of the directory, so that no link and no `..` leads out of it. Pipes,
//! sockets and devices are never waited for.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;

/// A directory whose files are read.
#[derive(Debug)]
pub(crate) struct ReadRoot(OwnedFd);

/// Why a file was not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// It does not exist.
    Missing,
    /// It has more bytes than the limit.
    TooLarge,
    /// It is no regular file, or its path leads out of the directory.
    NotAFile,
    /// The system's message.
    Io(String),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        ReadError::Io(error.to_string().to_lowercase())
    }
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

impl ReadRoot {
    /// Opens a directory. It may be a link itself.
    pub(crate) fn open(directory: &Path) -> io::Result<ReadRoot> {
        Ok(ReadRoot(open(directory, DIRECTORY, Mode::empty())?))
    }

    /// Reads a file of at most this many bytes, by a relative path.
    pub(crate) fn read(&self, path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        self.file(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(ReadError::TooLarge) } else { Ok(bytes) }
    }

    /// Whether there is a file with this relative path.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        self.file(path).is_ok()
    }

    fn file(&self, path: &Path) -> Result<File, ReadError> {
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(ReadError::NotAFile);
        }
        let opened = open_beneath(&self.0, path).map_err(|errno| match errno {
            Errno::NOENT => ReadError::Missing,
            Errno::LOOP | Errno::NOTDIR | Errno::XDEV | Errno::NXIO => ReadError::NotAFile,
            errno => ReadError::from(io::Error::from(errno)),
        })?;
        let file = File::from(opened);
        if file.metadata()?.is_file() { Ok(file) } else { Err(ReadError::NotAFile) }
    }
}

/// How often `openat2` is tried while directories are being moved.
#[cfg(target_os = "linux")]
const ATTEMPTS: usize = 16;

/// Opens a file by one `openat2`, which follows links only while they stay beneath the directory. Where the kernel has
/// none, no link is followed.
#[cfg(target_os = "linux")]
fn open_beneath(root: &OwnedFd, path: &Path) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let mut answer = Err(Errno::AGAIN);
    for _ in 0..ATTEMPTS {
        answer = openat2(root.as_fd(), path, FILE, Mode::empty(), resolve);
        match answer {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // A filter that does not know the call may answer either.
            Err(Errno::NOSYS | Errno::PERM) => return open_stepwise(root, path),
            answer => return answer,
        }
    }
    answer
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(root: &OwnedFd, path: &Path) -> Result<OwnedFd, Errno> {
    open_stepwise(root, path)
}

/// Opens one name after the other and follows no link.
fn open_stepwise(root: &OwnedFd, path: &Path) -> Result<OwnedFd, Errno> {
    let names = path.parent().into_iter().flat_map(Path::components);
    let mut directory = openat(root, ".", DIRECTORY, Mode::empty())?;
    for name in names {
        directory = openat(&directory, name.as_os_str(), DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?;
    }
    openat(&directory, path.file_name().unwrap_or_default(), FILE | OFlags::NOFOLLOW, Mode::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    type Opener = fn(&OwnedFd, &Path) -> Result<OwnedFd, Errno>;

    #[test]
    fn nothing_outside_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(dir.path().join("secret"), "s").unwrap();
        fs::write(root.join("sub/file"), "inside").unwrap();
        symlink(dir.path().join("secret"), root.join("absolute")).unwrap();
        symlink("../secret", root.join("relative")).unwrap();
        symlink(dir.path(), root.join("above")).unwrap();
        symlink("sub/file", root.join("within")).unwrap();
        let opened = ReadRoot::open(&root).unwrap();
        let read = |path: &str, most: u64| opened.read(Path::new(path), most);
        assert_eq!(read("sub/file", 6), Ok(b"inside".to_vec()));
        assert_eq!(read("sub/file", 5), Err(ReadError::TooLarge));
        assert_eq!(read("none", 5), Err(ReadError::Missing));
        for path in
            ["absolute", "relative", "above/secret", "sub", "../secret", "sub/../../secret", "/etc/passwd"]
        {
            assert_eq!(read(path, 100), Err(ReadError::NotAFile), "{path}");
        }
        // Where links inside are not followed, they are refused.
        let openers: [Opener; 2] = [open_beneath, open_stepwise];
        for open in openers {
            assert!(open(&opened.0, Path::new("sub/file")).is_ok());
            for path in ["absolute", "relative", "above/secret"] {
                assert!(open(&opened.0, Path::new(path)).is_err(), "{path}");
            }
        }
    }

    #[test]
    fn pipe_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            dir.path().join("pipe"),
            rustix::fs::FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let opened = ReadRoot::open(dir.path()).unwrap();
        assert_eq!(opened.read(Path::new("pipe"), 10), Err(ReadError::NotAFile));
    }
}
