//! The audit log on the wire.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::audit::{CallOutcome, CallRecords, ChainRow, Stats, WriterId};
use sekisho_gate::record::{AuditMessage, RecordKind};
use serde::{Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

/// All kinds of records.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditKinds {
    /// The gate's own kinds first, then those that other components registered.
    pub kinds: Vec<AuditKind>,
}

/// A kind of record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditKind {
    /// Its name.
    pub name: RecordKind,
    /// The JSON Schema of its body, if a component registered the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// A record of the audit log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// When it was written.
    pub at: Timestamp,
    /// The writer whose chain it belongs to.
    pub writer: Uuid,
    /// Its number in the chain, from 1.
    pub seq: u64,
    /// The kind of record.
    pub kind: String,
    /// The decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The agent's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The credential that asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approver: Option<String>,
    /// The call it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Uuid>,
    /// The approval it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Uuid>,
    /// The execution it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<Uuid>,
    /// One line for people.
    pub text: String,
    /// The line as a code, unless a reason in the body says it; absent in records stored before codes
    /// existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<AuditMessage>,
    /// Everything else: JSON, or the plain text if it is not JSON.
    #[schemars(with = "Value")]
    pub body: RecordBody,
    /// The id of the key that signed it.
    pub key: u32,
    /// The code of the previous record, in hexadecimal.
    pub previous: String,
    /// Its own code, in hexadecimal.
    pub code: String,
}

/// The body of a record as it was stored. Its values exist only while it is serialized: those of a page would take many
/// times the memory of its text.
#[derive(Clone, Debug)]
pub struct RecordBody(String);

impl Serialize for RecordBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<Value>(&self.0) {
            Ok(value) => value.serialize(serializer),
            Err(_) => serializer.serialize_str(&self.0),
        }
    }
}

impl From<ChainRow> for AuditRow {
    fn from(row: ChainRow) -> AuditRow {
        AuditRow {
            at: row.at(),
            writer: row.writer.0,
            seq: row.seq,
            kind: row.kind,
            decision: row.decision,
            tool: row.tool,
            server: row.server,
            agent: row.agent,
            credential: row.credential,
            approver: row.approver,
            call: row.call,
            approval: row.approval,
            execution: row.execution,
            text: row.text,
            line: serde_json::from_str(&row.body).ok().and_then(|body| AuditMessage::from_body(&body)),
            body: RecordBody(row.body),
            key: row.key,
            previous: row.previous.to_string(),
            code: row.code.to_string(),
        }
    }
}

/// A page of the audit log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRows {
    /// The records, newest first.
    pub rows: Vec<AuditRow>,
    /// What to send as `before` for the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A page of the audit log by call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCalls {
    /// The calls, by their newest record that matches, newest first. Records that are not about a call are listed
    /// between them, each by itself.
    pub calls: Vec<AuditCall>,
    /// What to send as `before` for the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A call and all its records, or one record that is not about a call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCall {
    /// What became of the call. Absent for a record that is not about a call, and if the record of the decision was
    /// pruned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<CallOutcome>,
    /// The tool and its main input, masked. Absent in records of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The name of the person or rule that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// How long the answer took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_after_ms: Option<u64>,
    /// Whether its tool failed. Absent if it is not known to have ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
    /// How long its tool ran, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran_ms: Option<u64>,
    /// Its records, oldest first: at least one, at most 100.
    pub rows: Vec<AuditRow>,
}

impl From<CallRecords> for AuditCall {
    fn from(call: CallRecords) -> AuditCall {
        let summary = call.summary();
        let outcome = summary.as_ref().map(|summary| summary.outcome);
        let (message, by, answered_after_ms, failed, ran_ms) = summary
            .map_or_else(Default::default, |call| {
                (call.message, call.by, call.answered_after_ms, call.failed, call.ran_ms)
            });
        let rows = call.rows.into_iter().map(AuditRow::from).collect();
        AuditCall { outcome, message, by, answered_after_ms, failed, ran_ms, rows }
    }
}

/// A record and its place in its chain.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRowInChain {
    /// The record.
    pub row: AuditRow,
    /// Its chain.
    pub chain: AuditChain,
}

/// A chain, as seen from one record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditChain {
    /// The number of the chain's last record.
    pub last: u64,
    /// Records up to this number were pruned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_to: Option<u64>,
    /// Whether the record is as it was signed. Only verification checks the whole chain.
    pub signature: SignatureState,
}

/// Whether a record is as it was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Signature")]
pub enum SignatureState {
    /// The signature matches.
    Holds,
    /// The record was changed.
    Changed,
    /// The key that signed it is not available.
    UnknownKey,
}

/// Statistics for a span of time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditStats {
    /// Start of the span.
    pub from: Timestamp,
    /// End of the span, exclusive.
    pub to: Timestamp,
    /// The numbers.
    pub stats: Stats,
}

/// The result of verification.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditVerified {
    /// Whether the whole log is intact.
    pub ok: bool,
    /// How many records were read.
    pub rows: u64,
    /// How many chains there are; absent if reading ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chains: Option<usize>,
    /// The problems found. Reading stops at the first.
    pub problems: Vec<AuditProblem>,
}

/// A problem found by verification.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditProblem {
    /// The writer whose chain has the problem.
    pub writer: Uuid,
    /// The number of the record; absent if the problem concerns the whole chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// A position in the audit log, as a page cursor.
pub(crate) fn cursor(row: &ChainRow) -> String {
    cursor_at((row.at(), row.writer, row.seq))
}

/// The same for a position without its row.
pub(crate) fn cursor_at((at, writer, seq): (Timestamp, WriterId, u64)) -> String {
    format!("{:x}.{}.{seq:x}", at.as_microsecond(), writer.0.simple())
}

/// Parses a page cursor.
pub(crate) fn parse_cursor(cursor: &str) -> Option<(Timestamp, WriterId, u64)> {
    let mut parts = cursor.split('.');
    let at = i64::from_str_radix(parts.next()?, 16).ok()?;
    let writer = Uuid::try_parse(parts.next()?).ok()?;
    let seq = u64::from_str_radix(parts.next()?, 16).ok()?;
    let at = Timestamp::from_microsecond(at).ok()?;
    parts.next().is_none().then_some((at, WriterId(writer), seq))
}
