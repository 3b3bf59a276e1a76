//! Errors of a copy, public and internal.

use std::fmt;

use sekisho_gate::ledger::LedgerError;

use crate::error::StoreError;
use crate::transaction_error::TransactionError;

/// Why nothing was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyError {
    /// The file or the database cannot be used.
    Store(StoreError),
    /// The copy failed on the way.
    Broken(LedgerError),
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CopyError::Store(error) => error.fmt(f),
            CopyError::Broken(error) => f.write_str(&error.message),
        }
    }
}

impl std::error::Error for CopyError {}

impl From<StoreError> for CopyError {
    fn from(error: StoreError) -> CopyError {
        CopyError::Store(error)
    }
}

/// Which side failed.
pub(super) enum CopyFailure {
    Source(TransactionError),
    Target(TransactionError),
    /// The target already has rows.
    NotEmpty(&'static str),
}
