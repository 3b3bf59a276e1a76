//! Signing keys of the audit log, and detecting two different keys with the same number.

use sekisho_gate::audit::{ChainRow, KeyRing, SigningKey};

use crate::transaction::TableFuture;
use crate::transaction_error::{TransactionError, TransactionResult};

/// What to do about a key that does not match.
pub(crate) const SHARE: &str = "copy the file `audit.key` from the machine that used the database first: all processes that write to one database share one key file";

/// How many rows signed with a key are checked to recognise it.
pub(crate) const SOME_ROWS: i64 = 16;

pub(crate) fn mismatch_message(key: u32) -> String {
    format!("its audit log was signed with a different key {key}")
}

/// The mismatch as an error of a store that is already open.
pub(crate) fn mismatch_error(key: u32) -> TransactionError {
    TransactionError::inconsistent(format!("{}: {SHARE}", mismatch_message(key)))
}

/// Whether the key signed any of these rows. One is enough; checking the others is the verifier's task.
pub(crate) fn has_signed(key: &SigningKey, rows: &[ChainRow]) -> bool {
    let keys = KeyRing::of(key.clone());
    rows.is_empty() || rows.iter().any(|row| row.expected_mac(&keys) == Some(row.code))
}

/// Operations on `key_prints`.
pub(crate) trait KeyTable {
    /// The stored fingerprint of the key with this number.
    fn fingerprint(&self, key: u32) -> impl TableFuture<Option<Vec<u8>>>;

    /// Stores a key's fingerprint.
    fn note_key(&self, key: &SigningKey) -> impl TableFuture<()>;

    /// Some rows signed with the key of this number.
    fn signed(&self, key: u32) -> impl TableFuture<Vec<ChainRow>>;
}

/// Registers keys. Returns the number of a key that differs from the one that signed before; then none is
/// registered.
pub(crate) async fn register_keys(
    tables: &mut impl KeyTable,
    keys: &KeyRing,
) -> TransactionResult<Option<u32>> {
    let mut new = Vec::new();
    for key in keys.all() {
        let same = match tables.fingerprint(key.id).await? {
            Some(print) => print == key.fingerprint().0,
            None => {
                new.push(key);
                // Rows may be older than the table of fingerprints.
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
