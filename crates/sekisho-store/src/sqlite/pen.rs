//! What a script writes with: the connection, and the one scribe of this writer's chain.
//!
//! A [`Pen`] is a connection to everybody who only reads and writes tables. The [`Ink`] in it is a value: whoever undoes
//! a savepoint puts back the ink it had before.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::audit::{Head, Keys, Row, Scribe, Seal, WriterId, announced};
use sekisho_gate::record::Record;

use super::tables;
use crate::fault::{Scripted, no_key};

/// A connection to write through.
pub(super) struct Pen<'a> {
    db: &'a Connection,
    ink: &'a RefCell<Ink>,
}

/// Where this writer's chain stands.
#[derive(Clone)]
pub(super) struct Ink {
    writer: WriterId,
    seal: Seal,
    scribe: Scribe,
    /// Of each chain, up to where the checkpoints of this writer vouch for it.
    vouched: Arc<BTreeMap<WriterId, u64>>,
}

impl Ink {
    /// For a writer that has written nothing yet.
    pub(super) fn new(writer: WriterId, seal: Seal) -> Ink {
        Ink { writer, scribe: Scribe::new(writer, seal.clone()), seal, vouched: Arc::default() }
    }

    /// Whether the chain in the file ends where this ink would go on.
    pub(super) fn is_kept_by(&self, db: &Connection) -> Scripted<bool> {
        Ok(tables::audit::head(db, self.writer)? == self.scribe.head())
    }
}

impl Deref for Pen<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        self.db
    }
}

impl<'a> Pen<'a> {
    pub(super) fn new(db: &'a Connection, ink: &'a RefCell<Ink>) -> Pen<'a> {
        Pen { db, ink }
    }

    /// The ink as it is, to put back.
    pub(super) fn ink(&self) -> Ink {
        self.ink.borrow().clone()
    }

    /// Puts back what was there before.
    pub(super) fn refill(&self, ink: Ink) {
        *self.ink.borrow_mut() = ink;
    }

    /// Whose chain it writes.
    pub(super) fn writer(&self) -> WriterId {
        self.ink.borrow().writer
    }

    /// The keys and the masks.
    pub(super) fn seal(&self) -> Seal {
        self.ink.borrow().seal.clone()
    }

    /// Signs with other keys from now on.
    pub(super) fn take_keys(&self, keys: Arc<Keys>) {
        let mut ink = self.ink.borrow_mut();
        ink.scribe.take_keys(Arc::clone(&keys));
        ink.seal.keys = keys;
    }

    /// Appends a line to the chain, and announces its change.
    pub(super) fn append(&self, record: &Record) -> Scripted<()> {
        let row = self.ink.borrow_mut().scribe.write(&record.entry).ok_or_else(no_key)?;
        tables::audit::append(self.db, &row)?;
        match announced(record, &row) {
            Some(change) => tables::record::announce(self.db, &change, record.entry.at),
            None => Ok(()),
        }
    }

    /// Up to where this writer vouches for each chain.
    pub(super) fn vouched(&self) -> Arc<BTreeMap<WriterId, u64>> {
        Arc::clone(&self.ink.borrow().vouched)
    }

    /// Appends a checkpoint, which vouches for these heads.
    pub(super) fn vouch(&self, heads: &[Head], at: Timestamp) -> Scripted<Row> {
        let mut ink = self.ink.borrow_mut();
        let row = ink.scribe.checkpoint(heads, at).ok_or_else(no_key)?;
        Arc::make_mut(&mut ink.vouched).extend(heads.iter().map(|head| (head.writer, head.seq)));
        drop(ink);
        tables::audit::append(self.db, &row)?;
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use sekisho_testkit::fixtures;

    use super::*;

    #[test]
    fn the_file_tells_whether_a_commit_was_one() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let before = Ink::new(WriterId(uuid::Uuid::from_u128(1)), fixtures::seal());
        let ink = RefCell::new(before.clone());
        let note = fixtures::rules_changed(fixtures::after(0), "a line");
        db.execute_batch("BEGIN").unwrap();
        Pen::new(&db, &ink).append(&note).unwrap();
        let after = ink.into_inner();
        db.execute_batch("ROLLBACK").unwrap();
        assert!(before.is_kept_by(&db).unwrap() && !after.is_kept_by(&db).unwrap());
        Pen::new(&db, &RefCell::new(before.clone())).append(&note).unwrap();
        assert!(after.is_kept_by(&db).unwrap() && !before.is_kept_by(&db).unwrap());
    }
}
