//! Which key of the log has which number.

use sekisho_gate::audit::{Key, Row};

use super::super::db::Db;
use super::super::sql::keys as sql;
use super::audit::read_row;
use crate::fault::{Fault, Scripted};
use crate::rows::SOME_ROWS;

/// What a key with this number is known by.
pub(crate) async fn print(db: &Db<'_>, key: u32) -> Scripted<Option<Vec<u8>>> {
    match db.row(sql::PRINT, &[&numbered(key)?]).await? {
        Some(row) => Ok(Some(row.try_get(0)?)),
        None => Ok(None),
    }
}

pub(crate) async fn note(db: &Db<'_>, key: &Key) -> Scripted<()> {
    db.run(sql::NOTE, &[&numbered(key.id)?, &key.print().0.as_slice()]).await.map(drop)
}

/// Some rows that name a key with this number.
pub(crate) async fn signed(db: &Db<'_>, key: u32) -> Scripted<Vec<Row>> {
    let rows = db.rows(sql::SIGNED, &[&numbered(key)?, &SOME_ROWS]).await?;
    rows.iter().map(read_row).collect()
}

fn numbered(key: u32) -> Scripted<i32> {
    i32::try_from(key).map_err(|_| Fault::wrong("a key of the log has a number that is too large"))
}
