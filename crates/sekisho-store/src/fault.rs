//! What goes wrong inside a transaction, before anybody knows which file it was.

use sekisho_gate::ledger::LedgerError;
use sekisho_gate::record::Entry;

/// What went wrong in a script.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The database said so.
    Database {
        /// In its words.
        what: String,
        /// Whether it may pass.
        passing: bool,
    },
    /// What is kept contradicts itself, or could not be kept so that it can be read again.
    Wrong(String),
    /// These lines have to be masked before they can be written. The request comes back when they are.
    Unmasked(Vec<Entry>),
}

/// What is said of lines that nobody masked.
pub(crate) const UNMASKED: &str = "a line was not masked and was not written: try again";

/// What a script gives.
pub(crate) type Scripted<T> = Result<T, Fault>;

impl Fault {
    /// Something that is wrong with what is kept or to be kept.
    pub(crate) fn wrong(what: impl Into<String>) -> Fault {
        Fault::Wrong(what.into())
    }

    /// The same, for the gate, with the place it happened at.
    pub(crate) fn at(&self, place: &str) -> LedgerError {
        match self {
            Fault::Database { what, passing: true } => LedgerError::passing(format!(
                "database `{place}` cannot be used right now: {what}: look at its disk, its permissions and who else has it open"
            )),
            Fault::Database { what, passing: false } => LedgerError::lasting(format!(
                "database `{place}` refused: {what}: check it, or put back a copy of it"
            )),
            Fault::Wrong(what) => LedgerError::lasting(format!("database `{place}`: {what}")),
            Fault::Unmasked(_) => LedgerError::passing(format!("database `{place}`: {UNMASKED}")),
        }
    }
}

/// Nothing may be written that is not signed.
pub(crate) fn no_key() -> Fault {
    Fault::wrong("there is no key to sign the audit log with: nothing is written without one")
}
