//! What happens in a run, parsed from the events of a server.

use sekisho_gate::ApprovalId;
use serde::Deserialize;
use serde_json::Value;

/// What happens in a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RunUpdate {
    UserMessage(String),
    /// The model begins a text. Without a [`RunUpdate::TextEnd`] before it, what came since the last one does not count.
    TextStart,
    TextDelta(String),
    TextEnd,
    ToolCall {
        id: String,
        tool: String,
        args: Value,
    },
    /// A call needs an approval.
    Asked {
        id: String,
        approval: ApprovalId,
    },
    /// A tool ran. `edited` is the input it ran with, if a human changed it.
    Result {
        id: String,
        content: String,
        edited: Option<Value>,
    },
    /// A tool failed, did not run, or was interrupted.
    Error {
        id: String,
        message: String,
        interrupted: bool,
    },
    /// A rule or a human refused a call, or nobody answered.
    Denied {
        id: String,
        reason: Option<String>,
        code: String,
    },
    /// Older results are sent as references.
    Folded {
        messages: u64,
    },
    /// The model is asked again, or the run ends.
    StepFinish,
    Finish(RunFinish),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunFinish {
    /// The code, as `stop` or `max_iterations`.
    pub(super) reason: String,
    pub(super) detail: Option<String>,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    payload: Value,
}

impl RunUpdate {
    /// Parses an event. None for kinds that are not known here.
    pub(super) fn parse(event: &Value) -> Option<RunUpdate> {
        let Event { kind, payload } = Event::deserialize(event).ok()?;
        let text = |field: &str| payload.get(field)?.as_str().map(str::to_owned);
        let at = |pointer: &str| payload.pointer(pointer).filter(|value| !value.is_null());
        let (id, tool) = (text("toolCallId"), text("toolName"));
        Some(match kind.as_str() {
            "user-message" => RunUpdate::UserMessage(text("text")?),
            "text-start" => RunUpdate::TextStart,
            "text-delta" => RunUpdate::TextDelta(text("text")?),
            "text-end" => RunUpdate::TextEnd,
            "tool-call" => RunUpdate::ToolCall {
                id: id?,
                tool: tool?,
                args: payload.get("args").cloned().unwrap_or_default(),
            },
            "tool-call-approval" => RunUpdate::Asked { id: id?, approval: text("approvalId")?.parse().ok()? },
            "tool-result" => RunUpdate::Result {
                id: id?,
                content: text("result").unwrap_or_default(),
                edited: payload.get("editedArgs").cloned(),
            },
            "tool-error" => RunUpdate::Error {
                id: id?,
                message: at("/error/message").and_then(Value::as_str).unwrap_or_default().to_owned(),
                interrupted: at("/interrupted") == Some(&Value::Bool(true)),
            },
            "tool-output-denied" => RunUpdate::Denied {
                id: id?,
                reason: at("/approval/reason").and_then(Value::as_str).map(str::to_owned),
                code: at("/approval/code").and_then(Value::as_str).unwrap_or("denied").to_owned(),
            },
            "context-folded" => RunUpdate::Folded { messages: at("/messages")?.as_u64()? },
            "step-finish" => RunUpdate::StepFinish,
            "finish" => {
                let tokens = |field: &str| at(&format!("/output/usage/{field}")).and_then(Value::as_u64);
                RunUpdate::Finish(RunFinish {
                    reason: at("/stepResult/reason").and_then(Value::as_str).unwrap_or("other").to_owned(),
                    detail: at("/stepResult/detail").and_then(Value::as_str).map(str::to_owned),
                    input_tokens: tokens("inputTokens").unwrap_or(0),
                    output_tokens: tokens("outputTokens").unwrap_or(0),
                })
            }
            _ => return None,
        })
    }
}
