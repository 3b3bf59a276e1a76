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
use sekisho_gate::audit::{Head, Keys, MaskedEntry, Row, Scribe, WriterId, announced};
use sekisho_gate::record::{Entry, Record};

use super::audit::rows;
use super::events;
use crate::fault::{Scripted, no_key};
use crate::masking::Lines;

/// A connection to write through.
pub(super) struct Pen<'a> {
    db: &'a Connection,
    ink: &'a RefCell<Ink>,
    lines: RefCell<Lines>,
}

/// Where this writer's chain stands.
#[derive(Clone)]
pub(super) struct Ink {
    writer: WriterId,
    keys: Arc<Keys>,
    scribe: Scribe,
    /// Of each chain, up to where the checkpoints of this writer vouch for it.
    vouched: Arc<BTreeMap<WriterId, u64>>,
}

impl Ink {
    /// For a writer that has written nothing yet.
    pub(super) fn new(writer: WriterId, keys: Arc<Keys>) -> Ink {
        Ink { writer, scribe: Scribe::new(writer, Arc::clone(&keys)), keys, vouched: Arc::default() }
    }

    /// Whether the chain in the file ends where this ink would go on.
    pub(super) fn is_kept_by(&self, db: &Connection) -> Scripted<bool> {
        Ok(rows::head(db, self.writer)? == self.scribe.head())
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
        Pen { db, ink, lines: RefCell::default() }
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

    /// The keys.
    pub(super) fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.ink.borrow().keys)
    }

    /// Takes the lines of the next request, and hands back those of the last one.
    pub(super) fn take_lines(&self, lines: Lines) -> Lines {
        self.lines.replace(lines)
    }

    /// Does something with a line as it was masked; nothing where nobody masked it.
    pub(super) fn with_masked<T>(&self, entry: &Entry, with: impl FnOnce(&MaskedEntry) -> T) -> Option<T> {
        self.lines.borrow_mut().masked(entry).map(with)
    }

    /// Signs with other keys from now on.
    pub(super) fn take_keys(&self, keys: Arc<Keys>) {
        let mut ink = self.ink.borrow_mut();
        ink.scribe.take_keys(Arc::clone(&keys));
        ink.keys = keys;
    }

    /// Appends a line to the chain, and announces its change. One that was not masked is left out, and the request with it.
    pub(super) fn append(&self, record: &Record) -> Scripted<()> {
        let row = self.with_masked(&record.entry, |line| self.ink.borrow_mut().scribe.write(line));
        let Some(row) = row else { return Ok(()) };
        let row = row.ok_or_else(no_key)?;
        rows::append(self.db, &row)?;
        match announced(record, &row) {
            Some(change) => events::announce(self.db, &change, record.entry.at),
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
        rows::append(self.db, &row)?;
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use sekisho_gate::audit::MaskedEntries;
    use sekisho_testkit::fixtures;

    use super::*;

    fn append(db: &Connection, ink: &RefCell<Ink>, record: &Record) {
        let mut masked = MaskedEntries::default();
        masked.add(vec![record.entry.clone()], &fixtures::seal().masks);
        let pen = Pen::new(db, ink);
        pen.take_lines(Lines::new(masked));
        pen.append(record).unwrap();
    }

    #[test]
    fn a_line_that_nobody_masked_is_not_written() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let ink = RefCell::new(Ink::new(WriterId(uuid::Uuid::from_u128(1)), fixtures::seal().keys));
        let pen = Pen::new(&db, &ink);
        let note = fixtures::rules_changed(fixtures::after(0), "--token hunter2hunter2");
        pen.append(&note).unwrap();
        let (_, unmasked) = pen.take_lines(Lines::default()).into_parts();
        assert_eq!(unmasked, [note.entry]);
        assert_eq!(crate::sqlite::audit::count(&db).unwrap(), 0);
        assert!(ink.borrow().scribe.head().is_none());
    }

    #[test]
    fn the_file_tells_whether_a_commit_was_one() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let before = Ink::new(WriterId(uuid::Uuid::from_u128(1)), fixtures::seal().keys);
        let ink = RefCell::new(before.clone());
        let note = fixtures::rules_changed(fixtures::after(0), "a line");
        db.execute_batch("BEGIN").unwrap();
        append(&db, &ink, &note);
        let after = ink.into_inner();
        db.execute_batch("ROLLBACK").unwrap();
        assert!(before.is_kept_by(&db).unwrap() && !after.is_kept_by(&db).unwrap());
        append(&db, &RefCell::new(before.clone()), &note);
        assert!(after.is_kept_by(&db).unwrap() && !before.is_kept_by(&db).unwrap());
    }
}
