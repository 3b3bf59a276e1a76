//! What listeners are told, and what they may say.
//!
//! A message is `{type, data}`. What happened carries its place as `seq` besides; a reply to what a listener said carries
//! none, since only that listener gets it.

use schemars::JsonSchema;
use sekisho_gate::record::RecordKind;
use sekisho_gate::{ApprovalId, ExecutionId};
use serde::Serialize;
use serde_json::Value;

use super::approval::{ApprovalByRole, ApprovalOutcome, ApprovalStatus, RememberedBody};

/// What happened.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum LiveEvent {
    /// How things stand. What was told before is out of date.
    Snapshot(SnapshotData),
    /// A question was asked.
    ToolApprovalRequest(ApprovalByRole),
    /// A question ended.
    ToolApprovalResolved(ApprovalResolved),
    /// A tool was let through.
    ToolExecutionStarted(ExecutionStarted),
    /// A tool finished.
    ToolExecutionCompleted(ExecutionCompleted),
    /// Rules changed; `GET /api/rules` has them.
    RulesChanged(EmptyData),
}

/// What another part of the program tells of: `type` is the kind of its row in the record, such as `agent.run_started`.
/// Whoever does not know it passes over it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegisteredEvent {
    /// The kind.
    pub r#type: RecordKind,
    /// The body of the row, as its schema at `GET /api/audit/kinds` says.
    pub data: Value,
}

impl LiveEvent {
    /// The `type` it has on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            LiveEvent::Snapshot(_) => "snapshot",
            LiveEvent::ToolApprovalRequest(_) => "tool_approval_request",
            LiveEvent::ToolApprovalResolved(_) => "tool_approval_resolved",
            LiveEvent::ToolExecutionStarted(_) => "tool_execution_started",
            LiveEvent::ToolExecutionCompleted(_) => "tool_execution_completed",
            LiveEvent::RulesChanged(_) => "rules_changed",
        }
    }
}

/// How things stand.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotData {
    /// The last event it reflects.
    pub seq: u64,
    /// The open questions, in the order they were asked.
    pub approvals: Vec<ApprovalByRole>,
}

/// A question that ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    /// Which.
    pub id: ApprovalId,
    /// How; never `pending`.
    pub state: ApprovalStatus,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Who ended it, and with which words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ApprovalOutcome>,
}

/// A tool that was let through.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionStarted {
    /// Its run.
    pub execution_id: ExecutionId,
    /// The tool.
    pub tool_name: String,
    /// The question that let it through, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
}

/// A tool that finished.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionCompleted {
    /// Its run.
    pub execution_id: ExecutionId,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The question that let it through, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// Whether it failed.
    pub is_error: bool,
}

/// Nothing more to say.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct EmptyData {}

/// A reply to what one listener said.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum LiveReply {
    /// The answer was taken.
    ToolApprovalAccepted(AnswerAccepted),
    /// It was not, or nobody could make sense of the message.
    Error(ErrorReply),
    /// To `ping`.
    Pong(EmptyData),
}

/// An answer that was taken.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerAccepted {
    /// The question.
    pub id: ApprovalId,
    /// The very same answer had been given before.
    pub again: bool,
    /// What was remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered: Option<RememberedBody>,
}

/// A message that came to nothing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorReply {
    /// The question it was about, as far as that could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Which kind of fault, for programs.
    pub code: String,
    /// What was wrong and where, for people.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The status the same would have over HTTP.
    pub status: u16,
}
