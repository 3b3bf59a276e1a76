//! The audit log in memory: the ledger's own chain, and those of spools.

use std::collections::BTreeMap;

use jiff::Timestamp;
use sekisho_gate::audit::{AuditConfig, ChainCut, ChainHead, ChainRow, ChainWriter, MaskedEntry, WriterId};
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::record::{AuditEntry, RecordKind};
use uuid::Uuid;

use crate::fixtures;

/// The writer of the ledger's own chain.
const WRITER: WriterId = WriterId(Uuid::from_u128(1));

pub(super) struct MemoryAuditLog {
    pub(super) seal: AuditConfig,
    chain_writer: ChainWriter,
    /// Entries that are not chained yet.
    unwritten: Vec<AuditEntry>,
    /// In the order they were written.
    pub(super) rows: Vec<ChainRow>,
    pub(super) cuts: BTreeMap<WriterId, ChainCut>,
    /// The last row of each chain that checkpoints cover.
    covered_rows: BTreeMap<WriterId, u64>,
}

impl Default for MemoryAuditLog {
    fn default() -> MemoryAuditLog {
        let seal = fixtures::audit_config();
        let chain_writer = ChainWriter::new(WRITER, seal.keys.clone());
        let (rows, unwritten) = (Vec::new(), Vec::new());
        MemoryAuditLog {
            seal,
            chain_writer,
            unwritten,
            rows,
            cuts: BTreeMap::new(),
            covered_rows: BTreeMap::new(),
        }
    }
}

impl MemoryAuditLog {
    pub(super) fn write(&mut self, entry: AuditEntry) {
        self.unwritten.push(entry);
    }

    /// Chains the entries written since the last call. Done lazily: most tests never look, and explorers of
    /// interleavings write a lot.
    pub(super) fn catch_up(&mut self) {
        for entry in self.unwritten.drain(..) {
            let masked = MaskedEntry::new(entry, &self.seal.masks);
            self.rows.push(self.chain_writer.write(&masked).expect("there is a key"));
        }
    }

    pub(super) fn take_keys(&mut self, keys: std::sync::Arc<sekisho_gate::audit::KeyRing>) {
        self.chain_writer.set_keys(keys.clone());
        self.seal.keys = keys;
    }

    /// In chain order.
    pub(super) fn in_order(&self) -> Vec<ChainRow> {
        let mut rows = self.rows.clone();
        rows.sort_by_key(|row| (row.writer, row.seq));
        rows
    }

    /// The head of every chain. The last row of a chain is never removed.
    pub(super) fn heads(&self) -> BTreeMap<WriterId, ChainHead> {
        self.in_order().iter().map(|row| (row.writer, row.head())).collect()
    }

    pub(super) fn checkpoint(&mut self, at: Timestamp) -> Option<ChainHead> {
        let told = |row: &&ChainRow| row.kind != RecordKind::Checkpoint.name();
        let news = self.rows.iter().filter(told).map(|row| (row.writer, row.seq));
        let news: BTreeMap<WriterId, u64> = news.collect();
        let grown = |writer: &WriterId| news.get(writer) > Some(self.covered_rows.get(writer).unwrap_or(&0));
        let heads: Vec<ChainHead> = self.heads().into_values().filter(|head| grown(&head.writer)).collect();
        if heads.is_empty() {
            return None;
        }
        self.covered_rows.extend(heads.iter().map(|head| (head.writer, head.seq)));
        self.rows.push(self.chain_writer.checkpoint(&heads, at).expect("there is a key"));
        self.chain_writer.head()
    }

    pub(super) fn prune(&mut self, before: Timestamp, at: Timestamp) -> u64 {
        let mut removed = 0;
        for last in self.heads().into_values() {
            let rows = self.in_order();
            let chain = rows.iter().filter(|row| row.writer == last.writer);
            let old: Vec<&ChainRow> =
                chain.take_while(|row| row.at() < before && row.seq < last.seq).collect();
            let Some(head) = old.last().map(|row| row.head()) else { continue };
            removed += old.len() as u64;
            self.rows.retain(|row| row.writer != head.writer || row.seq > head.seq);
            self.cuts.insert(head.writer, ChainCut::sign(head, at, &self.seal.keys).expect("there is a key"));
        }
        removed
    }

    pub(super) fn import_spool(
        &mut self,
        spool: WriterId,
        first: u64,
        lines: &[AuditEntry],
    ) -> Result<u64, LedgerError> {
        let head = self.heads().get(&spool).copied();
        let there = head.map_or(0, |head| head.seq);
        if spool == WRITER || first == 0 || first > there + 1 {
            return Err(LedgerError::permanent(format!("spool `{spool}` cannot continue at line {first}")));
        }
        let new = || ChainWriter::new(spool, self.seal.keys.clone());
        let mut chain_writer =
            head.map_or_else(new, |head| ChainWriter::resume(head, self.seal.keys.clone()));
        let lines = (first..).zip(lines).filter(|(number, _)| *number > there);
        let rows: Option<Vec<ChainRow>> = lines
            .map(|(_, line)| chain_writer.write(&MaskedEntry::new(line.clone(), &self.seal.masks)))
            .collect();
        let rows = rows.expect("there is a key");
        self.rows.extend(rows.iter().cloned());
        Ok(rows.len() as u64)
    }
}
