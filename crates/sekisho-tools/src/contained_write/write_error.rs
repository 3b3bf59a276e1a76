//! Why a file was not written.

use std::fmt;
use std::io;

use rustix::fs::FileType;
use rustix::io::Errno;

/// Why a file was not written. The old file, if there was one, is unchanged, except as [`WriteStep::SyncDirectory`]
/// says.
#[derive(Debug)]
pub enum WriteError {
    /// The name is taken.
    Exists,
    /// There is no such file.
    NotFound,
    /// The path names a directory that is missing, and it may not be created.
    MissingDirectory,
    /// A directory on the way is a symbolic link, or not a directory.
    NotADirectory,
    /// The name belongs to something other than a regular file.
    NotRegular(FileKind),
    /// The file makes or controls a git repository: why, in a few words.
    Protected(&'static str),
    /// The old or the new contents exceed [`MAX_REWRITE`](super::MAX_REWRITE).
    TooLarge,
    /// Another process changed the file or its directory at the same time.
    Changed,
    /// A step failed.
    Io(WriteStep, io::Error),
}

/// A step of writing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteStep {
    /// Opening the file's directory.
    Resolve,
    /// Creating a directory.
    CreateDirectory,
    /// Opening or reading the old file.
    Open,
    /// Writing the new contents to a temporary file.
    Write,
    /// Renaming the temporary file.
    Rename,
    /// Making the rename durable. The new contents are in place, but may not survive a power failure.
    SyncDirectory,
}

/// What a name belongs to, if not to a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
    /// Anything else.
    Other,
}

impl FileKind {
    pub(super) fn of(kind: FileType) -> FileKind {
        match kind {
            FileType::Directory => FileKind::Directory,
            FileType::Symlink => FileKind::Symlink,
            FileType::Fifo => FileKind::Fifo,
            FileType::Socket => FileKind::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
            _ => FileKind::Other,
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileKind::Directory => "a directory",
            FileKind::Symlink => "a symbolic link",
            FileKind::Fifo => "a FIFO",
            FileKind::Socket => "a socket",
            FileKind::Device => "a device",
            FileKind::Other => "not a regular file",
        })
    }
}

impl WriteError {
    pub(super) fn at(step: WriteStep) -> impl Fn(Errno) -> WriteError {
        move |errno| WriteError::Io(step, errno.into())
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Exists => f.write_str("the file exists"),
            WriteError::NotFound => f.write_str("no such file"),
            WriteError::MissingDirectory => f.write_str("its directory does not exist"),
            WriteError::NotADirectory => {
                f.write_str("a directory in the path is a symbolic link, or not a directory")
            }
            WriteError::NotRegular(kind) => write!(f, "it is {kind}"),
            WriteError::Protected(what) => write!(f, "it is protected ({what})"),
            WriteError::TooLarge => write!(f, "it is larger than {} bytes", super::MAX_REWRITE),
            WriteError::Changed => f.write_str("another process changed it at the same time; try again"),
            WriteError::Io(_, error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {}
