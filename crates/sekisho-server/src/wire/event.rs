//! Messages to subscribers of event streams, and replies to what they send.
//!
//! A message is `{type, data}`. An event also carries its number as `seq`; a reply to one subscriber carries
//! none, since only that subscriber receives it.

use schemars::JsonSchema;
use sekisho_gate::record::RecordKind;
use sekisho_gate::{ApprovalId, ExecutionId};
use serde::Serialize;
use serde_json::Value;

use super::approval::{ApprovalByRole, ApprovalOutcome, ApprovalStatus, RememberedBody};

/// An event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum LiveEvent {
    /// The current state. It replaces everything sent before.
    Snapshot(SnapshotData),
    /// An approval was opened.
    ToolApprovalRequest(ApprovalByRole),
    /// An approval ended.
    ToolApprovalResolved(ApprovalResolved),
    /// A tool started.
    ToolExecutionStarted(ExecutionStarted),
    /// A tool finished.
    ToolExecutionCompleted(ExecutionCompleted),
    /// Rules changed; `GET /api/rules` lists them.
    RulesChanged(EmptyData),
}

/// An event of another component: `type` is the kind of its record, such as `agent.run_started`. Clients
/// ignore kinds they do not know.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PartEvent")]
pub struct RegisteredEvent {
    /// The kind of record.
    pub r#type: RecordKind,
    /// The body of the record; `GET /api/audit/kinds` has its schema.
    pub data: Value,
}

impl LiveEvent {
    /// Its `type` on the wire.
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

/// The current state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Standing")]
pub struct SnapshotData {
    /// The number of the last event it includes.
    pub seq: u64,
    /// The open approvals, oldest first.
    pub approvals: Vec<ApprovalByRole>,
}

/// An approval that ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Resolved")]
pub struct ApprovalResolved {
    /// Its id.
    pub id: ApprovalId,
    /// How it ended; never `pending`.
    pub state: ApprovalStatus,
    /// The tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Who ended it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ApprovalOutcome>,
}

/// A tool that started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Started")]
pub struct ExecutionStarted {
    /// The id of the execution.
    pub execution_id: ExecutionId,
    /// The run of the call, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The tool's name.
    pub tool_name: String,
    /// The approval that allowed it, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
}

/// A tool that finished.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Completed")]
pub struct ExecutionCompleted {
    /// The id of the execution.
    pub execution_id: ExecutionId,
    /// The run of the call, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The approval that allowed it, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// How long it ran, in milliseconds, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// Whether it failed.
    pub is_error: bool,
}

/// An empty object.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Nothing")]
pub struct EmptyData {}

/// A reply to one subscriber's message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum LiveReply {
    /// The answer was accepted.
    ToolApprovalAccepted(AnswerAccepted),
    /// The answer was rejected, or the message is not valid.
    Error(ErrorReply),
    /// The reply to `ping`.
    Pong(EmptyData),
}

/// An answer that was accepted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Accepted")]
pub struct AnswerAccepted {
    /// The approval.
    pub id: ApprovalId,
    /// Whether the same answer had been given before.
    pub again: bool,
    /// What was remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered: Option<RememberedBody>,
}

/// The reply to a message that failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Wrong")]
pub struct ErrorReply {
    /// The approval it was about, if its id could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The stable code, for programs.
    pub code: String,
    /// What went wrong and where, for people.
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The HTTP status of the same error.
    pub status: u16,
}
