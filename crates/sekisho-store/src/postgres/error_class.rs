//! Classifies PostgreSQL's errors: retry at once, retry later, or never.

use std::error::Error as _;

use sekisho_gate::ledger::LedgerError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::transaction_error::{TransactionError, UNMASKED};

/// What an error means for its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorClass {
    /// It conflicted with another transaction and can be run again at once.
    Conflict,
    /// The connection is gone.
    Lost,
}

impl ErrorClass {
    pub(super) fn of(error: &Error) -> Option<ErrorClass> {
        match error.code() {
            Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
                Some(ErrorClass::Conflict)
            }
            Some(code) if is_end_of_connection(code) => Some(ErrorClass::Lost),
            Some(_) => None,
            // Not from the server: a socket error, or a value that does not fit its column.
            None => (error.is_closed() || is_of_the_socket(error)).then_some(ErrorClass::Lost),
        }
    }
}

fn is_of_the_socket(error: &Error) -> bool {
    error.source().is_some_and(|source| source.is::<std::io::Error>())
}

fn is_end_of_connection(code: &SqlState) -> bool {
    code.code().starts_with("08")
        || [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ]
        .contains(code)
}

/// A lock, a disk or a connection: nothing is wrong with the stored data.
fn is_transient(error: &Error) -> bool {
    let Some(code) = error.code() else { return ErrorClass::of(error).is_some() };
    // Resources, operator intervention and system errors; lock timeouts; read-only after a fail-over;
    // rollbacks.
    ["53", "57", "58", "55", "25", "40"].iter().any(|class| code.code().starts_with(class))
        || is_end_of_connection(code)
}

impl From<Error> for TransactionError {
    fn from(error: Error) -> TransactionError {
        TransactionError::Database { passing: is_transient(&error), what: one_line_message(&error) }
    }
}

/// An error in one line: the server's message with its code, or the whole chain of causes.
pub(super) fn one_line_message(error: &Error) -> String {
    let text = match error.as_db_error() {
        Some(server) => {
            let hint = server.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
            format!("{}{hint} [{}]", server.message(), server.code().code())
        }
        None => {
            let mut text = error.to_string();
            let mut cause = error.source();
            while let Some(error) = cause {
                let more = error.to_string();
                if !text.contains(&more) {
                    text = format!("{text}: {more}");
                }
                cause = error.source();
            }
            text
        }
    };
    text.replace('\n', " ")
}

/// A transaction error as the gate sees it; `place` names the server.
pub(super) fn to_ledger_error(fault: &TransactionError, place: &str) -> LedgerError {
    match fault {
        TransactionError::Database { what, passing: true } => LedgerError::transient(format!(
            "database `{place}` cannot be used right now: {what}: check that its server is running and can be reached"
        )),
        TransactionError::Database { what, passing: false } => {
            LedgerError::permanent(format!("database `{place}` refused: {what}"))
        }
        TransactionError::Inconsistent(what) => LedgerError::permanent(format!("database `{place}`: {what}")),
        TransactionError::Unmasked(_) => LedgerError::transient(format!("database `{place}`: {UNMASKED}")),
    }
}
