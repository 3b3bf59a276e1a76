//! Classifies SQLite's errors: retry later, or check the file.

use rusqlite::{Error, ErrorCode};

use crate::transaction_error::TransactionError;

impl From<Error> for TransactionError {
    fn from(error: Error) -> TransactionError {
        TransactionError::Database {
            what: error.to_string().replace('\n', " "),
            passing: is_transient(&error),
        }
    }
}

/// A lock, a disk or a permission: nothing is wrong with the stored data.
pub(super) fn is_transient(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::OutOfMemory
                | ErrorCode::OperationInterrupted
                | ErrorCode::OperationAborted
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::SchemaChanged
        )
    )
}

/// Another connection is writing.
pub(super) fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
