//! What is stored and sent about the progress of a run.

use sekisho_gate::ApprovalId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::outcome::CallOutcome;
use crate::model::{ModelError, Usage};
use crate::spending::ExceededBudget;

/// One thing that happened in a run, in the order in which it was stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Chunk {
    /// A user's message became part of the conversation.
    UserMessage {
        /// The text.
        text: String,
    },
    /// The model wrote text.
    Text {
        /// The text.
        text: String,
    },
    /// The model calls a tool.
    ToolCall {
        /// The call's id.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// The input; an empty object if it is unreadable.
        args: Value,
    },
    /// The call needs an approval.
    ToolCallApproval {
        /// The call's id.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// The input.
        args: Value,
        /// The approval.
        approval_id: ApprovalId,
    },
    /// The call ended.
    ToolEnded {
        /// The call's id.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// How.
        result: CallOutcome,
    },
    /// A reply and all its calls ended.
    StepFinished {
        /// The tokens of the reply.
        usage: Usage,
        /// Whether the model is asked again.
        continues: bool,
    },
    /// The conversation neared the window of the model: results of older calls are sent as references.
    Folded {
        /// How many messages, from the first on.
        messages: u32,
        /// The bytes of the results that are newly left out.
        bytes: u64,
    },
    /// The run ended.
    Finished {
        /// Why.
        reason: FinishReason,
        /// The tokens of the whole run.
        usage: Usage,
    },
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done, or called `done`.
    Stop,
    /// It used all its turns.
    MaxIterations,
    /// A reply reached the limit of its length.
    Length,
    /// The model or its provider refused.
    Refusal,
    /// A reply has calls, and the model did not say that they are complete.
    UnfinishedCalls,
    /// The model stopped for a reason that is not known here.
    Other {
        /// The reason, as it came.
        reason: String,
    },
    /// The model could not be asked.
    Error {
        /// Why.
        error: ModelError,
    },
    /// The next request could exceed a budget of the run, or its time is over.
    Budget {
        /// Which budget.
        #[serde(default)]
        exceeded: ExceededBudget,
    },
    /// A human refused a call and ended the run.
    Interrupted,
    /// Somebody ended the run.
    Aborted {
        /// Who, and why.
        why: String,
    },
}

impl FinishReason {
    /// Whether a further message can continue the run.
    pub fn can_continue(&self) -> bool {
        !matches!(self, FinishReason::Aborted { .. })
    }
}
