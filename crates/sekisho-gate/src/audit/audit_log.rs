//! Reading the log, and the few writes that are its own: checkpoints, cuts, the purging of raw inputs.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::chain_row::{ChainCut, ChainHead, ChainRow, WriterId};
use super::keys::KeyRing;
use crate::write_access::WriteAccess;
use crate::ids::CallId;
use crate::ledger::LedgerFuture;
use crate::mask::Masks;
use crate::record::AuditEntry;

/// What every writer of the log needs: keys to sign with, and masks for what must not be in it.
#[derive(Clone)]
pub struct AuditConfig {
    /// The keys.
    pub keys: Arc<KeyRing>,
    /// The masks.
    pub masks: Arc<Masks>,
}

/// The log, for those who read it.
pub trait AuditLog: Send + Sync {
    /// Rows that fit, newest first.
    fn search(&self, query: AuditQuery) -> LedgerFuture<'_, Vec<ChainRow>>;

    /// Rows in the order of the chains (writer, then number), after one of them. For verifying and exporting.
    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> LedgerFuture<'_, Vec<ChainRow>>;

    /// One row.
    fn row(&self, writer: WriterId, seq: u64) -> LedgerFuture<'_, Option<ChainRow>>;

    /// How many rows there are, about: for a progress bar.
    fn count(&self) -> LedgerFuture<'_, u64>;

    /// Where every chain ends, those that were removed by age up to their end included.
    fn heads(&self) -> LedgerFuture<'_, Vec<ChainHead>>;

    /// Where chains were cut by age.
    fn cuts(&self) -> LedgerFuture<'_, Vec<ChainCut>>;

    /// The earliest moment of which anything beside the log tells: a call that is kept, or an event. A row of the same moment
    /// was written with each of them.
    fn earliest_activity(&self) -> LedgerFuture<'_, Option<Timestamp>>;

    /// What happened in a span of time, in numbers.
    fn stats(&self, from: Timestamp, to: Timestamp) -> LedgerFuture<'_, Stats>;

    /// Puts the heads to all chains that grew since the last one into this writer's chain. `None`: none grew.
    fn checkpoint(&self, at: Timestamp) -> LedgerFuture<'_, Option<ChainHead>>;

    /// Removes rows older than a moment from the beginning of each chain, and signs where it was cut. The last row of a
    /// chain always stays, so that a chain never disappears.
    fn prune(&self, before: Timestamp, at: Timestamp) -> LedgerFuture<'_, u64>;

    /// Forgets the raw inputs of calls that ended before a moment.
    fn purge(&self, before: Timestamp) -> LedgerFuture<'_, u64>;

    /// The raw input of a call, where it was not purged yet; for admins.
    fn raw_input(&self, call: CallId) -> LedgerFuture<'_, Option<serde_json::Value>>;

    /// Takes in lines of a spool that a hook wrote while no server ran. Each spool is a chain of its own, and a line's
    /// number is its place in that chain, counted from 1: lines that are there already are skipped, so taking in again
    /// does no harm. How many were new. A gap before the first of them is an error.
    fn import_spool(&self, access: &WriteAccess, spool: WriterId, first: u64, lines: Vec<AuditEntry>) -> LedgerFuture<'_, u64>;

    /// Signs with other keys from now on.
    fn set_keys(&self, keys: Arc<KeyRing>) -> LedgerFuture<'_, ()>;
}

/// What to look for. Everything given must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Not before.
    pub from: Option<Timestamp>,
    /// Before.
    pub to: Option<Timestamp>,
    /// The tool, exactly.
    pub tool: Option<String>,
    /// `allow`, `confirm` or `deny`.
    pub decision: Option<String>,
    /// The kind of entry.
    pub kind: Option<String>,
    /// The agent, exactly.
    pub agent: Option<String>,
    /// Who decided, by name.
    pub approver: Option<String>,
    /// The question.
    pub approval: Option<crate::ids::ApprovalId>,
    /// Text that is in the line or in its body, ignoring case.
    pub text: Option<String>,
    /// Checkpoints as well.
    pub checkpoints: bool,
    /// Older than this row: to turn the page.
    pub before: Option<(Timestamp, WriterId, u64)>,
    /// Newer than this row, oldest first: to follow.
    pub after: Option<(Timestamp, WriterId, u64)>,
    /// How many at most; 0 means 100.
    pub limit: usize,
}

/// A place before every row: following from here reads all of them, oldest first.
pub const START_CURSOR: (Timestamp, WriterId, u64) = (Timestamp::MIN, WriterId(uuid::Uuid::nil()), 0);

/// A span of time in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// By hour: what was decided, and what people answered.
    pub hours: Vec<HourStats>,
    /// The tools that were asked about most, and what came of it; 20 at most.
    pub asked: Vec<AskedTool>,
    /// The shell commands that were asked about most, of the latest questions of the span; 20 at most.
    pub commands: Vec<AskedCommand>,
    /// How long people took to answer, in milliseconds.
    pub answer_ms: Option<Percentiles>,
    /// The same, counted: always the same bounds, from short to long.
    pub answers: Vec<AnswerBucket>,
    /// Questions that were approved, denied, that expired and were aborted.
    pub outcomes: OutcomeCounts,
    /// Rows in the log.
    pub rows: u64,
    /// Bytes the database takes.
    pub bytes: u64,
}

/// An hour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HourStats {
    /// When it began.
    pub at: Timestamp,
    /// Let through without a question.
    pub allowed: u64,
    /// Asked about.
    pub asked: u64,
    /// Turned back without a question.
    pub denied: u64,
    /// What people said yes to in this hour, whenever it was asked.
    pub approved: u64,
    /// What people said no to in this hour.
    pub rejected: u64,
    /// Half of the answers that people gave in this hour took no longer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_p50_ms: Option<u64>,
}

/// A tool that was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AskedTool")]
pub struct AskedTool {
    /// The tool.
    pub tool: String,
    /// How often.
    pub times: u64,
    /// How often it was approved.
    pub approved: u64,
    /// How often it was denied.
    pub denied: u64,
    /// How often nobody answered in time.
    pub expired: u64,
}

/// A shell command that was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AskedCommand {
    /// Its leading words, as a rule would name them: `rm`, `git push`, `npm run build`.
    pub command: String,
    /// The tool, by its canonical name.
    pub tool: String,
    /// In how many questions it was a reason for asking.
    pub times: u64,
    /// How many of these were approved.
    pub approved: u64,
    /// How many were denied.
    pub denied: u64,
}

/// How many answers took how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerBucket {
    /// No longer than this, and longer than the one before; none: longer than all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to_ms: Option<u64>,
    /// How many answers.
    pub times: u64,
}

/// How values are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Percentiles {
    /// Half are below.
    pub p50: u64,
    /// Nine of ten are.
    pub p90: u64,
    /// Ninety-nine of a hundred are.
    pub p99: u64,
}

/// How questions ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutcomeCounts {
    /// Yes.
    pub approved: u64,
    /// No.
    pub denied: u64,
    /// Nobody answered in time.
    pub expired: u64,
    /// The asker went away.
    pub aborted: u64,
}
