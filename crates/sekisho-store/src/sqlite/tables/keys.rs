//! Which key of the log has which number.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::audit::{Key, Row};

use super::audit::read_row;
use super::run;
use crate::fault::Scripted;
use crate::keys::SOME_ROWS;

const PRINT: &str = "SELECT print FROM key_prints WHERE key = ?1";

/// What a key with this number is known by.
pub(crate) fn print(db: &Connection, key: u32) -> Scripted<Option<[u8; 32]>> {
    Ok(db.prepare_cached(PRINT)?.query_row([key], |row| row.get(0)).optional()?)
}

/// Another process may have been there at the same time.
const NOTE: &str = "INSERT INTO key_prints (key, print) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING";

pub(crate) fn note(db: &Connection, key: &Key) -> Scripted<()> {
    run(db, NOTE, params![key.id, key.print().0]).map(drop)
}

/// The last rows of some chains, where they were signed with a key of this number.
const SIGNED: &str = "SELECT l.writer, l.seq, l.key, l.at, l.kind, l.call, l.approval, l.execution, l.tool, l.server, l.agent, \
    l.credential, l.decision, l.approver, l.text, l.body, l.previous, l.code \
    FROM writers w JOIN audit_log l ON l.writer = w.writer AND l.seq = w.seq WHERE l.key = ?1 LIMIT ?2";

/// Some rows that name a key with this number.
pub(crate) fn signed(db: &Connection, key: u32) -> Scripted<Vec<Row>> {
    let mut statement = db.prepare_cached(SIGNED)?;
    let rows = statement.query_map(params![key, SOME_ROWS], read_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
