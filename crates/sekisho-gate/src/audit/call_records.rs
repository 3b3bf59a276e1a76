//! The audit log by call: all records of a call together, and what became of it.
//!
//! A search finds records; here each of them stands for its call. A call is listed once, at its newest record that
//! matches, so pages of calls neither overlap nor leave one out: whether an older record of a call is the one to list
//! it at is decided by the records of that call alone, not by what earlier pages contained.

use std::collections::HashMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::audit_log::{AuditLog, AuditQuery};
use super::call_key::CallKey;
use super::chain_row::{ChainRow, WriterId};
use super::piece_size::PieceSize;
use super::search_words::SearchWords;
use crate::ledger::LedgerError;
use crate::record::{AuditMessage, RecordKind};

/// The most records that are read of one call.
pub const MAX_CALL_ROWS: usize = 100;
/// The fewest records searched at a time, and the bytes at which that ends.
const PIECE: usize = 100;
const PIECE_BYTES: usize = 2 << 20;
/// How many calls are read at first.
const FIRST_CALLS: usize = 8;

/// The records of one call, oldest first, or one record that is not about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecords {
    /// The records, at least one.
    pub rows: Vec<ChainRow>,
}

/// A page of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallPage {
    /// The calls, by their newest record that matches, newest first.
    pub calls: Vec<CallRecords>,
    /// Where the next page begins; none on the last page.
    pub next: Option<(Timestamp, WriterId, u64)>,
}

/// A position in the log.
type Place = (Timestamp, WriterId, u64);

/// The calls with at least one record that matches a query, newest first. `limit` counts calls, `max_bytes` the bytes
/// of their records. Records of calls are read in pieces, so that no more is in memory than a page and a piece.
pub async fn search_calls(log: &dyn AuditLog, query: AuditQuery) -> Result<CallPage, LedgerError> {
    let mut builder = PageBuilder {
        filter: RowFilter::new(&query),
        seen: HashMap::new(),
        groups: HashMap::new(),
        page: CallPage::default(),
        bytes: 0,
    };
    let limit = query.page_limit();
    let mut search =
        AuditQuery { after: None, limit: limit.max(PIECE), max_bytes: Some(PIECE_BYTES), ..query.clone() };
    let mut size = PieceSize::new(FIRST_CALLS, PIECE);
    loop {
        let rows = log.search(search.clone()).await?;
        let (last, is_end) = (rows.last().map(place), search.is_end(&rows));
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let piece: Vec<ChainRow> = rows.by_ref().take(size.get()).collect();
            size.adapt(builder.read_calls(log, &piece).await?);
            for row in piece {
                let at = place(&row);
                builder.add(row);
                if builder.page.calls.len() >= limit || query.is_full(builder.bytes) {
                    let mut page = builder.page;
                    page.next = Some(at).filter(|_| !is_end || Some(at) != last);
                    return Ok(page);
                }
            }
        }
        if is_end {
            return Ok(builder.page);
        }
        search.before = last;
    }
}

/// A page of calls that is being read.
struct PageBuilder {
    filter: RowFilter,
    seen: HashMap<CallKey, SeenCall>,
    /// The records of calls in the current piece that are not listed yet.
    groups: HashMap<CallKey, Vec<ChainRow>>,
    page: CallPage,
    bytes: usize,
}

/// Where the records of a call are.
#[derive(Default)]
struct SeenCall {
    places: Vec<Place>,
    /// Of the newest record that matches.
    newest: Option<Place>,
}

impl PageBuilder {
    /// Reads the calls of a piece that may be listed at one of its records. Returns how many bytes their records have.
    async fn read_calls(&mut self, log: &dyn AuditLog, piece: &[ChainRow]) -> Result<usize, LedgerError> {
        self.groups.clear();
        let wanted = |row: &ChainRow| {
            let key = CallKey::of(row)?;
            let seen = self.seen.get(&key);
            seen.is_none_or(|seen| seen.newest == Some(place(row))).then_some(key)
        };
        let mut keys: Vec<CallKey> = piece.iter().filter_map(wanted).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() {
            return Ok(0);
        }
        self.seen.extend(keys.iter().map(|key| (*key, SeenCall::default())));
        let mut bytes = 0;
        for row in log.call_rows(keys).await? {
            let Some(key) = CallKey::of(&row) else { continue };
            let seen = self.seen.entry(key).or_default();
            seen.places.push(place(&row));
            if self.filter.matches(&row) {
                seen.newest = seen.newest.max(Some(place(&row)));
            }
            bytes += row.size();
            self.groups.entry(key).or_default().push(row);
        }
        Ok(bytes)
    }

    /// Lists the call of a record, if this is the record to list it at.
    fn add(&mut self, row: ChainRow) {
        let at = place(&row);
        let key = CallKey::of(&row);
        let rows = match key.and_then(|key| Some((key, self.seen.get(&key)?))) {
            Some((key, seen)) if seen.places.contains(&at) => {
                if seen.newest.is_some_and(|newest| newest > at) {
                    return;
                }
                match self.groups.remove(&key) {
                    Some(rows) => rows,
                    None => return,
                }
            }
            // Not about a call, or pruned in between, or beyond the most records that are read of a call.
            _ => vec![row],
        };
        self.bytes += rows.iter().map(ChainRow::size).sum::<usize>();
        self.page.calls.push(CallRecords { rows });
    }
}

