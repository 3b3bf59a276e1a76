//! What a transaction writes with: the connection, and the state of this writer's chain.
//!
//! An [`OpenTransaction`] dereferences to a connection for code that only reads and writes tables. Its
//! [`ChainState`] is a value: rolling back a savepoint restores the earlier value.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::audit::{ChainHead, ChainRow, ChainWriter, KeyRing, MaskedEntry, WriterId, masked_event};
use sekisho_gate::record::{AuditEntry, Record};

use super::tables;
use crate::entry_masking::MaskedLines;
use crate::transaction_error::{TransactionResult, no_key};

/// A connection inside a transaction.
pub(super) struct OpenTransaction<'a> {
    db: &'a Connection,
    ink: &'a RefCell<ChainState>,
    lines: RefCell<MaskedLines>,
}

/// The state of this writer's chain.
#[derive(Clone)]
pub(super) struct ChainState {
    writer: WriterId,
    keys: Arc<KeyRing>,
    scribe: ChainWriter,
    /// The last row of each chain that this writer's checkpoints cover.
    vouched: Arc<BTreeMap<WriterId, u64>>,
}

impl ChainState {
    /// The state of a writer that has written nothing yet.
    pub(super) fn new(writer: WriterId, keys: Arc<KeyRing>) -> ChainState {
        ChainState {
            writer,
            scribe: ChainWriter::new(writer, Arc::clone(&keys)),
            keys,
            vouched: Arc::default(),
        }
    }

    /// Whether the chain in the file ends where this state would continue.
    pub(super) fn is_kept_by(&self, db: &Connection) -> TransactionResult<bool> {
        Ok(tables::audit::head(db, self.writer)? == self.scribe.head())
    }
}

impl Deref for OpenTransaction<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        self.db
    }
}

impl<'a> OpenTransaction<'a> {
    pub(super) fn new(db: &'a Connection, ink: &'a RefCell<ChainState>) -> OpenTransaction<'a> {
        OpenTransaction { db, ink, lines: RefCell::default() }
    }

    /// A copy of the state, to restore later.
    pub(super) fn chain_state(&self) -> ChainState {
        self.ink.borrow().clone()
    }

    /// Restores an earlier state.
    pub(super) fn restore_chain(&self, ink: ChainState) {
        *self.ink.borrow_mut() = ink;
    }

    pub(super) fn writer(&self) -> WriterId {
        self.ink.borrow().writer
    }

    pub(super) fn keys(&self) -> Arc<KeyRing> {
        Arc::clone(&self.ink.borrow().keys)
    }

    /// Takes the entries of the next request and returns those of the last one.
    pub(super) fn take_lines(&self, lines: MaskedLines) -> MaskedLines {
        self.lines.replace(lines)
    }

    /// Passes the masked form of an entry to `with`; does nothing if it was not masked.
    pub(super) fn with_masked<T>(
        &self,
        entry: &AuditEntry,
        with: impl FnOnce(&MaskedEntry) -> T,
    ) -> Option<T> {
        self.lines.borrow_mut().masked(entry).map(with)
    }

    /// Signs with other keys from now on.
    pub(super) fn take_keys(&self, keys: Arc<KeyRing>) {
        let mut ink = self.ink.borrow_mut();
        ink.scribe.set_keys(Arc::clone(&keys));
        ink.keys = keys;
    }

    /// Appends an entry to the chain and announces its event. If the entry was not masked it is not written,
    /// and the request is undone.
    pub(super) fn append(&self, record: &Record) -> TransactionResult<()> {
        let row = self.with_masked(&record.entry, |line| self.ink.borrow_mut().scribe.write(line));
        let Some(row) = row else { return Ok(()) };
        let row = row.ok_or_else(no_key)?;
        tables::audit::append(self.db, &row)?;
        match masked_event(record, &row) {
            Some(change) => tables::record::announce(self.db, &change, record.entry.at),
            None => Ok(()),
        }
    }

    /// The last row of each chain that this writer's checkpoints cover.
    pub(super) fn checkpointed(&self) -> Arc<BTreeMap<WriterId, u64>> {
        Arc::clone(&self.ink.borrow().vouched)
    }

    /// Appends a checkpoint that covers these heads.
    pub(super) fn write_checkpoint(&self, heads: &[ChainHead], at: Timestamp) -> TransactionResult<ChainRow> {
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
    use sekisho_gate::audit::MaskedEntries;
    use sekisho_testkit::fixtures;

    use super::*;

    fn append(db: &Connection, ink: &RefCell<ChainState>, record: &Record) {
        let mut masked = MaskedEntries::default();
        masked.add(vec![record.entry.clone()], &fixtures::audit_config().masks);
        let pen = OpenTransaction::new(db, ink);
        pen.take_lines(MaskedLines::new(masked));
        pen.append(record).unwrap();
    }

    #[test]
    fn unmasked_entry_is_not_written() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let ink =
            RefCell::new(ChainState::new(WriterId(uuid::Uuid::from_u128(1)), fixtures::audit_config().keys));
        let pen = OpenTransaction::new(&db, &ink);
        let note = fixtures::rules_changed_record(fixtures::seconds_after_start(0), "--token hunter2hunter2");
        pen.append(&note).unwrap();
        let (_, unmasked) = pen.take_lines(MaskedLines::default()).into_parts();
        assert_eq!(unmasked, [note.entry]);
        assert_eq!(crate::sqlite::audit::count(&db).unwrap(), 0);
        assert!(ink.borrow().scribe.head().is_none());
    }

    #[test]
    fn file_shows_whether_a_commit_succeeded() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let before = ChainState::new(WriterId(uuid::Uuid::from_u128(1)), fixtures::audit_config().keys);
        let ink = RefCell::new(before.clone());
        let note = fixtures::rules_changed_record(fixtures::seconds_after_start(0), "a line");
        db.execute_batch("BEGIN").unwrap();
        append(&db, &ink, &note);
        let after = ink.into_inner();
        db.execute_batch("ROLLBACK").unwrap();
        assert!(before.is_kept_by(&db).unwrap() && !after.is_kept_by(&db).unwrap());
        append(&db, &RefCell::new(before.clone()), &note);
        assert!(after.is_kept_by(&db).unwrap() && !before.is_kept_by(&db).unwrap());
    }
}
