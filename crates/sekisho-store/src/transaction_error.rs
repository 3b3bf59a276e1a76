//! What goes wrong inside a transaction, before anybody knows which file it was.

use sekisho_gate::ledger::LedgerError;
use sekisho_gate::record::AuditEntry;

/// What went wrong in a script.
#[derive(Clone, Debug)]
pub(crate) enum TransactionError {
    /// The database said so.
    Database {
        /// In its words.
        what: String,
        /// Whether it may pass.
        passing: bool,
    },
    /// What is kept contradicts itself, or could not be kept so that it can be read again.
    Inconsistent(String),
    /// These lines have to be masked before they can be written. The request comes back when they are.
    Unmasked(Vec<AuditEntry>),
}

/// What is said of lines that nobody masked.
pub(crate) const UNMASKED: &str = "a line was not masked and was not written: try again";

/// What a script gives.
pub(crate) type TransactionResult<T> = Result<T, TransactionError>;

impl TransactionError {
    /// Something that is wrong with what is kept or to be kept.
    pub(crate) fn inconsistent(what: impl Into<String>) -> TransactionError {
        TransactionError::Inconsistent(what.into())
    }

    /// The same, for the gate, with the place it happened at.
    pub(crate) fn to_ledger_error(&self, place: &str) -> LedgerError {
        match self {
            TransactionError::Database { what, passing: true } => LedgerError::transient(format!(
                "database `{place}` cannot be used right now: {what}: look at its disk, its permissions and who else has it open"
            )),
            TransactionError::Database { what, passing: false } => LedgerError::permanent(format!(
                "database `{place}` refused: {what}: check it, or put back a copy of it"
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

/// Nothing may be written that is not signed.
pub(crate) fn no_key() -> TransactionError {
    TransactionError::inconsistent(
        "there is no key to sign the audit log with: nothing is written without one",
    )
}
