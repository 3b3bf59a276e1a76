//! How a tool call of a run ended, and what the model reads about it.

use sekisho_gate::ExecutionId;
use sekisho_gate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the result of a call begins whose input a human changed. The input follows.
pub const EDITED: &str = "[A human changed the input of this call before it ran. It ran with: ";

/// How a tool call of a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CallOutcome {
    /// The tool ran.
    Completed {
        /// What the model reads.
        content: String,
        /// Whether the tool failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        /// Whether the result ends the run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_final: bool,
        /// The input it ran with, if a human changed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<Value>,
    },
    /// A rule or a human refused the call, or nobody answered.
    Refused {
        /// Why.
        refusal: Refusal,
    },
    /// The call could not run, and nobody was asked.
    NotRun {
        /// Why.
        why: String,
    },
    /// A human interrupted the tool while it ran. The run goes on.
    Interrupted {
        /// What the tool said about its end.
        content: String,
    },
    /// The tool was started and its end was not seen. It is not started again.
    Unknown {
        /// The execution, if the gate knows it.
        execution: Option<ExecutionId>,
    },
}

impl CallOutcome {
    /// The text that the model reads.
    pub fn content(&self) -> String {
        match self {
            CallOutcome::Completed { content, edited: None, .. } => content.clone(),
            CallOutcome::Completed { content, edited: Some(input), .. } => {
                format!("{EDITED}{input}]\n{content}")
            }
            CallOutcome::Refused { refusal } => refusal.message(),
            CallOutcome::NotRun { why } => why.clone(),
            CallOutcome::Interrupted { content } => format!(
                "[A human interrupted this call before it had ended. What it did until then stays.]\n{content}"
            ),
            CallOutcome::Unknown { .. } => {
                "The outcome of this call is unknown: it was started, and the process ended before its result was \
                 stored. It was not started again. Check what it did before you repeat it."
                    .into()
            }
        }
    }

    /// Whether the model reads it as an error.
    pub fn is_error(&self) -> bool {
        match self {
            CallOutcome::Completed { is_error, .. } => *is_error,
            CallOutcome::Refused { .. }
            | CallOutcome::NotRun { .. }
            | CallOutcome::Interrupted { .. }
            | CallOutcome::Unknown { .. } => true,
        }
    }

    /// Whether it ends the run as its tool asked for.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, CallOutcome::Completed { is_final: true, is_error: false, .. })
    }

    /// Whether a human ended the run with the answer.
    pub(super) fn interrupts(&self) -> bool {
        matches!(self, CallOutcome::Refused { refusal } if refusal.interrupt)
    }
}
