//! Fingerprints of signing keys, by key number.

use std::sync::Arc;

use sekisho_gate::audit::{ChainRow, KeyRing, SigningKey};

use super::audit::rows::read_row;
use super::connection::PgConnection;
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use super::write_operation::{KEYS, WriteOperation};
use crate::signing_keys::{KeyTable, SOME_ROWS, register_keys};
use crate::transaction_error::{TransactionError, TransactionResult};

const PRINT: &str = "SELECT print FROM key_prints WHERE key = $1";

/// The stored fingerprint of the key with this number.
pub(crate) async fn print(db: &PgConnection<'_>, key: u32) -> TransactionResult<Option<Vec<u8>>> {
    match db.row(PRINT, &[&numbered(key)?]).await? {
        Some(row) => Ok(Some(row.try_get(0)?)),
        None => Ok(None),
    }
}

/// Another process may have inserted it at the same time.
const NOTE: &str = "INSERT INTO key_prints (key, print) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING";

pub(crate) async fn note(db: &PgConnection<'_>, key: &SigningKey) -> TransactionResult<()> {
    db.run(NOTE, &[&numbered(key.id)?, &key.fingerprint().0.as_slice()]).await.map(drop)
}

/// The last rows of some chains, if they were signed with the key of this number.
const SIGNED: &str = "SELECT l.writer, l.seq, l.key, l.at, l.kind, l.call, l.approval, l.execution, l.tool, l.server, l.agent, \
    l.credential, l.decision, l.approver, l.text, l.body, l.previous, l.code \
    FROM writers w JOIN audit_log l ON l.writer = w.writer AND l.seq = w.seq WHERE l.key = $1 LIMIT $2";

/// Some rows signed with the key of this number.
pub(crate) async fn signed(db: &PgConnection<'_>, key: u32) -> TransactionResult<Vec<ChainRow>> {
    let rows = db.rows(SIGNED, &[&numbered(key)?, &SOME_ROWS]).await?;
    rows.iter().map(read_row).collect()
}

fn numbered(key: u32) -> TransactionResult<i32> {
    i32::try_from(key).map_err(|_| TransactionError::inconsistent("the number of a signing key is too large"))
}

operations! {
    impl KeyTable for OpenTransaction<'_> {
        fingerprint(key: u32) -> Option<Vec<u8>> = print;
        note_key(key: &SigningKey) -> () = note;
        signed(key: u32) -> Vec<ChainRow> = signed;
    }
}

/// Registers signing keys.
pub(super) struct RegisterKeys(pub(super) Arc<KeyRing>);

impl WriteOperation for RegisterKeys {
    type Outcome = Option<u32>;

    fn locks(&self) -> Option<i64> {
        Some(KEYS)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Option<u32>> {
        register_keys(tx, &self.0).await
    }
}
