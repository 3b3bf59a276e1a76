//! Keys of the log, and how two that have the same number are told apart.

use sekisho_gate::audit::{ChainRow, KeyRing, SigningKey};

use crate::transaction::TableFuture;
use crate::transaction_error::{TransactionError, TransactionResult};

/// What to do about a key that is another one.
pub(crate) const SHARE: &str = "copy the file `audit.key` from the machine that used it first: all that write to one database share one key file";

/// So many rows of a key say enough about it.
pub(crate) const SOME_ROWS: i64 = 16;

/// What is wrong with a key.
pub(crate) fn mismatch_message(key: u32) -> String {
    format!("its audit log was signed with another key {key} than the one here")
}

/// The same, where the store is open already.
pub(crate) fn mismatch_error(key: u32) -> TransactionError {
    TransactionError::inconsistent(format!("{}: {SHARE}", mismatch_message(key)))
}

/// Whether rows that name a key were signed with it. One that was is enough: the others are the verifier's.
pub(crate) fn has_signed(key: &SigningKey, rows: &[ChainRow]) -> bool {
    let keys = KeyRing::of(key.clone());
    rows.is_empty() || rows.iter().any(|row| row.expected_mac(&keys) == Some(row.code))
}

/// Operations on `key_prints`.
pub(crate) trait KeyTable {
    /// What a key with this number is known by.
    fn fingerprint(&self, key: u32) -> impl TableFuture<Option<Vec<u8>>>;

    /// Notes what a key is known by.
    fn note_key(&self, key: &SigningKey) -> impl TableFuture<()>;

    /// Some rows that name a key with this number.
    fn signed(&self, key: u32) -> impl TableFuture<Vec<ChainRow>>;
}

/// Gets to know keys. The number of one that is another one than has signed before; then none is noted.
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
