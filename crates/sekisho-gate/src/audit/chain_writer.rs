//! Turns masked lines into rows: chained and signed.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use super::chain_row::{ChainHead, ChainRow, WriterId};
use super::mac::Mac;
use super::keys::KeyRing;
use super::masked_entry::MaskedEntry;
use crate::record::{AuditEntry, RecordKind, AuditMessage};

/// Writes one chain. A store clones it before a transaction and goes back to the clone if that fails, so a row that was
/// not kept leaves no gap.
#[derive(Clone)]
pub struct ChainWriter {
    keys: Arc<KeyRing>,
    writer: WriterId,
    seq: u64,
    last: Mac,
}

impl ChainWriter {
    /// A writer that has written nothing yet.
    pub fn new(writer: WriterId, keys: Arc<KeyRing>) -> ChainWriter {
        ChainWriter { keys, writer, seq: 0, last: Mac::ZERO }
    }

    /// A writer that goes on where a chain ends: a spool's, whose lines come in bit by bit.
    pub fn resume(head: ChainHead, keys: Arc<KeyRing>) -> ChainWriter {
        ChainWriter { keys, writer: head.writer, seq: head.seq, last: head.code }
    }

    /// Where its chain ends; none before the first row.
    pub fn head(&self) -> Option<ChainHead> {
        (self.seq > 0).then_some(ChainHead { writer: self.writer, seq: self.seq, code: self.last })
    }

    /// Signs with other keys from now on.
    pub fn set_keys(&mut self, keys: Arc<KeyRing>) {
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
    pub fn write(&mut self, entry: &MaskedEntry) -> Option<ChainRow> {
        let mut row = entry.row().clone();
        row.writer = self.writer;
        row.seq = self.seq + 1;
        row.previous = self.last;
        row.key = self.keys.signing()?.id;
        row.code = row.expected_mac(&self.keys)?;
        self.seq = row.seq;
        self.last = row.code;
        Some(row)
    }

    /// A row that tells of the heads of all chains.
    pub fn checkpoint(&mut self, heads: &[ChainHead], at: Timestamp) -> Option<ChainRow> {
        let line = AuditMessage::Checkpoint { chains: heads.len() };
        let (text, body) = line.into_text_and_body(json!({ "heads": heads }));
        self.write(&MaskedEntry::trusted(AuditEntry::without_call(RecordKind::Checkpoint, at, None, text, body)))
    }
}
