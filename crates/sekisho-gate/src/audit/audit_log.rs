//! The port for the audit log: reading, statistics, checkpoints, pruning and purging.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::call_key::CallKey;
use super::chain_row::{ChainCut, ChainHead, ChainRow, WriterId};
use super::keys::KeyRing;
use crate::ids::CallId;
use crate::ledger::LedgerFuture;
use crate::ledger_write_proof::WriteAccess;
use crate::mask::Masks;
use crate::record::AuditEntry;

/// What every writer of the log needs: signing keys, and masks for secrets.
#[derive(Clone)]
pub struct AuditConfig {
    /// The keys that sign and verify.
    pub keys: Arc<KeyRing>,
    /// The masks that remove secrets.
    pub masks: Arc<Masks>,
}

/// The audit log.
pub trait AuditLog: Send + Sync {
    /// Rows that match a query, newest first.
    fn search(&self, query: AuditQuery) -> LedgerFuture<'_, Vec<ChainRow>>;

    /// All rows of calls, at most [`MAX_CALL_ROWS`](super::MAX_CALL_ROWS) of each; those of one call oldest first.
    fn call_rows(&self, calls: Vec<CallKey>) -> LedgerFuture<'_, Vec<ChainRow>>;

    /// Rows after the given one, ordered by writer and number. For verification and export.
    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> LedgerFuture<'_, Vec<ChainRow>>;

    /// Reads one row.
    fn row(&self, writer: WriterId, seq: u64) -> LedgerFuture<'_, Option<ChainRow>>;

    /// The approximate number of rows, for a progress bar.
    fn count(&self) -> LedgerFuture<'_, u64>;

    /// The heads of all chains, including chains that were pruned to their end.
    fn heads(&self) -> LedgerFuture<'_, Vec<ChainHead>>;

    /// The points up to which chains were pruned.
    fn cuts(&self) -> LedgerFuture<'_, Vec<ChainCut>>;

    /// The earliest time of any data outside the log: a stored call or an event. Each was written
    /// together with a row of the same time.
    fn earliest_activity(&self) -> LedgerFuture<'_, Option<Timestamp>>;

    /// Statistics of a time range.
    fn stats(&self, from: Timestamp, to: Timestamp) -> LedgerFuture<'_, Stats>;

    /// Writes the heads of all chains that grew since the last checkpoint into this writer's chain.
    /// `None` if none grew.
    fn checkpoint(&self, at: Timestamp) -> LedgerFuture<'_, Option<ChainHead>>;

    /// Removes rows older than `before` from the start of each chain, and signs the cut. The last row
    /// of a chain always stays, so that a chain never disappears.
    fn prune(&self, before: Timestamp, at: Timestamp) -> LedgerFuture<'_, u64>;

    /// Deletes the raw inputs of calls that ended before the given time.
    fn purge(&self, before: Timestamp) -> LedgerFuture<'_, u64>;

    /// The raw input of a call, unless it was purged. For admins.
    fn raw_input(&self, call: CallId) -> LedgerFuture<'_, Option<serde_json::Value>>;

    /// Imports lines of a spool that a hook wrote while no server ran. Each spool is a chain of its
    /// own, and a line's number is its position in that chain, from 1. Lines that exist already are
    /// skipped, so importing again is harmless. Returns how many were new. A gap before the first line
    /// is an error.
    fn import_spool(
        &self,
        access: &WriteAccess,
        spool: WriterId,
        first: u64,
        lines: Vec<AuditEntry>,
    ) -> LedgerFuture<'_, u64>;

    /// Replaces the signing keys.
    fn set_keys(&self, keys: Arc<KeyRing>) -> LedgerFuture<'_, ()>;
}

