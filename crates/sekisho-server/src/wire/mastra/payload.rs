//! What chunks say about calls, tokens and ends.

use sekisho_agent::machine::{CallOutcome, FinishReason};
use sekisho_agent::model::Usage;
use sekisho_gate::refusal::Refusal;
use serde_json::{Value, json};

use super::chunk::WireChunk;
use super::reply::WireCall;

/// The schema of an answer, for clients that make a form of it.
pub(crate) const RESUME_SCHEMA: &str = r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"approved":{"type":"boolean","description":"true to approve the call, false to decline it"},"reason":{"description":"Why the call is declined; the model reads it","type":"string"}},"required":["approved"],"additionalProperties":false}"#;

/// The tokens of one or more replies.
pub(super) fn usage(usage: Usage) -> Value {
    json!({
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "totalTokens": usage.input.saturating_add(usage.output),
        "reasoningTokens": 0,
        "cachedInputTokens": usage.cache_read,
    })
}

/// The chunk for the end of a call.
pub(super) fn ended(call: &WireCall, outcome: &CallOutcome) -> WireChunk {
    let mut payload = json!({ "toolCallId": call.id, "toolName": call.name, "args": call.args });
    let (kind, field, value) = match outcome {
        CallOutcome::Completed { content, is_error: false, edited, .. } => {
            if let Some(input) = edited {
                put(&mut payload, "editedArgs", input.clone());
            }
            ("tool-result", "result", json!(content))
        }
        CallOutcome::Refused { refusal: Refusal { reason, .. } } => {
            ("tool-output-denied", "approval", json!({ "id": call.id, "approved": false, "reason": reason }))
        }
        CallOutcome::Completed { .. }
        | CallOutcome::NotRun { .. }
        | CallOutcome::Interrupted { .. }
        | CallOutcome::Unknown { .. } => ("tool-error", "error", tool_error(&outcome.content())),
    };
    put(&mut payload, field, value);
    WireChunk::new(kind, payload)
}

fn put(payload: &mut Value, field: &str, value: Value) {
    if let Some(fields) = payload.as_object_mut() {
        fields.insert(field.to_owned(), value);
    }
}

fn tool_error(message: &str) -> Value {
    json!({
        "name": "Error",
        "message": message,
        "cause": { "name": "Error", "message": message },
        "id": "TOOL_EXECUTION_FAILED",
        "domain": "TOOL",
        "category": "USER",
    })
}

/// Why a run ended, as the AI SDK names it, and as we do where it has no name.
pub(super) fn finish_names(reason: &FinishReason) -> (&'static str, &'static str) {
    match reason {
        FinishReason::Stop => ("stop", "stop"),
        FinishReason::MaxIterations => ("tool-calls", "max_iterations"),
        FinishReason::Length => ("length", "length"),
        FinishReason::Refusal => ("content-filter", "refusal"),
        FinishReason::UnfinishedCalls => ("other", "unfinished_calls"),
        FinishReason::Other { .. } => ("other", "other"),
        FinishReason::Error { .. } => ("error", "error"),
        FinishReason::Budget { .. } => ("other", "budget"),
        FinishReason::Interrupted => ("other", "interrupted"),
        FinishReason::Aborted { .. } => ("other", "aborted"),
    }
}
