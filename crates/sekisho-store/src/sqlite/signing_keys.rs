//! Fingerprints of signing keys, by key number.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::audit::{ChainRow, KeyRing, SigningKey};

use super::audit::rows::read_row;
use super::statement::run;
use super::transaction_impl::{operations, poll_ready};
use crate::signing_keys::{KeyTable, SOME_ROWS, register_keys};
use crate::transaction_error::TransactionResult;

const PRINT: &str = "SELECT print FROM key_prints WHERE key = ?1";

/// The stored fingerprint of the key with this number.
pub(crate) fn print(db: &Connection, key: u32) -> TransactionResult<Option<Vec<u8>>> {
    Ok(db.prepare_cached(PRINT)?.query_row([key], |row| row.get(0)).optional()?)
}

/// Another process may have inserted it at the same time.
const NOTE: &str = "INSERT INTO key_prints (key, print) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING";

pub(crate) fn note(db: &Connection, key: &SigningKey) -> TransactionResult<()> {
    run(db, NOTE, params![key.id, key.fingerprint().0]).map(drop)
}

/// The last rows of some chains, if they were signed with the key of this number.
const SIGNED: &str = "SELECT l.writer, l.seq, l.key, l.at, l.kind, l.call, l.approval, l.execution, l.tool, l.server, l.agent, \
    l.credential, l.decision, l.approver, l.text, l.body, l.previous, l.code \
    FROM writers w JOIN audit_log l ON l.writer = w.writer AND l.seq = w.seq WHERE l.key = ?1 LIMIT ?2";

/// Some rows signed with the key of this number.
pub(crate) fn signed(db: &Connection, key: u32) -> TransactionResult<Vec<ChainRow>> {
    let mut statement = db.prepare_cached(SIGNED)?;
    let rows = statement.query_map(params![key, SOME_ROWS], read_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

operations! {
    impl KeyTable for &Connection {
        fingerprint(key: u32) -> Option<Vec<u8>> = print;
        note_key(key: &SigningKey) -> () = note;
        signed(key: u32) -> Vec<ChainRow> = signed;
    }
}

/// Registers keys before there is a writer. Writes only if a key is new.
pub(super) fn register_keys_on_open(mut db: &Connection, keys: &KeyRing) -> TransactionResult<Option<u32>> {
    match known(db, keys)? {
        Err(another) => return Ok(Some(another)),
        Ok(true) => return Ok(None),
        Ok(false) => {}
    }
    db.execute_batch("BEGIN IMMEDIATE")?;
    let met = poll_ready(register_keys(&mut db, keys));
    db.execute_batch(if matches!(met, Ok(None)) { "COMMIT" } else { "ROLLBACK" })?;
    met
}

/// Whether all keys are registered; `Err` with the number of a key that differs.
fn known(db: &Connection, keys: &KeyRing) -> TransactionResult<Result<bool, u32>> {
    let mut all = true;
    for key in keys.all() {
        match print(db, key.id)? {
            Some(print) if print == key.fingerprint().0 => {}
            Some(_) => return Ok(Err(key.id)),
            None => all = false,
        }
    }
    Ok(Ok(all))
}
