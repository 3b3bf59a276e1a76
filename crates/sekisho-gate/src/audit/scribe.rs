//! Turns masked lines into rows: chained and signed.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use super::chain::{Head, Row, WriterId};
use super::code::Code;
use super::keys::Keys;
use super::masked::MaskedEntry;
use crate::record::{Entry, Kind, RecordLine};

/// Writes one chain. A store clones it before a transaction and goes back to the clone if that fails, so a row that was
/// not kept leaves no gap.
#[derive(Clone)]
pub struct Scribe {
    keys: Arc<Keys>,
    writer: WriterId,
    seq: u64,
    last: Code,
}

impl Scribe {
    /// A writer that has written nothing yet.
    pub fn new(writer: WriterId, keys: Arc<Keys>) -> Scribe {
        Scribe { keys, writer, seq: 0, last: Code::NOTHING }
    }

    /// A writer that goes on where a chain ends: a spool's, whose lines come in bit by bit.
    pub fn resume(head: Head, keys: Arc<Keys>) -> Scribe {
        Scribe { keys, writer: head.writer, seq: head.seq, last: head.code }
    }

    /// Where its chain ends; none before the first row.
    pub fn head(&self) -> Option<Head> {
        (self.seq > 0).then_some(Head { writer: self.writer, seq: self.seq, code: self.last })
    }

    /// Signs with other keys from now on.
    pub fn take_keys(&mut self, keys: Arc<Keys>) {
        self.keys = keys;
    }

    /// The next row. `None`: there is no key to sign with, and then nothing may be written at all.
    ///
    /// A line is masked before, and there is no way to write one that is not:
    ///
    /// ```compile_fail,E0308
    /// use sekisho_gate::{audit::{Row, Scribe}, record::Entry};
    ///
    /// fn write(scribe: &mut Scribe, entry: &Entry) -> Option<Row> {
    ///     scribe.write(entry)
    /// }
    /// ```
    ///
    /// ```
    /// use sekisho_gate::{audit::{MaskedEntry, Row, Scribe}, mask::Masks, record::Entry};
    ///
    /// fn write(scribe: &mut Scribe, entry: Entry, masks: &Masks) -> Option<Row> {
    ///     scribe.write(&MaskedEntry::new(entry, masks))
    /// }
    /// ```
    pub fn write(&mut self, entry: &MaskedEntry) -> Option<Row> {
        let mut row = entry.row().clone();
        row.writer = self.writer;
        row.seq = self.seq + 1;
        row.previous = self.last;
        row.key = self.keys.signing()?.id;
        row.code = row.expected(&self.keys)?;
        self.seq = row.seq;
        self.last = row.code;
        Some(row)
    }

    /// A row that tells of the heads of all chains.
    pub fn checkpoint(&mut self, heads: &[Head], at: Timestamp) -> Option<Row> {
        let line = RecordLine::Checkpoint { chains: heads.len() };
        let (text, body) = line.told(json!({ "heads": heads }));
        self.write(&MaskedEntry::of_our_own(Entry::plain(Kind::Checkpoint, at, None, text, body)))
    }
}
