//! Which key of the log has which number.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::audit::{Key, Row};

use super::super::sql::keys as sql;
use super::audit::read_row;
use super::run;
use crate::fault::Scripted;
use crate::rows::SOME_ROWS;

/// What a key with this number is known by.
pub(crate) fn print(db: &Connection, key: u32) -> Scripted<Option<[u8; 32]>> {
    Ok(db.prepare_cached(sql::PRINT)?.query_row([key], |row| row.get(0)).optional()?)
}

pub(crate) fn note(db: &Connection, key: &Key) -> Scripted<()> {
    run(db, sql::NOTE, params![key.id, key.print().0]).map(drop)
}

/// Some rows that name a key with this number.
pub(crate) fn signed(db: &Connection, key: u32) -> Scripted<Vec<Row>> {
    let mut statement = db.prepare_cached(sql::SIGNED)?;
    let rows = statement.query_map(params![key, SOME_ROWS], read_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
