//! Keys of the log, and how two that have the same number are told apart.

use sekisho_gate::audit::{Key, Keys, Row};

use crate::fault::{Fault, Scripted};
use crate::transaction::Given;

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

/// Operations on `key_prints`.
pub(crate) trait KeyTable {
    /// What a key with this number is known by.
    fn print(&self, key: u32) -> impl Given<Option<Vec<u8>>>;

    /// Notes what a key is known by.
    fn note_key(&self, key: &Key) -> impl Given<()>;

    /// Some rows that name a key with this number.
    fn signed(&self, key: u32) -> impl Given<Vec<Row>>;
}

/// Gets to know keys. The number of one that is another one than has signed before; then none is noted.
pub(crate) async fn meet(tables: &mut impl KeyTable, keys: &Keys) -> Scripted<Option<u32>> {
    let mut new = Vec::new();
    for key in keys.all() {
        let same = match tables.print(key.id).await? {
            Some(print) => print == key.print().0,
            None => {
                new.push(key);
                // Rows may be older than the list of keys.
                has_signed(key, &tables.signed(key.id).await?)
            }
        };
        if !same {
            return Ok(Some(key.id));
        }
    }
    for key in new {
        tables.note_key(key).await?;
    }
    Ok(None)
}
