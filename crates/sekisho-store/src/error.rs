//! Errors of opening a store.

use std::fmt;
use std::path::PathBuf;

/// Why a store could not be opened: which file, what is wrong with it, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// A later version of sekisho wrote the file. Nothing in it was changed.
    Newer {
        /// Path of the database.
        path: PathBuf,
        /// Schema version of the database.
        found: i64,
        /// The latest schema version this program knows.
        known: i64,
    },
    /// The database cannot be used.
    Unusable {
        /// Path of the database.
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
                "database `{}` has version {found}, but this sekisho supports versions up to {known}: update sekisho, or use another file",
                path.display()
            ),
            StoreError::Unusable { path, what, way_out } => {
                write!(f, "database `{}`: {what}: {way_out}", path.display())
            }
        }
    }
}

impl std::error::Error for StoreError {}