fn place(row: &ChainRow) -> Place {
    (row.at(), row.writer, row.seq)
}

/// The conditions of a query, except its page.
struct RowFilter {
    query: AuditQuery,
    words: SearchWords,
}

impl RowFilter {
    fn new(query: &AuditQuery) -> RowFilter {
        RowFilter { query: query.clone(), words: SearchWords::new(query.text.as_deref().unwrap_or("")) }
    }

    fn matches(&self, row: &ChainRow) -> bool {
        let query = &self.query;
        let is = |wanted: &Option<String>, value: &Option<String>| wanted.is_none() || wanted == value;
        query.from.is_none_or(|from| row.at() >= from)
            && query.to.is_none_or(|to| row.at() < to)
            && is(&query.tool, &row.tool)
            && is(&query.decision, &row.decision)
            && query.kind.as_ref().is_none_or(|kind| *kind == row.kind)
            && is(&query.agent, &row.agent)
            && is(&query.approver, &row.approver)
            && query.approval.is_none_or(|approval| row.approval == Some(approval.0))
            && (query.checkpoints || query.kind.is_some() || row.kind != RecordKind::Checkpoint.name())
            && self.words.are_in(row)
    }
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// It ran without a question.
    Allowed,
    /// It was denied without a question.
    DeniedByRule,
    /// Nobody has answered yet.
    Waiting,
    /// It was approved.
    Approved,
    /// It was approved, and refused when it was to run.
    TurnedBack,
    /// It was denied.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// The caller left, or the question was withdrawn.
    Aborted,
}

/// A call on one line. All of it comes from masked records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSummary {
    /// The tool and its main input. Absent in records of earlier versions.
    pub message: Option<String>,
    /// Whether the main input is what a descriptor of the tool names.
    pub is_described: bool,
    /// What became of it.
    pub outcome: CallOutcome,
    /// The name of the person or rule that answered.
    pub by: Option<String>,
    /// How long the answer took, in milliseconds.
    pub answered_after_ms: Option<u64>,
    /// Whether its tool failed; absent if it is not known to have ended.
    pub failed: Option<bool>,
    /// How long its tool ran, in milliseconds.
    pub ran_ms: Option<u64>,
}

impl CallRecords {
    /// The call on one line. None for records that are not about a call, and if the record of its decision was pruned.
    pub fn summary(&self) -> Option<CallSummary> {
        let of_kind = |kind: RecordKind| self.rows.iter().filter(move |row| row.kind == kind.name());
        let question = of_kind(RecordKind::Question).next();
        let head = question.or_else(|| of_kind(RecordKind::Verdict).next())?;
        let asked = body(head);
        let message = field(&asked, "message").and_then(|message| Some(message.as_str()?.to_owned()));
        let answer = of_kind(RecordKind::Outcome).next_back();
        let answered = answer.map(body).unwrap_or_default();
        let state = field(&answered, "state");
        let turned_back = of_kind(RecordKind::Claim).next_back().is_some_and(|claim| {
            matches!(AuditMessage::from_body(&body(claim)), Some(AuditMessage::TurnedBack { .. }))
        });
        let outcome = match (question, state.and_then(Value::as_str)) {
            (Some(_), Some("approved")) if turned_back => CallOutcome::TurnedBack,
            (Some(_), Some("approved")) => CallOutcome::Approved,
            (Some(_), Some("denied")) => CallOutcome::Denied,
            (Some(_), Some("expired")) => CallOutcome::Expired,
            (Some(_), Some(_)) => CallOutcome::Aborted,
            (Some(_), None) => CallOutcome::Waiting,
            (None, _) if head.execution.is_some() => CallOutcome::Allowed,
            (None, _) => match head.decision.as_deref() {
                Some("allow") => CallOutcome::Allowed,
                _ => CallOutcome::DeniedByRule,
            },
        };
        let end = of_kind(RecordKind::Execution).next_back().map(body).unwrap_or_default();
        Some(CallSummary {
            message,
            is_described: field(&asked, "descriptor").is_some(),
            outcome,
            by: answer.and_then(|answer| answer.approver.clone()),
            answered_after_ms: field(&answered, "waitedMs").and_then(Value::as_u64),
            failed: field(&end, "isError").and_then(Value::as_bool),
            ran_ms: field(&end, "durationMs").and_then(Value::as_u64),
        })
    }
}

fn body(row: &ChainRow) -> Value {
    serde_json::from_str(&row.body).unwrap_or_default()
}

/// A field of a body. If somebody decided, the fields are below `about`.
fn field<'b>(body: &'b Value, name: &str) -> Option<&'b Value> {
    body.get("about").and_then(|about| about.get(name)).or_else(|| body.get(name))
}
