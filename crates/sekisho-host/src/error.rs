//! What can go wrong with a file, in words.

use std::fmt;
use std::path::PathBuf;

use sekisho_policy::ConfigError;

/// Something a file or directory of this machine did not let us do.
#[derive(Debug)]
pub enum HostError {
    /// A file or directory is not what it must be.
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it, and the way out.
        fault: String,
    },
    /// A config text has a fault.
    Config(ConfigError),
    /// The project file is not the one that was trusted, so it is not written to.
    NotTrusted {
        /// The file.
        path: PathBuf,
        /// What changed since it was last trusted, line by line; the whole file where it never was.
        diff: String,
    },
    /// Another sekisho holds the lock for too long.
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// The rule that was named is not there.
    NoSuchRule {
        /// How it was named.
        named: String,
        /// Where it was looked for.
        path: PathBuf,
    },
}

impl HostError {
    pub(crate) fn file(path: impl Into<PathBuf>, fault: impl Into<String>) -> HostError {
        HostError::File { path: path.into(), fault: fault.into() }
    }

    /// An error of the operating system on a file.
    pub(crate) fn io(path: impl Into<PathBuf>, error: &std::io::Error) -> HostError {
        HostError::file(path, plain(error))
    }
}

/// An error of the operating system without its number.
pub(crate) fn plain(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::PermissionDenied => "no permission".into(),
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::NotADirectory => "something on the way to it is not a directory".into(),
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
                "{}: nobody has trusted the file as it is now, so nothing is written to it; read it, then run `sekisho trust`",
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
