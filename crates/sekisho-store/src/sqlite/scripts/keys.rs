//! Holding keys against those that have signed before.

use rusqlite::Connection;
use sekisho_gate::audit::Keys;

use super::tables;
use crate::fault::Scripted;
use crate::keys::has_signed;

/// Whether all keys are known here; the number of one that is another one.
pub(in crate::sqlite) fn known(db: &Connection, keys: &Keys) -> Scripted<Result<bool, u32>> {
    let mut all = true;
    for key in keys.all() {
        match tables::keys::print(db, key.id)? {
            Some(print) if print == key.print().0 => {}
            Some(_) => return Ok(Err(key.id)),
            None => all = false,
        }
    }
    Ok(Ok(all))
}

/// Gets to know keys, inside a transaction. The number of one that is another one than has signed before.
pub(in crate::sqlite) fn meet(db: &Connection, keys: &Keys) -> Scripted<Option<u32>> {
    if let Err(another) = known(db, keys)? {
        return Ok(Some(another));
    }
    for key in keys.all() {
        if tables::keys::print(db, key.id)?.is_none() {
            // Rows may be older than the list of keys.
            if !has_signed(key, &tables::keys::signed(db, key.id)?) {
                return Ok(Some(key.id));
            }
            tables::keys::note(db, key)?;
        }
    }
    Ok(None)
}

/// The same on a connection of its own. Writes only where there is something new.
pub(in crate::sqlite) fn meet_at_opening(db: &Connection, keys: &Keys) -> Scripted<Option<u32>> {
    match known(db, keys)? {
        Err(another) => return Ok(Some(another)),
        Ok(true) => return Ok(None),
        Ok(false) => {}
    }
    db.execute_batch("BEGIN IMMEDIATE")?;
    let met = meet(db, keys);
    db.execute_batch(if matches!(met, Ok(None)) { "COMMIT" } else { "ROLLBACK" })?;
    met
}
