//! What a run amounts to: its status, what it waits for, and its output.

use sekisho_gate::ApprovalId;
use serde_json::{Value, json};

use crate::conversation::{AssistantPart, CallInput, Message};
use crate::machine::{CallState, FinishReason, Phase, RunState, TrackedCall};

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// The model or a tool is at work.
    Running,
    /// Calls wait for an approval. Others may still be running.
    Suspended,
    /// It ended by itself, possibly with partial output.
    Completed,
    /// The model could not be asked.
    Failed,
    /// Somebody ended it.
    Aborted,
}

impl RunStatus {
    /// The status of a run. `is_pending` says whether a question about its calls is open.
    pub fn of(state: &RunState, is_pending: bool) -> RunStatus {
        match &state.phase {
            Phase::Ended { reason: FinishReason::Error { .. }, .. } => RunStatus::Failed,
            Phase::Ended { reason: FinishReason::Aborted { .. } | FinishReason::Interrupted, .. } => {
                RunStatus::Aborted
            }
            Phase::Ended { .. } => RunStatus::Completed,
            Phase::Model | Phase::Tools { .. } if is_pending => RunStatus::Suspended,
            Phase::Model | Phase::Tools { .. } => RunStatus::Running,
        }
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Suspended => "suspended",
            RunStatus::Completed => "completed",
            RunStatus::Failed => "failed",
            RunStatus::Aborted => "aborted",
        }
    }

    /// Whether the run has ended.
    pub fn is_end(self) -> bool {
        matches!(self, RunStatus::Completed | RunStatus::Failed | RunStatus::Aborted)
    }
}

/// A call that waits for an approval.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingCall {
    /// The id of the call, as its model gave it.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The input.
    pub args: Value,
    /// The approval.
    pub approval: ApprovalId,
}

/// The calls of a run that wait for an approval. The approval may have been answered meanwhile.
pub fn waiting_calls(state: &RunState) -> Vec<PendingCall> {
    let Phase::Tools { calls, .. } = &state.phase else { return Vec::new() };
    let waiting = |tracked: &TrackedCall| {
        let CallState::Waiting { approval } = tracked.state else { return None };
        let args = match &tracked.call.input {
            CallInput::Object(input) => input.clone(),
            CallInput::Unreadable(_) => json!({}),
        };
        let call = &tracked.call;
        Some(PendingCall { tool_call_id: call.id.clone(), tool_name: call.name.clone(), args, approval })
    };
    calls.iter().filter_map(waiting).collect()
}

/// Why a run ended, as a name. None while it goes on.
pub fn finish_reason(state: &RunState) -> Option<&'static str> {
    let Phase::Ended { reason, .. } = &state.phase else { return None };
    Some(match reason {
        FinishReason::Stop => "stop",
        FinishReason::MaxIterations => "max_iterations",
        FinishReason::Length => "length",
        FinishReason::Refusal => "refusal",
        FinishReason::UnfinishedCalls => "unfinished_calls",
        FinishReason::Other { .. } => "other",
        FinishReason::Error { .. } => "error",
        FinishReason::Budget { .. } => "budget",
        FinishReason::Interrupted => "interrupted",
        FinishReason::Aborted { .. } => "aborted",
    })
}

/// What a run says about its end, besides the name of the reason.
pub fn finish_detail(state: &RunState) -> Option<String> {
    let Phase::Ended { reason, .. } = &state.phase else { return None };
    match reason {
        FinishReason::Error { error } => Some(error.message.clone()),
        FinishReason::Other { reason } => Some(reason.clone()),
        FinishReason::Aborted { why } => Some(why.clone()),
        FinishReason::Budget { exceeded } => Some(exceeded.to_string()),
        _ => None,
    }
}

/// The output of a run: what the model said last about the last message, or the result that it gave to `done`.
pub fn output(messages: &[Message]) -> String {
    let is_user = |message: &Message| matches!(message, Message::User { .. });
    let since = messages.iter().rposition(is_user).map_or(0, |at| at.saturating_add(1));
    let answers = messages.get(since..).unwrap_or_default();
    let text = |message: &Message| match message {
        Message::Assistant { parts } => Some(parts.iter().filter_map(text_of).collect::<String>()),
        Message::Tools { results } => {
            let done =
                results.iter().find(|result| result.name == sekisho_tools::done::NAME && !result.is_error);
            done.map(|done| done.content.clone())
        }
        Message::User { .. } => None,
    };
    answers.iter().rev().filter_map(text).find(|text| !text.is_empty()).unwrap_or_default()
}

fn text_of(part: &AssistantPart) -> Option<&str> {
    match part {
        AssistantPart::Text { text } => Some(text),
        AssistantPart::Call(_) | AssistantPart::Opaque { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{CallResult, ToolCall};

    fn user(text: &str) -> Message {
        Message::User { text: text.into() }
    }

    fn says(text: &str) -> AssistantPart {
        AssistantPart::Text { text: text.into() }
    }

    fn calls(name: &str) -> AssistantPart {
        AssistantPart::Call(ToolCall {
            id: "1".into(),
            name: name.into(),
            input: CallInput::Object(json!({})),
        })
    }

    fn result(name: &str, content: &str, is_error: bool) -> Message {
        let result = CallResult { call_id: "1".into(), name: name.into(), content: content.into(), is_error };
        Message::Tools { results: vec![result] }
    }

    #[test]
    fn output_is_what_was_said_last() {
        let reply = |parts: Vec<AssistantPart>| Message::Assistant { parts };
        let check = |messages: &[Message], expected: &str| assert_eq!(output(messages), expected);
        check(&[], "");
        check(&[user("go")], "");
        check(&[user("go"), reply(vec![says("a"), says("b")])], "ab");
        check(
            &[user("go"), reply(vec![says("I look."), calls("read")]), result("read", "x", false)],
            "I look.",
        );
        check(&[user("go"), reply(vec![says("Old.")]), user("and?")], "");
        check(
            &[user("go"), reply(vec![says("Hm."), calls("done")]), result("done", "ready", false)],
            "ready",
        );
        check(&[user("go"), reply(vec![says("Hm."), calls("done")]), result("done", "no", true)], "Hm.");
    }
}
