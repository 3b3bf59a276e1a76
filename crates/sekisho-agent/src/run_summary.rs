//! What a run amounts to: its status, what it waits for, and its output.

use sekisho_gate::ApprovalId;
use sekisho_gate::ledger::LedgerError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::conversation::{AssistantPart, CallInput, CallResult, Message};
use crate::machine::{CallState, FinishReason, Phase, RunState, TrackedCall};
use crate::runs::Runs;

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
pub async fn output(runs: &dyn Runs, run: Uuid) -> Result<String, LedgerError> {
    let mut page = runs.messages_before(run, None).await?;
    while let Some(first) = page.last().map(|first| first.seq) {
        if let Some(said) = page.iter().find_map(|stored| said(&stored.message)) {
            return Ok(said);
        }
        page = runs.messages_before(run, Some(first)).await?;
    }
    Ok(String::new())
}

/// The output if it is decided by this message, and by none after it.
fn said(message: &Message) -> Option<String> {
    let text = match message {
        Message::User { .. } => return Some(String::new()),
        Message::Assistant { parts } => parts.iter().filter_map(text_of).collect(),
        Message::Tools { results } => {
            let is_done = |result: &&CallResult| result.name == sekisho_tools::done::NAME && !result.is_error;
            results.iter().find(is_done).map(|done| done.content.clone()).unwrap_or_default()
        }
    };
    Some(text).filter(|text| !text.is_empty())
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
    use crate::conversation::ToolCall;

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
        let check = |messages: &[Message], expected: &str| {
            assert_eq!(messages.iter().rev().find_map(said).unwrap_or_default(), expected);
        };
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
