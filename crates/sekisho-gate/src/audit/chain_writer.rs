//! Turns masked entries into chained and signed rows.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use super::chain_row::{ChainHead, ChainRow, WriterId};
use super::keys::KeyRing;
use super::mac::Mac;
use super::masked_entry::MaskedEntry;
use crate::record::{AuditEntry, AuditMessage, RecordKind};

/// Writes one chain. A store clones it before a transaction and restores the clone if the transaction
/// fails, so a row that was not stored leaves no gap.
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

    /// A writer that continues a chain: a spool's, whose lines arrive in batches.
    pub fn resume(head: ChainHead, keys: Arc<KeyRing>) -> ChainWriter {
        ChainWriter { keys, writer: head.writer, seq: head.seq, last: head.code }
    }

    /// The head of its chain. None before the first row.
    pub fn head(&self) -> Option<ChainHead> {
        (self.seq > 0).then_some(ChainHead { writer: self.writer, seq: self.seq, code: self.last })
    }

    /// Replaces the signing keys.
    pub fn set_keys(&mut self, keys: Arc<KeyRing>) {
        self.keys = keys;
    }

    /// The next row. `None` if there is no signing key; then nothing may be written at all.
    ///
    /// Entries are masked first. An unmasked entry cannot be written:
    ///
    /// ```compile_fail,E0308
    /// use sekisho_gate::{audit::{ChainRow, ChainWriter}, record::AuditEntry};
    ///
    /// fn write(writer: &mut ChainWriter, entry: &AuditEntry) -> Option<ChainRow> {
    ///     writer.write(entry)
    /// }
    /// ```
    ///
    /// ```
    /// use sekisho_gate::{audit::{ChainRow, ChainWriter, MaskedEntry}, mask::Masks, record::AuditEntry};
    ///
    /// fn write(writer: &mut ChainWriter, entry: AuditEntry, masks: &Masks) -> Option<ChainRow> {
    ///     writer.write(&MaskedEntry::new(entry, masks))
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

    /// A checkpoint: a row with the heads of all chains.
    pub fn checkpoint(&mut self, heads: &[ChainHead], at: Timestamp) -> Option<ChainRow> {
        let line = AuditMessage::Checkpoint { chains: heads.len() };
        let (text, body) = line.into_text_and_body(json!({ "heads": heads }));
        self.write(&MaskedEntry::trusted(AuditEntry::without_call(
            RecordKind::Checkpoint,
            at,
            None,
            text,
            body,
        )))
    }
}
