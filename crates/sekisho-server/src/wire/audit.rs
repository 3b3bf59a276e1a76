//! The record on the wire.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::audit::{ChainRow, Stats, WriterId};
use sekisho_gate::record::{AuditMessage, RecordKind};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

/// All kinds of rows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditKinds {
    /// The gate's own first, then those that other parts registered.
    pub kinds: Vec<AuditKind>,
}

/// A kind of row.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditKind {
    /// Its name.
    pub name: RecordKind,
    /// The JSON Schema of its body, where a part registered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// A row of the record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// When.
    pub at: Timestamp,
    /// Whose chain.
    pub writer: Uuid,
    /// Its number in the chain, from 1.
    pub seq: u64,
    /// What kind of thing happened.
    pub kind: String,
    /// What was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whose credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Who decided it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approver: Option<String>,
    /// The call it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Uuid>,
    /// The question it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Uuid>,
    /// The execution it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<Uuid>,
    /// One line for people.
    pub text: String,
    /// What the line says, where no reason in the body does; absent in what was kept before there were codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<AuditMessage>,
    /// Everything else: JSON, or the text where it is none.
    pub body: Value,
    /// Which key signed it.
    pub key: u32,
    /// The code of the row before, in hexadecimal.
    pub previous: String,
    /// Its own code.
    pub code: String,
}

impl From<&ChainRow> for AuditRow {
    fn from(row: &ChainRow) -> AuditRow {
        let body = serde_json::from_str(&row.body).unwrap_or_else(|_| Value::String(row.body.clone()));
        AuditRow {
            at: row.at(),
            writer: row.writer.0,
            seq: row.seq,
            kind: row.kind.clone(),
            decision: row.decision.clone(),
            tool: row.tool.clone(),
            server: row.server.clone(),
            agent: row.agent.clone(),
            credential: row.credential.clone(),
            approver: row.approver.clone(),
            call: row.call,
            approval: row.approval,
            execution: row.execution,
            text: row.text.clone(),
            line: AuditMessage::from_body(&body),
            body,
            key: row.key,
            previous: row.previous.to_string(),
            code: row.code.to_string(),
        }
    }
}

/// A page of the record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRows {
    /// The rows, newest first.
    pub rows: Vec<AuditRow>,
    /// What to send as `before` for the next page; none: this is the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A row and its place in its chain.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRowInChain {
    /// The row.
    pub row: AuditRow,
    /// Its chain.
    pub chain: AuditChain,
}

/// A chain, as seen from one row.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditChain {
    /// The number of the chain's last row.
    pub last: u64,
    /// Rows up to this one were removed by age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_to: Option<u64>,
    /// Whether the row is what was signed. That the whole chain holds is for verifying to say.
    pub signature: SignatureState,
}

/// Whether a row is what was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignatureState {
    /// It is.
    Holds,
    /// It is not.
    Changed,
    /// Its key is not there.
    UnknownKey,
}

/// A span of time in numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditStats {
    /// From this moment.
    pub from: Timestamp,
    /// To this one.
    pub to: Timestamp,
    /// The numbers.
    pub stats: Stats,
}

/// What verifying found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditVerified {
    /// Whether all of it holds.
    pub ok: bool,
    /// How many rows were read.
    pub rows: u64,
    /// How many chains there are; none where reading ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chains: Option<usize>,
    /// What does not hold. Reading ends at the first.
    pub problems: Vec<AuditProblem>,
}

/// Something that does not hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditProblem {
    /// Whose chain.
    pub writer: Uuid,
    /// Which row; none: the chain as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// A place in the record, as it is sent to turn the page.
pub(crate) fn cursor(row: &ChainRow) -> String {
    format!("{:x}.{}.{:x}", row.at_us, row.writer.0.simple(), row.seq)
}

/// Reads a place again.
pub(crate) fn parse_cursor(cursor: &str) -> Option<(Timestamp, WriterId, u64)> {
    let mut parts = cursor.split('.');
    let at = i64::from_str_radix(parts.next()?, 16).ok()?;
    let writer = Uuid::try_parse(parts.next()?).ok()?;
    let seq = u64::from_str_radix(parts.next()?, 16).ok()?;
    let at = Timestamp::from_microsecond(at).ok()?;
    parts.next().is_none().then_some((at, WriterId(writer), seq))
}
