//! Errors inside a transaction, before the database they concern is named.

use sekisho_gate::ledger::LedgerError;
use sekisho_gate::record::AuditEntry;

/// Why a transaction failed.
#[derive(Clone, Debug)]
pub(crate) enum TransactionError {
    /// The database reported an error.
    Database {
        /// The database's own message.
        what: String,
        /// Whether the error is transient.
        passing: bool,
    },
    /// Stored data contradicts itself, or a value could not be stored so that it can be read again.
    Inconsistent(String),
    /// These entries have to be masked before they can be written. The request is sent back and retried.
    Unmasked(Vec<AuditEntry>),
}

/// The message for entries that were not masked.
pub(crate) const UNMASKED: &str = "an audit entry was not masked and was not written: try again";

/// The result of a step of a transaction.
pub(crate) type TransactionResult<T> = Result<T, TransactionError>;

impl TransactionError {
    /// Stored data, or data to be stored, is inconsistent.
    pub(crate) fn inconsistent(what: impl Into<String>) -> TransactionError {
        TransactionError::Inconsistent(what.into())
    }

    /// The error as the gate sees it; `place` names the database.
    pub(crate) fn to_ledger_error(&self, place: &str) -> LedgerError {
        match self {
            TransactionError::Database { what, passing: true } => LedgerError::transient(format!(
                "database `{place}` cannot be used right now: {what}: check its disk, its permissions and which other processes have it open"
            )),
            TransactionError::Database { what, passing: false } => LedgerError::permanent(format!(
                "database `{place}` reported an error: {what}: check it, or restore a backup"
            )),
            TransactionError::Inconsistent(what) => {
                LedgerError::permanent(format!("database `{place}`: {what}"))
            }
            TransactionError::Unmasked(_) => {
                LedgerError::transient(format!("database `{place}`: {UNMASKED}"))
            }
        }
    }
}

/// The error of a store without a signing key. Nothing is written unsigned.
pub(crate) fn no_key() -> TransactionError {
    TransactionError::inconsistent("there is no key to sign the audit log with, so nothing can be written")
}
