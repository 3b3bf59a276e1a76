//! Verifies chains row by row, in constant memory for each writer.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::chain_row::{ChainCut, ChainHead, ChainRow, WriterId};
use super::keys::KeyRing;
use super::mac::Mac;
use crate::record::RecordKind;

/// Verifies rows in the order of writer and number.
pub struct Verifier<'a> {
    keys: &'a KeyRing,
    cuts: BTreeMap<WriterId, ChainCut>,
    /// The latest row of each chain that checkpoints or exported heads name, by writer and number.
    anchors: BTreeMap<WriterId, BTreeMap<u64, KnownRow>>,
    /// Heads that were exported and stored elsewhere. Nothing inside the log replaces them: checkpoints
    /// are only as trustworthy as the key, and exported heads still hold if the key is compromised.
    exported: BTreeMap<WriterId, BTreeMap<u64, Mac>>,
    heads: BTreeMap<WriterId, ChainHead>,
    current: Option<ChainHead>,
    rows: u64,
    first: Option<Timestamp>,
}

/// A row known from a checkpoint or an exported head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownRow {
    /// The code of the row.
    pub code: Mac,
    /// The checkpoint that names the row. None for an exported head.
    pub checkpoint: Option<(WriterId, u64)>,
}

/// A verification failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainError {
    /// The writer of the chain.
    pub writer: WriterId,
    /// The number of the row.
    pub seq: u64,
    /// What is wrong.
    pub fault: ChainErrorKind,
}

/// What can be wrong with a row or chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ChainErrorKind {
    /// Its content differs from what was signed.
    Changed,
    /// It does not follow the previous row: rows were swapped or inserted.
    OutOfOrder,
    /// It is missing.
    Missing {
        /// The number of the next row that exists.
        next: u64,
    },
    /// The row number occurs twice.
    Twice,
    /// The chain ends before this row, although a checkpoint or an exported head names the row.
    CutShort,
    /// The whole chain is missing, although a checkpoint or an exported head names it.
    WriterMissing,
    /// It differs from the row that a checkpoint or an exported head names.
    Replaced,
    /// It is signed with a key that is not in the key file.
    UnknownKey {
        /// The number of the key.
        key: u32,
    },
    /// The mark of removed rows has no valid signature.
    ForgedCut,
    /// It has a valid signature, and its body does not match its kind.
    Unreadable,
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChainError { writer, seq, fault } = self;
        match fault {
            ChainErrorKind::Changed => {
                write!(f, "row {seq} of writer {writer} was changed after it was written")
            }
            ChainErrorKind::OutOfOrder => {
                write!(
                    f,
                    "row {seq} of writer {writer} does not follow the previous row: one was inserted or moved"
                )
            }
            ChainErrorKind::Missing { next } => {
                write!(f, "row {seq} of writer {writer} is missing; the next row is {next}")
            }
            ChainErrorKind::Twice => write!(f, "row {seq} of writer {writer} occurs twice: one was inserted"),
            ChainErrorKind::CutShort => {
                write!(f, "row {seq} of writer {writer} was removed: the chain ends before it")
            }
            ChainErrorKind::WriterMissing => {
                write!(f, "writer {writer} is missing with all its {seq} rows")
            }
            ChainErrorKind::Replaced => write!(f, "row {seq} of writer {writer} was replaced by another row"),
            ChainErrorKind::UnknownKey { key } => {
                write!(
                    f,
                    "row {seq} of writer {writer} is signed with key {key}, which is not in the key file"
                )
            }
            ChainErrorKind::Unreadable => {
                write!(f, "row {seq} of writer {writer} is an unreadable checkpoint")
            }
            ChainErrorKind::ForgedCut => {
                write!(f, "the mark of removed rows up to {seq} of writer {writer} has no valid signature")
            }
        }
    }
}

/// The result of a successful verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// The number of rows read.
    pub rows: u64,
    /// The heads of all chains.
    pub heads: Vec<ChainHead>,
    /// The time of the first row, as the row states it.
    #[serde(skip)]
    pub first: Option<Timestamp>,
    /// Rows that a checkpoint named after their chain was read. They still have to be compared with the
    /// stored rows.
    #[serde(skip)]
    pub late: Vec<ChainHead>,
    /// The number of exported heads before a cut, which have no row left to compare with.
    pub unchecked: u64,
}

