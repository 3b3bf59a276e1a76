//! Reading the chains back, one row at a time and in constant memory for each writer.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::chain_row::{ChainCut, ChainHead, ChainRow, WriterId};
use super::mac::Mac;
use super::keys::KeyRing;
use crate::record::RecordKind;

/// Reads rows in the order of writer and number.
pub struct Verifier<'a> {
    keys: &'a KeyRing,
    cuts: BTreeMap<WriterId, ChainCut>,
    /// What somebody else says a chain held, by writer and then by number.
    anchors: BTreeMap<WriterId, BTreeMap<u64, KnownRow>>,
    /// What was kept elsewhere. Nothing inside the log stands in for it: a checkpoint is as good as the key, and these
    /// are what is left when the key is not.
    kept: BTreeMap<WriterId, BTreeMap<u64, Mac>>,
    heads: BTreeMap<WriterId, ChainHead>,
    current: Option<ChainHead>,
    rows: u64,
    first: Option<Timestamp>,
}

/// That a row was there, according to a checkpoint or an exported head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownRow {
    /// The row's code.
    pub code: Mac,
    /// The checkpoint that says so; none for an exported head.
    pub checkpoint: Option<(WriterId, u64)>,
}

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainError {
    /// Whose chain.
    pub writer: WriterId,
    /// Which row.
    pub seq: u64,
    /// What is wrong.
    pub fault: ChainErrorKind,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ChainErrorKind {
    /// Its content is not what was signed.
    Changed,
    /// It does not come after the row before it: rows were swapped, or one was put in.
    OutOfOrder,
    /// It is missing: the next one there is.
    Missing {
        /// The next one.
        next: u64,
    },
    /// A number that is there twice.
    Twice,
    /// The chain ends before it, though a checkpoint or an exported head knows it.
    CutShort,
    /// The whole chain is gone, though a checkpoint or an exported head knows it.
    WriterMissing,
    /// It is there, but not the one that a checkpoint or an exported head knows.
    Replaced,
    /// It is signed with a key that is not in the key file.
    UnknownKey {
        /// Its number.
        key: u32,
    },
    /// The mark of removed rows is not signed by us.
    ForgedCut,
    /// It is signed by us and is not what its kind says.
    Unreadable,
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChainError { writer, seq, fault } = self;
        match fault {
            ChainErrorKind::Changed => write!(f, "row {seq} of writer {writer} was changed after it was written"),
            ChainErrorKind::OutOfOrder => {
                write!(
                    f,
                    "row {seq} of writer {writer} does not follow the row before it: one was put in or moved"
                )
            }
            ChainErrorKind::Missing { next } => {
                write!(f, "row {seq} of writer {writer} is missing; the next that is there is {next}")
            }
            ChainErrorKind::Twice => write!(f, "row {seq} of writer {writer} is there twice: one was put in"),
            ChainErrorKind::CutShort => {
                write!(f, "row {seq} of writer {writer} was there once, and the chain ends before it")
            }
            ChainErrorKind::WriterMissing => {
                write!(f, "writer {writer} is gone with all its rows, of which there were {seq}")
            }
            ChainErrorKind::Replaced => write!(f, "row {seq} of writer {writer} is not the one that was there"),
            ChainErrorKind::UnknownKey { key } => {
                write!(
                    f,
                    "row {seq} of writer {writer} is signed with key {key}, which is not in the key file"
                )
            }
            ChainErrorKind::Unreadable => {
                write!(f, "row {seq} of writer {writer} is a checkpoint that cannot be read")
            }
            ChainErrorKind::ForgedCut => {
                write!(f, "the mark of removed rows up to {seq} of writer {writer} is not signed by us")
            }
        }
    }
}

/// What was found, when all of it fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// How many rows were read.
    pub rows: u64,
    /// Where each chain ends.
    pub heads: Vec<ChainHead>,
    /// When the first of them was written, by its own word.
    #[serde(skip)]
    pub first: Option<Timestamp>,
    /// Rows that a checkpoint told of after their chain was read: to be held against the rows themselves.
    #[serde(skip)]
    pub late: Vec<ChainHead>,
    /// Heads kept elsewhere that lie before a cut, where there is nothing left to hold them against.
    pub unchecked: u64,
}

impl VerifyReport {
    /// Holds a row that was told of late against what is there.
    pub fn check_late_head(told: &ChainHead, found: Option<&ChainRow>) -> Result<(), ChainError> {
        match found {
            Some(row) if row.code == told.code => Ok(()),
            _ => Err(ChainError { writer: told.writer, seq: told.seq, fault: ChainErrorKind::Replaced }),
        }
    }
}

