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

use super::audit::rows;
use super::events;
use crate::entry_masking::MaskedLines;
use crate::transaction_error::{TransactionResult, no_key};

/// A connection inside a transaction.
pub(super) struct OpenTransaction<'a> {
    db: &'a Connection,
    chain_state: &'a RefCell<ChainState>,
    lines: RefCell<MaskedLines>,
}

/// The state of this writer's chain.
#[derive(Clone)]
pub(super) struct ChainState {
    writer: WriterId,
    keys: Arc<KeyRing>,
    chain_writer: ChainWriter,
    /// The last row of each chain that this writer's checkpoints cover.
    covered_rows: Arc<BTreeMap<WriterId, u64>>,
}

impl ChainState {
    /// The state of a writer that has written nothing yet.
    pub(super) fn new(writer: WriterId, keys: Arc<KeyRing>) -> ChainState {
        ChainState {
            writer,
            chain_writer: ChainWriter::new(writer, Arc::clone(&keys)),
            keys,
            covered_rows: Arc::default(),
        }
    }

    /// Whether the chain in the file ends where this state would continue.
    pub(super) fn is_current_in(&self, db: &Connection) -> TransactionResult<bool> {
        Ok(rows::head(db, self.writer)? == self.chain_writer.head())
    }
}

impl Deref for OpenTransaction<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        self.db
    }
}

impl<'a> OpenTransaction<'a> {
    pub(super) fn new(db: &'a Connection, chain_state: &'a RefCell<ChainState>) -> OpenTransaction<'a> {
        OpenTransaction { db, chain_state, lines: RefCell::default() }
    }

    /// A copy of the state, to restore later.
    pub(super) fn chain_state(&self) -> ChainState {
        self.chain_state.borrow().clone()
    }

    /// Restores an earlier state.
    pub(super) fn restore_chain(&self, chain_state: ChainState) {
        *self.chain_state.borrow_mut() = chain_state;
    }

    pub(super) fn writer(&self) -> WriterId {
        self.chain_state.borrow().writer
    }

    pub(super) fn keys(&self) -> Arc<KeyRing> {
        Arc::clone(&self.chain_state.borrow().keys)
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
        let mut chain_state = self.chain_state.borrow_mut();
        chain_state.chain_writer.set_keys(Arc::clone(&keys));
        chain_state.keys = keys;
    }

    /// Appends an entry to the chain and announces its event. If the entry was not masked it is not written,
    /// and the request is undone.
    pub(super) fn append(&self, record: &Record) -> TransactionResult<()> {
        self.append_row(record).map(drop)
    }

    /// The same, and returns the row. `None`: the entry was not masked.
    pub(super) fn append_row(&self, record: &Record) -> TransactionResult<Option<ChainRow>> {
        let row =
            self.with_masked(&record.entry, |line| self.chain_state.borrow_mut().chain_writer.write(line));
        let Some(row) = row else { return Ok(None) };
        let row = row.ok_or_else(no_key)?;
        rows::append(self.db, &row)?;
        if let Some(change) = masked_event(record, &row) {
            events::announce(self.db, &change, record.entry.at)?;
        }
        Ok(Some(row))
    }

    /// The last row of each chain that this writer's checkpoints cover.
    pub(super) fn checkpointed(&self) -> Arc<BTreeMap<WriterId, u64>> {
        Arc::clone(&self.chain_state.borrow().covered_rows)
    }

    /// Appends a checkpoint that covers these heads.
    pub(super) fn write_checkpoint(&self, heads: &[ChainHead], at: Timestamp) -> TransactionResult<ChainRow> {
        let mut chain_state = self.chain_state.borrow_mut();
        let row = chain_state.chain_writer.checkpoint(heads, at).ok_or_else(no_key)?;
        Arc::make_mut(&mut chain_state.covered_rows).extend(heads.iter().map(|head| (head.writer, head.seq)));
        drop(chain_state);
        rows::append(self.db, &row)?;
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use sekisho_gate::audit::MaskedEntries;
    use sekisho_testkit::fixtures;

    use super::*;

    fn append(db: &Connection, chain_state: &RefCell<ChainState>, record: &Record) {
        let mut masked = MaskedEntries::default();
        masked.add(vec![record.entry.clone()], &fixtures::audit_config().masks);
        let tx = OpenTransaction::new(db, chain_state);
        tx.take_lines(MaskedLines::new(masked));
        tx.append(record).unwrap();
    }

    #[test]
    fn unmasked_entry_is_not_written() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let chain_state =
            RefCell::new(ChainState::new(WriterId(uuid::Uuid::from_u128(1)), fixtures::audit_config().keys));
        let tx = OpenTransaction::new(&db, &chain_state);
        let note = fixtures::rules_changed_record(fixtures::seconds_after_start(0), "--token hunter2hunter2");
        tx.append(&note).unwrap();
        let (_, unmasked) = tx.take_lines(MaskedLines::default()).into_parts();
        assert_eq!(unmasked, [note.entry]);
        assert_eq!(crate::sqlite::audit::count(&db).unwrap(), 0);
        assert!(chain_state.borrow().chain_writer.head().is_none());
    }

    #[test]
    fn file_shows_whether_a_commit_succeeded() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let before = ChainState::new(WriterId(uuid::Uuid::from_u128(1)), fixtures::audit_config().keys);
        let chain_state = RefCell::new(before.clone());
        let note = fixtures::rules_changed_record(fixtures::seconds_after_start(0), "a line");
        db.execute_batch("BEGIN").unwrap();
        append(&db, &chain_state, &note);
        let after = chain_state.into_inner();
        db.execute_batch("ROLLBACK").unwrap();
        assert!(before.is_current_in(&db).unwrap() && !after.is_current_in(&db).unwrap());
        append(&db, &RefCell::new(before.clone()), &note);
        assert!(after.is_current_in(&db).unwrap() && !before.is_current_in(&db).unwrap());
    }
}
