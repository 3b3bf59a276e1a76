//! Executions: one run of one tool each.

use jiff::Timestamp;
use sekisho_gate::asker::{Asker, Key};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::Call;
use serde_json::Value;
use uuid::Uuid;

use crate::encoding::{json, key_hash, micros};
use crate::fault::Scripted;

/// The first row of an execution.
pub(crate) struct ExecutionRow {
    pub(crate) id: Uuid,
    pub(crate) run: Option<Uuid>,
    pub(crate) tool: String,
    pub(crate) input: String,
    pub(crate) created_at: i64,
    pub(crate) call: Uuid,
    pub(crate) approval: Option<Uuid>,
    /// The hash of its durable key, if it has one.
    pub(crate) once: Option<[u8; 32]>,
}

impl ExecutionRow {
    /// A run of a tool that begins now.
    pub(crate) fn new(
        id: ExecutionId,
        (call_id, call, asker): (CallId, &Call, &Asker),
        (tool, input): (&str, &Value),
        approval: Option<ApprovalId>,
        at: Timestamp,
    ) -> Scripted<ExecutionRow> {
        Ok(ExecutionRow {
            id: id.0,
            run: call.run_id.as_deref().and_then(|run| run.parse().ok()),
            tool: tool.to_owned(),
            input: json(input, "the execution's input")?,
            created_at: micros(at),
            call: call_id.0,
            approval: approval.map(|approval| approval.0),
            once: Key::once(asker, call).map(|key| key_hash(&key)),
        })
    }
}
