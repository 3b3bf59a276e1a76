//! Why a store could not be opened.

use std::fmt;
use std::path::PathBuf;

/// Why a store could not be opened: which file, what is wrong with it, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// A later version of sekisho has written the file. Nothing of it was touched.
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its tables.
        found: i64,
        /// The latest version this program knows.
        known: i64,
    },
    /// The file cannot be used.
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do about it.
        way_out: &'static str,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Newer { path, found, known } => write!(
                f,
                "database `{}` has version {found} and this sekisho knows versions up to {known}: update sekisho, or name another file",
                path.display()
            ),
            StoreError::Unusable { path, what, way_out } => {
                write!(f, "database `{}`: {what}: {way_out}", path.display())
            }
        }
    }
}

impl std::error::Error for StoreError {}