impl<'a> Verifier<'a> {
    /// Begins. `cuts` mark what was removed by age; `exported` are heads that were kept elsewhere.
    pub fn new(keys: &'a KeyRing, cuts: Vec<ChainCut>, exported: &[ChainHead]) -> Result<Verifier<'a>, ChainError> {
        let mut verifier = Verifier {
            keys,
            cuts: BTreeMap::new(),
            anchors: BTreeMap::new(),
            kept: BTreeMap::new(),
            heads: BTreeMap::new(),
            current: None,
            rows: 0,
            first: None,
        };
        for cut in cuts {
            if !cut.is_signed(keys) {
                return Err(ChainError { writer: cut.head.writer, seq: cut.head.seq, fault: ChainErrorKind::ForgedCut });
            }
            verifier.cuts.insert(cut.head.writer, cut);
        }
        for head in exported {
            let before = verifier.kept.entry(head.writer).or_default().insert(head.seq, head.code);
            if before.is_some_and(|code| code != head.code) {
                // Two heads of one row: whichever is there, the other is not.
                return Err(ChainError { writer: head.writer, seq: head.seq, fault: ChainErrorKind::Replaced });
            }
        }
        Ok(verifier)
    }

    /// How many rows were read so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The next row, in the order of writer and number.
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
        self.meet(row)?;
        self.rows += 1;
        self.first = Some(self.first.map_or(row.at(), |first| first.min(row.at())));
        self.current = Some(row.head());
        if row.kind == RecordKind::Checkpoint.name() && self.read_checkpoint(row).is_none() {
            return bad(row.seq, ChainErrorKind::Unreadable);
        }
        Ok(())
    }

    /// Chains that end before a row that is known of elsewhere: which, where it ends, and the row. While others go on
    /// writing, a checkpoint can tell of rows that came after its chain was read; reading on settles it.
    pub fn awaited(&self) -> Vec<(WriterId, u64, u64)> {
        let anchored =
            self.anchors.iter().filter_map(|(writer, anchors)| Some((*writer, *anchors.keys().next_back()?)));
        let kept = self.kept.iter().filter_map(|(writer, kept)| Some((*writer, *kept.keys().next_back()?)));
        let known = anchored.chain(kept);
        known
            .map(|(writer, seq)| (writer, self.end(writer).map_or(0, |head| head.seq), seq))
            .filter(|(_, end, seq)| end < seq)
            .collect()
    }

    /// Where a chain ends, as far as it was read.
    fn end(&self, writer: WriterId) -> Option<ChainHead> {
        let current = self.current.filter(|head| head.writer == writer);
        let cut = || self.cuts.get(&writer).map(|cut| cut.head);
        current.or_else(|| self.heads.get(&writer).copied()).or_else(cut)
    }

    /// When there are no more rows.
    pub fn finish(mut self) -> Result<VerifyReport, ChainError> {
        self.heads.extend(self.current.take().map(|head| (head.writer, head)));
        for cut in self.cuts.values() {
            self.heads.entry(cut.head.writer).or_insert(cut.head);
        }
        let mut late = Vec::new();
        for (writer, anchors) in &self.anchors {
            for (seq, anchor) in anchors {
                self.reaches(*writer, *seq)?;
                late.push(ChainHead { writer: *writer, seq: *seq, code: anchor.code });
            }
        }
        let mut unchecked = 0;
        for (writer, kept) in &self.kept {
            for (seq, code) in kept {
                self.reaches(*writer, *seq)?;
                match self.cuts.get(writer).map(|cut| cut.head) {
                    Some(cut) if cut.seq == *seq && cut.code != *code => {
                        return Err(ChainError { writer: *writer, seq: *seq, fault: ChainErrorKind::Replaced });
                    }
                    Some(cut) if cut.seq == *seq => {}
                    _ => unchecked += 1,
                }
            }
        }
        let heads = self.heads.into_values().collect();
        Ok(VerifyReport { rows: self.rows, heads, first: self.first, late, unchecked })
    }

    /// Whether a chain goes as far as it is said to.
    fn reaches(&self, writer: WriterId, seq: u64) -> Result<(), ChainError> {
        match self.heads.get(&writer) {
            None => Err(ChainError { writer, seq, fault: ChainErrorKind::WriterMissing }),
            Some(head) if seq > head.seq => Err(ChainError { writer, seq, fault: ChainErrorKind::CutShort }),
            Some(_) => Ok(()),
        }
    }

    /// The head of the row's chain before it. Meeting another writer closes the one before; a chain that is met again
    /// goes on where it ended.
    fn before(&mut self, row: &ChainRow) -> Option<ChainHead> {
        let end = self.end(row.writer);
        if self.current.is_some_and(|head| head.writer != row.writer) {
            self.heads.extend(self.current.take().map(|head| (head.writer, head)));
        }
        end
    }

    /// Compares a row with what is said of it elsewhere.
    fn meet(&mut self, row: &ChainRow) -> Result<(), ChainError> {
        let anchored = self.anchors.get_mut(&row.writer).and_then(|anchors| anchors.remove(&row.seq));
        let kept = self.kept.get_mut(&row.writer).and_then(|kept| kept.remove(&row.seq));
        let known = anchored.map(|anchor| anchor.code).into_iter().chain(kept);
        if known.into_iter().any(|code| code != row.code) {
            return Err(ChainError { writer: row.writer, seq: row.seq, fault: ChainErrorKind::Replaced });
        }
        Ok(())
    }

    /// `None`: it is not what a checkpoint is.
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

    /// Remembers the latest that is said of a chain. Earlier ones follow from it: each row vouches for all before.
    fn anchor(&mut self, head: ChainHead, said_by: Option<(WriterId, u64)>) {
        let removed = self.cuts.get(&head.writer).is_some_and(|cut| head.seq <= cut.head.seq);
        if removed {
            return;
        }
        let anchors = self.anchors.entry(head.writer).or_default();
        let latest = anchors.keys().next_back().is_none_or(|latest| *latest < head.seq);
        if latest {
            anchors.clear();
            anchors.insert(head.seq, KnownRow { code: head.code, checkpoint: said_by });
        }
    }
}
