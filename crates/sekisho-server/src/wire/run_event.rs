//! The events of a run, framed as Mastra's server frames them: `{type, runId, from, payload}`.

use sekisho_agent::machine::{CallOutcome, Chunk};
use sekisho_gate::refusal::Refusal;
use serde_json::{Value, json};
use uuid::Uuid;

use super::usage::UsageView;

/// The end of a stream.
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// An event as text. `id` is its number, if it is stored.
pub(crate) fn frame(run: Uuid, id: Option<u64>, event: &(&'static str, Value)) -> String {
    let (kind, payload) = event;
    let from = if *kind == "user-message" { "USER" } else { "AGENT" };
    let body = json!({ "type": kind, "runId": run, "from": from, "payload": payload });
    match id {
        Some(id) => format!("id: {id}\ndata: {body}\n\n"),
        None => format!("data: {body}\n\n"),
    }
}

/// The event of a chunk that is not text.
pub(crate) fn event_of(chunk: &Chunk) -> (&'static str, Value) {
    match chunk {
        Chunk::UserMessage { text } => ("user-message", json!({ "text": text })),
        Chunk::Text { text } => ("text-end", json!({ "text": text })),
        Chunk::ToolCall { tool_call_id, tool_name, args } => {
            ("tool-call", json!({ "toolCallId": tool_call_id, "toolName": tool_name, "args": args }))
        }
        Chunk::ToolCallApproval { tool_call_id, tool_name, args, approval_id } => (
            "tool-call-approval",
            json!({
                "toolCallId": tool_call_id, "toolName": tool_name, "args": args, "approvalId": approval_id,
                "resumeSchema": RESUME_SCHEMA,
            }),
        ),
        Chunk::ToolEnded { tool_call_id, tool_name, result } => ended(tool_call_id, tool_name, result),
        Chunk::StepFinished { usage, continues } => (
            "step-finish",
            json!({
                "stepResult": { "isContinued": continues },
                "output": { "usage": UsageView::of(*usage, None) },
            }),
        ),
        Chunk::Folded { messages, bytes } => {
            ("context-folded", json!({ "messages": messages, "bytes": bytes }))
        }
        Chunk::Finished { reason, usage } => {
            let mut result = serde_json::to_value(reason).unwrap_or_default();
            let code = result.get_mut("code").map(Value::take).unwrap_or_default();
            let detail = result.get("error").and_then(|error| error.get("message"));
            let detail = detail.or_else(|| result.get("why")).or_else(|| result.get("reason"));
            let step = json!({ "reason": code, "detail": detail, "isContinued": false });
            ("finish", json!({ "stepResult": step, "output": { "usage": UsageView::of(*usage, None) } }))
        }
    }
}

/// The schema of an answer, for clients that make a form of it.
const RESUME_SCHEMA: &str = r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"approved":{"type":"boolean"},"reason":{"type":"string"}},"required":["approved"],"additionalProperties":false}"#;

fn ended(id: &str, tool: &str, outcome: &CallOutcome) -> (&'static str, Value) {
    let failed = |message: String| {
        ("tool-error", json!({ "toolCallId": id, "toolName": tool, "error": { "message": message } }))
    };
    match outcome {
        CallOutcome::Completed { content, is_error: false, edited, .. } => {
            let mut payload = json!({ "toolCallId": id, "toolName": tool, "result": content });
            if let (Some(input), Some(fields)) = (edited, payload.as_object_mut()) {
                fields.insert("editedArgs".into(), input.clone());
            }
            ("tool-result", payload)
        }
        CallOutcome::Refused { refusal: Refusal { code, reason, .. } } => (
            "tool-output-denied",
            json!({
                "toolCallId": id, "toolName": tool,
                "approval": { "id": id, "approved": false, "reason": reason, "code": code },
            }),
        ),
        CallOutcome::Interrupted { .. } => {
            let (kind, mut payload) = failed(outcome.content());
            if let Some(fields) = payload.as_object_mut() {
                fields.insert("interrupted".into(), json!(true));
            }
            (kind, payload)
        }
        CallOutcome::Completed { .. } | CallOutcome::NotRun { .. } | CallOutcome::Unknown { .. } => {
            failed(outcome.content())
        }
    }
}