/// A search in the log. All set fields must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// At this time or later.
    pub from: Option<Timestamp>,
    /// Before this time.
    pub to: Option<Timestamp>,
    /// The exact tool name.
    pub tool: Option<String>,
    /// `allow`, `confirm` or `deny`.
    pub decision: Option<String>,
    /// The kind of record.
    pub kind: Option<String>,
    /// The exact agent name.
    pub agent: Option<String>,
    /// The name of the person or rule that decided.
    pub approver: Option<String>,
    /// The approval.
    pub approval: Option<crate::ids::ApprovalId>,
    /// Words in the sentence or the body, in any order, ignoring case.
    pub text: Option<String>,
    /// Whether to include checkpoints.
    pub checkpoints: bool,
    /// Rows older than this row; for paging.
    pub before: Option<(Timestamp, WriterId, u64)>,
    /// Rows newer than this row, oldest first; for following the log.
    pub after: Option<(Timestamp, WriterId, u64)>,
    /// The maximum number; 0 means 100.
    pub limit: usize,
    /// Stop reading after the row that brings the total to this many bytes ([`ChainRow::size`]).
    pub max_bytes: Option<usize>,
}

impl AuditQuery {
    /// The maximum number of rows or calls.
    pub fn page_limit(&self) -> usize {
        if self.limit == 0 { 100 } else { self.limit }
    }

    /// Whether that many bytes end a page.
    pub fn is_full(&self, bytes: usize) -> bool {
        self.max_bytes.is_some_and(|most| bytes >= most)
    }

    /// Whether no more rows match after those that were found.
    pub fn is_end(&self, found: &[ChainRow]) -> bool {
        found.len() < self.page_limit() && !self.is_full(found.iter().map(ChainRow::size).sum())
    }
}

/// A page of the log ends when its rows reach this many bytes.
pub const MAX_PAGE_BYTES: usize = 8 << 20;

/// A position before every row. Following from here reads all rows, oldest first.
pub const START_CURSOR: (Timestamp, WriterId, u64) = (Timestamp::MIN, WriterId(uuid::Uuid::nil()), 0);

/// Statistics of a time range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Decisions and human answers by hour.
    pub hours: Vec<HourStats>,
    /// The tools that needed approval most often, and how the approvals ended; at most 20.
    pub asked: Vec<AskedTool>,
    /// The shell commands that needed approval most often, from the latest approvals of the range; at
    /// most 20.
    pub commands: Vec<AskedCommand>,
    /// How long people took to answer, in milliseconds.
    pub answer_ms: Option<Percentiles>,
    /// The same as a histogram, always with the same bounds, in ascending order.
    pub answers: Vec<AnswerBucket>,
    /// How many approvals were approved, denied, expired or aborted.
    pub outcomes: OutcomeCounts,
    /// The number of rows in the log.
    pub rows: u64,
    /// The size of the database in bytes.
    pub bytes: u64,
}

/// Statistics of one hour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Hour")]
pub struct HourStats {
    /// The start of the hour.
    pub at: Timestamp,
    /// Calls allowed without approval.
    pub allowed: u64,
    /// Approvals opened.
    pub asked: u64,
    /// Calls denied without approval.
    pub denied: u64,
    /// Calls that people approved in this hour, whenever the approval was opened.
    pub approved: u64,
    /// Calls that people denied in this hour.
    pub rejected: u64,
    /// The median time of people's answers in this hour, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_p50_ms: Option<u64>,
}

/// A tool that needed approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AskedTool")]
pub struct AskedTool {
    /// The tool.
    pub tool: String,
    /// How many approvals it needed.
    pub times: u64,
    /// How many were approved.
    pub approved: u64,
    /// How many were denied.
    pub denied: u64,
    /// How many expired.
    pub expired: u64,
}

/// A shell command that needed approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AskedCommand {
    /// The leading words, as a rule names them: `rm`, `git push`, `npm run build`.
    pub command: String,
    /// The canonical name of the tool.
    pub tool: String,
    /// How many approvals it was a reason for.
    pub times: u64,
    /// How many of these were approved.
    pub approved: u64,
    /// How many of these were denied.
    pub denied: u64,
}

/// One bucket of the histogram of answer times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerBucket {
    /// The upper bound in milliseconds. None for the last bucket, which has no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to_ms: Option<u64>,
    /// The number of answers.
    pub times: u64,
}

/// Percentiles of a set of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Spread")]
pub struct Percentiles {
    /// The median.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
}

/// How approvals ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Outcomes")]
pub struct OutcomeCounts {
    /// The call was approved.
    pub approved: u64,
    /// The call was denied.
    pub denied: u64,
    /// Nobody answered in time.
    pub expired: u64,
    /// The caller left, or the approval was cancelled.
    pub aborted: u64,
}