impl VerifyReport {
    /// Compares a row that a late checkpoint named with the stored row.
    pub fn check_late_head(expected: &ChainHead, found: Option<&ChainRow>) -> Result<(), ChainError> {
        match found {
            Some(row) if row.code == expected.code => Ok(()),
            _ => Err(ChainError {
                writer: expected.writer,
                seq: expected.seq,
                fault: ChainErrorKind::Replaced,
            }),
        }
    }
}

impl<'a> Verifier<'a> {
    /// Starts a verification. `cuts` mark what was removed by age; `exported` are heads that were
    /// stored elsewhere.
    pub fn new(
        keys: &'a KeyRing,
        cuts: Vec<ChainCut>,
        exported: &[ChainHead],
    ) -> Result<Verifier<'a>, ChainError> {
        let mut verifier = Verifier {
            keys,
            cuts: BTreeMap::new(),
            anchors: BTreeMap::new(),
            exported: BTreeMap::new(),
            heads: BTreeMap::new(),
            current: None,
            rows: 0,
            first: None,
        };
        for cut in cuts {
            if !cut.is_signed(keys) {
                return Err(ChainError {
                    writer: cut.head.writer,
                    seq: cut.head.seq,
                    fault: ChainErrorKind::ForgedCut,
                });
            }
            verifier.cuts.insert(cut.head.writer, cut);
        }
        for head in exported {
            let before = verifier.exported.entry(head.writer).or_default().insert(head.seq, head.code);
            if before.is_some_and(|code| code != head.code) {
                // Two heads of the same row differ, so at least one does not match the row.
                return Err(ChainError {
                    writer: head.writer,
                    seq: head.seq,
                    fault: ChainErrorKind::Replaced,
                });
            }
        }
        Ok(verifier)
    }

    /// The number of rows read so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Verifies the next row, in the order of writer and number.
    pub fn row(&mut self, row: &ChainRow) -> Result<(), ChainError> {
        let bad = |seq, fault| Err(ChainError { writer: row.writer, seq, fault });
        let before = self.before(row);
        let expected = before.map_or(1, |head| head.seq + 1);
        if row.seq < expected {
            return bad(row.seq, ChainErrorKind::Twice);
        }
        if row.seq > expected {
            return bad(expected, ChainErrorKind::Missing { next: row.seq });
        }
        match row.expected_mac(self.keys) {
            None => return bad(row.seq, ChainErrorKind::UnknownKey { key: row.key }),
            Some(code) if code != row.code => return bad(row.seq, ChainErrorKind::Changed),
            Some(_) => {}
        }
        if row.previous != before.map_or(Mac::ZERO, |head| head.code) {
            return bad(row.seq, ChainErrorKind::OutOfOrder);
        }
        self.compare_known(row)?;
        self.rows += 1;
        self.first = Some(self.first.map_or(row.at(), |first| first.min(row.at())));
        self.current = Some(row.head());
        if row.kind == RecordKind::Checkpoint.name() && self.read_checkpoint(row).is_none() {
            return bad(row.seq, ChainErrorKind::Unreadable);
        }
        Ok(())
    }

    /// Chains that end before a row known from elsewhere: the writer, the number of its last row, and
    /// the known row. Other processes may still be writing, so a checkpoint can name rows that came
    /// after its chain was read. Reading further rows resolves this.
    pub fn awaited(&self) -> Vec<(WriterId, u64, u64)> {
        let anchored =
            self.anchors.iter().filter_map(|(writer, anchors)| Some((*writer, *anchors.keys().next_back()?)));
        let exported = self
            .exported
            .iter()
            .filter_map(|(writer, exported)| Some((*writer, *exported.keys().next_back()?)));
        let known = anchored.chain(exported);
        known
            .map(|(writer, seq)| (writer, self.end(writer).map_or(0, |head| head.seq), seq))
            .filter(|(_, end, seq)| end < seq)
            .collect()
    }

    /// The head of a chain, as far as it was read.
    fn end(&self, writer: WriterId) -> Option<ChainHead> {
        let current = self.current.filter(|head| head.writer == writer);
        let cut = || self.cuts.get(&writer).map(|cut| cut.head);
        current.or_else(|| self.heads.get(&writer).copied()).or_else(cut)
    }

    /// Finishes after the last row.
    pub fn finish(mut self) -> Result<VerifyReport, ChainError> {
        self.heads.extend(self.current.take().map(|head| (head.writer, head)));
        for cut in self.cuts.values() {
            self.heads.entry(cut.head.writer).or_insert(cut.head);
        }
        let mut late = Vec::new();
        for (writer, anchors) in &self.anchors {
            for (seq, anchor) in anchors {
                self.check_reaches(*writer, *seq)?;
                late.push(ChainHead { writer: *writer, seq: *seq, code: anchor.code });
            }
        }
        let mut unchecked = 0;
        for (writer, exported) in &self.exported {
            for (seq, code) in exported {
                self.check_reaches(*writer, *seq)?;
                match self.cuts.get(writer).map(|cut| cut.head) {
                    Some(cut) if cut.seq == *seq && cut.code != *code => {
                        return Err(ChainError {
                            writer: *writer,
                            seq: *seq,
                            fault: ChainErrorKind::Replaced,
                        });
                    }
                    Some(cut) if cut.seq == *seq => {}
                    _ => unchecked += 1,
                }
            }
        }
        let heads = self.heads.into_values().collect();
        Ok(VerifyReport { rows: self.rows, heads, first: self.first, late, unchecked })
    }

    /// Whether a chain reaches the given row.
    fn check_reaches(&self, writer: WriterId, seq: u64) -> Result<(), ChainError> {
        match self.heads.get(&writer) {
            None => Err(ChainError { writer, seq, fault: ChainErrorKind::WriterMissing }),
            Some(head) if seq > head.seq => Err(ChainError { writer, seq, fault: ChainErrorKind::CutShort }),
            Some(_) => Ok(()),
        }
    }

    /// The head of the row's chain before it. A row of another writer closes the current chain. A chain
    /// that comes again continues where it ended.
    fn before(&mut self, row: &ChainRow) -> Option<ChainHead> {
        let end = self.end(row.writer);
        if self.current.is_some_and(|head| head.writer != row.writer) {
            self.heads.extend(self.current.take().map(|head| (head.writer, head)));
        }
        end
    }

    /// Compares a row with what checkpoints and exported heads say about it.
    fn compare_known(&mut self, row: &ChainRow) -> Result<(), ChainError> {
        let anchored = self.anchors.get_mut(&row.writer).and_then(|anchors| anchors.remove(&row.seq));
        let exported = self.exported.get_mut(&row.writer).and_then(|exported| exported.remove(&row.seq));
        let known = anchored.map(|anchor| anchor.code).into_iter().chain(exported);
        if known.into_iter().any(|code| code != row.code) {
            return Err(ChainError { writer: row.writer, seq: row.seq, fault: ChainErrorKind::Replaced });
        }
        Ok(())
    }

    /// `None` if the row is not a valid checkpoint.
    fn read_checkpoint(&mut self, row: &ChainRow) -> Option<()> {
        let body: Value = serde_json::from_str(&row.body).ok()?;
        let heads: Vec<ChainHead> = serde_json::from_value(body.get("heads")?.clone()).ok()?;
        for head in heads {
            if head.writer != row.writer {
                self.anchor(head, Some((row.writer, row.seq)));
            }
        }
        Some(())
    }

    /// Remembers the latest known row of a chain. It covers earlier ones, because each row
    /// authenticates all rows before it.
    fn anchor(&mut self, head: ChainHead, checkpoint: Option<(WriterId, u64)>) {
        let removed = self.cuts.get(&head.writer).is_some_and(|cut| head.seq <= cut.head.seq);
        if removed {
            return;
        }
        let anchors = self.anchors.entry(head.writer).or_default();
        let latest = anchors.keys().next_back().is_none_or(|latest| *latest < head.seq);
        if latest {
            anchors.clear();
            anchors.insert(head.seq, KnownRow { code: head.code, checkpoint });
        }
    }
}
