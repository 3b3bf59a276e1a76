//! What happens to a run, and what follows from it.

use sekisho_gate::ApprovalId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::chunk::Chunk;
use super::outcome::CallOutcome;
use crate::conversation::Message;
use crate::model::{ModelError, ModelReply};
use crate::spending::ExceededBudget;

/// Something that happened to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// The model replied.
    Replied(ModelReply),
    /// The model could not be asked.
    ModelFailed(ModelError),
    /// The next request could exceed a budget, so the model was not asked.
    OverBudget(ExceededBudget),
    /// The conversation is too long for the model unless results of older calls are folded.
    Folded {
        /// How many messages, from the first on.
        messages: u32,
        /// The bytes of the results that are newly left out.
        bytes: u64,
    },
    /// The gate wants a human's answer to a call.
    Asked {
        /// The reply that made the call, counted as in [`RunState::replies`](super::RunState::replies).
        reply: u32,
        /// The position of the call in the reply.
        call: usize,
        /// The approval.
        approval: ApprovalId,
    },
    /// A call waits for the run of a sub-agent.
    Awaits {
        /// The reply that made the call.
        reply: u32,
        /// The position of the call in the reply.
        call: usize,
        /// The run of the sub-agent.
        run: Uuid,
        /// The input of the call, if a human changed it.
        edited: Option<Value>,
    },
    /// A call ended.
    CallEnded {
        /// The reply that made the call.
        reply: u32,
        /// The position of the call in the reply.
        call: usize,
        /// How.
        outcome: CallOutcome,
    },
    /// Somebody sent a message.
    Message(String),
    /// Somebody ended the run.
    Abort {
        /// Who, and why.
        why: String,
    },
    /// The time of the run is over.
    TimeUp,
    /// The run, or one above it, has nothing left of a budget.
    Spent(SpentBudget),
    /// An approval of the ended run was withdrawn, or had ended before.
    Withdrawn(ApprovalId),
}

/// What an event changed besides the state. Stored together with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Messages to append to the conversation.
    pub messages: Vec<Message>,
    /// Chunks to append to the stream.
    pub chunks: Vec<Chunk>,
}

/// Something to do outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the model.
    AskModel,
    /// Take a call to the gate, and run it if the gate permits it.
    Submit {
        /// The reply that made the call.
        reply: u32,
        /// The position of the call in the reply.
        call: usize,
    },
    /// Wait until an approval has ended, then run the call or tell why not.
    Redeem {
        /// The reply that made the call.
        reply: u32,
        /// The position of the call in the reply.
        call: usize,
        /// The approval.
        approval: ApprovalId,
    },
    /// Wait until the run of a sub-agent has ended. Its end is the result of the call.
    Await {
        /// The reply that made the call.
        reply: u32,
        /// The position of the call in the reply.
        call: usize,
        /// The run of the sub-agent.
        run: Uuid,
        /// The input of the call, if a human changed it.
        edited: Option<Value>,
    },
    /// Withdraw an approval.
    Withdraw(ApprovalId),
}

/// What a run, or one above it, has nothing left of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpentBudget {
    /// Replies.
    Iterations,
    /// Tokens or money.
    Exceeded(ExceededBudget),
}
