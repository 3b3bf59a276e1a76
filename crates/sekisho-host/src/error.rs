//! Errors about files of this machine.

use std::fmt;
use std::path::PathBuf;

use sekisho_policy::ConfigError;

/// An error about a file or directory of this machine.
#[derive(Debug)]
pub enum HostError {
    /// A file or directory is not as it must be.
    File {
        /// Its path.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        fault: String,
    },
    /// A config text is invalid.
    Config(ConfigError),
    /// The project file is not the one that was trusted, so it is not written.
    NotTrusted {
        /// The file.
        path: PathBuf,
        /// What changed since it was last trusted, as a line diff; the whole file if it was never trusted.
        diff: String,
    },
    /// Another sekisho has held the lock for too long.
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// The named rule does not exist.
    NoSuchRule {
        /// The name that was used.
        named: String,
        /// The file that was searched.
        path: PathBuf,
    },
}

impl HostError {
    pub(crate) fn file(path: impl Into<PathBuf>, fault: impl Into<String>) -> HostError {
        HostError::File { path: path.into(), fault: fault.into() }
    }

    /// An operating system error about a file.
    pub(crate) fn io(path: impl Into<PathBuf>, error: &std::io::Error) -> HostError {
        HostError::file(path, plain(error))
    }
}

/// The text of an operating system error, without its number.
pub(crate) fn plain(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::PermissionDenied => "no permission".into(),
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::NotADirectory => "a part of the path is not a directory".into(),
        ErrorKind::StorageFull => "the disk is full".into(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_lowercase()
        }
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostError::File { path, fault } => write!(f, "{}: {fault}", path.display()),
            HostError::Config(error) => error.fmt(f),
            HostError::NotTrusted { path, .. } => write!(
                f,
                "{}: the file is not trusted as it is now, so it was not changed; read it, then run `sekisho trust`",
                path.display()
            ),
            HostError::Busy { path } => {
                write!(f, "{}: another sekisho is writing; try again in a moment", path.display())
            }
            HostError::NoSuchRule { named, path } => {
                write!(f, "{}: there is no rule at `{named}`; see `sekisho rules list`", path.display())
            }
        }
    }
}

impl std::error::Error for HostError {}

impl From<ConfigError> for HostError {
    fn from(error: ConfigError) -> HostError {
        HostError::Config(error)
    }
}
