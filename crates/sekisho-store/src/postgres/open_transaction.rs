//! The page that one transaction fills: what it writes, and what of that can still be undone.

use sekisho_gate::audit::{ChainRow as Logged, MaskedEntry, masked_event};
use sekisho_gate::record::Record;

use super::connection::PgConnection;
use super::writer_chain::ChainState;
use crate::encoding::{micros, round_trip_json};
use crate::entry_masking::MaskedLines;
use crate::transaction_error::TransactionResult;

/// What a transaction writes. Rows of the log and events are gathered and written together at its end, so that the one
/// counter that all processes share is locked as late as possible.
pub(super) struct OpenTransaction<'c> {
    pub(super) db: PgConnection<'c>,
    /// What was written until the last mark cannot be undone any more; everything after it can.
    pub(super) draft: PendingAppends,
    /// The masked lines of the request that is being run.
    pub(super) lines: MaskedLines,
}

/// The part of a page that is not in the database yet.
pub(super) struct PendingAppends {
    pub(super) ink: ChainState,
    pub(super) rows: Vec<Logged>,
    /// Moment and text of each event.
    pub(super) events: Vec<(i64, String)>,
    /// The revision of the rules, where it has changed.
    pub(super) revision: Option<u64>,
}

/// A place in a draft to go back to.
pub(super) struct SavepointMark {
    ink: ChainState,
    rows: usize,
    events: usize,
    revision: Option<u64>,
}

impl PendingAppends {
    pub(super) fn new(ink: ChainState) -> PendingAppends {
        PendingAppends { ink, rows: Vec::new(), events: Vec::new(), revision: None }
    }

    pub(super) fn mark(&self) -> SavepointMark {
        let (rows, events) = (self.rows.len(), self.events.len());
        SavepointMark { ink: self.ink.clone(), rows, events, revision: self.revision }
    }

    /// Adds a record with its line as it was masked.
    pub(super) fn append(&mut self, record: &Record, line: &MaskedEntry) -> TransactionResult<()> {
        let row = self.ink.write(line)?;
        if let Some(change) = masked_event(record, &row) {
            self.events.push((micros(record.entry.at), round_trip_json(&*change, "the change")?));
        }
        self.rows.push(row);
        Ok(())
    }

    pub(super) fn back_to(&mut self, mark: SavepointMark) {
        self.ink = mark.ink;
        self.rows.truncate(mark.rows);
        self.events.truncate(mark.events);
        self.revision = mark.revision;
    }
}

impl OpenTransaction<'_> {
    /// Puts something on the record. The change must be one that can be read again. A line that was not masked is left out,
    /// and the request with it.
    pub(super) fn append(&mut self, record: &Record) -> TransactionResult<()> {
        match self.lines.masked(&record.entry) {
            Some(line) => self.draft.append(record, line),
            None => Ok(()),
        }
    }
}
