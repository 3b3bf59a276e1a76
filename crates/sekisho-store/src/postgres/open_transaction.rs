//! What one transaction has written so far, and what of it can still be undone.

use sekisho_gate::audit::{ChainRow as Logged, MaskedEntry, masked_event};
use sekisho_gate::record::Record;

use super::connection::PgConnection;
use super::writer_chain::ChainState;
use crate::encoding::{micros, round_trip_json};
use crate::entry_masking::MaskedLines;
use crate::transaction_error::TransactionResult;

/// What a transaction writes. Audit rows and events are collected and written together at its end, so that
/// the counter all processes share is locked as late as possible.
pub(super) struct OpenTransaction<'c> {
    pub(super) db: PgConnection<'c>,
    /// Everything written after the last mark can be undone; nothing before it can.
    pub(super) draft: PendingAppends,
    /// The masked entries of the request being run.
    pub(super) lines: MaskedLines,
}

/// The part of a transaction that is not in the database yet.
pub(super) struct PendingAppends {
    pub(super) chain_state: ChainState,
    pub(super) rows: Vec<Logged>,
    /// Time and JSON text of each event.
    pub(super) events: Vec<(i64, String)>,
    /// The revision of the rules, if it changed.
    pub(super) revision: Option<u64>,
}

/// A position in a draft to return to.
pub(super) struct SavepointMark {
    chain_state: ChainState,
    rows: usize,
    events: usize,
    revision: Option<u64>,
}

impl PendingAppends {
    pub(super) fn new(chain_state: ChainState) -> PendingAppends {
        PendingAppends { chain_state, rows: Vec::new(), events: Vec::new(), revision: None }
    }

    pub(super) fn mark(&self) -> SavepointMark {
        let (rows, events) = (self.rows.len(), self.events.len());
        SavepointMark { chain_state: self.chain_state.clone(), rows, events, revision: self.revision }
    }

    /// Adds a record with its masked entry.
    pub(super) fn append(&mut self, record: &Record, line: &MaskedEntry) -> TransactionResult<()> {
        let row = self.chain_state.write(line)?;
        if let Some(change) = masked_event(record, &row) {
            self.events.push((micros(record.entry.at), round_trip_json(&*change, "the change")?));
        }
        self.rows.push(row);
        Ok(())
    }

    pub(super) fn back_to(&mut self, mark: SavepointMark) {
        self.chain_state = mark.chain_state;
        self.rows.truncate(mark.rows);
        self.events.truncate(mark.events);
        self.revision = mark.revision;
    }
}

impl OpenTransaction<'_> {
    /// Adds a record. Its event must parse back from its stored form. If its entry was not masked it is not
    /// written, and the request is undone.
    pub(super) fn append(&mut self, record: &Record) -> TransactionResult<()> {
        match self.lines.masked(&record.entry) {
            Some(line) => self.draft.append(record, line),
            None => Ok(()),
        }
    }
}
