//! Answers to the calls of a run that wait for an approval.

use std::fmt;

use sekisho_gate::answer_handler::AnswerError;
use uuid::Uuid;

use crate::run_summary::PendingCall;

/// Why a call of a run was not answered.
#[derive(Clone, Debug, PartialEq)]
pub enum CallAnswerError {
    /// The call does not wait for an answer: it is unknown, it was answered before, or the run has ended.
    NotSuspended {
        /// The run.
        run: Uuid,
        /// The call, if the answer named one.
        call: Option<String>,
    },
    /// The answer named no call, and several wait.
    Ambiguous(Vec<String>),
    /// The gate rejected the answer.
    Rejected(AnswerError),
}

impl fmt::Display for CallAnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallAnswerError::NotSuspended { run, call: Some(call) } => {
                write!(f, "the tool call `{call}` of run `{run}` does not wait for an answer")
            }
            CallAnswerError::NotSuspended { run, call: None } => {
                write!(f, "no tool call of run `{run}` waits for an answer")
            }
            CallAnswerError::Ambiguous(calls) => {
                write!(f, "several tool calls wait for an answer; name one of {}", calls.join(", "))
            }
            CallAnswerError::Rejected(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CallAnswerError {}

/// The call that an answer is for. Without an id, only if exactly one waits.
pub(super) fn choose(
    run: Uuid,
    mut pending: Vec<PendingCall>,
    id: Option<&str>,
) -> Result<PendingCall, CallAnswerError> {
    if let Some(id) = id {
        pending.retain(|call| call.tool_call_id == id);
    }
    match pending.len() {
        0 | 1 => {
            pending.pop().ok_or_else(|| CallAnswerError::NotSuspended { run, call: id.map(str::to_owned) })
        }
        _ => Err(CallAnswerError::Ambiguous(pending.into_iter().map(|call| call.tool_call_id).collect())),
    }
}

/// An answer that came too late is for a call that does not wait any more.
pub(super) fn rejected(run: Uuid, call: PendingCall, error: AnswerError) -> CallAnswerError {
    match error {
        AnswerError::Conflict(_) | AnswerError::Gone(_) | AnswerError::NotFound(_) => {
            CallAnswerError::NotSuspended { run, call: Some(call.tool_call_id) }
        }
        error => CallAnswerError::Rejected(error),
    }
}
