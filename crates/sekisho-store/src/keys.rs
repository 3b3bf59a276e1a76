//! Keys of the log, and how two that have the same number are told apart.

use sekisho_gate::audit::{Key, Keys, Row};

use crate::fault::Fault;

/// What to do about a key that is another one.
pub(crate) const SHARE: &str = "copy the file `audit.key` from the machine that used it first: all that write to one database share one key file";

/// So many rows of a key say enough about it.
pub(crate) const SOME_ROWS: i64 = 16;

/// What is wrong with a key.
pub(crate) fn another(key: u32) -> String {
    format!("its audit log was signed with another key {key} than the one here")
}

/// The same, where the store is open already.
pub(crate) fn refused(key: u32) -> Fault {
    Fault::wrong(format!("{}: {SHARE}", another(key)))
}

/// Whether rows that name a key were signed with it. One that was is enough: the others are the verifier's.
pub(crate) fn has_signed(key: &Key, rows: &[Row]) -> bool {
    let keys = Keys::of(key.clone());
    rows.is_empty() || rows.iter().any(|row| row.expected(&keys) == Some(row.code))
}
