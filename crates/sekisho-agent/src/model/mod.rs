//! Clients of models.

mod anthropic;
mod call_ids;
mod call_input;
mod event_stream;
mod failure;
mod http;
mod openai;
pub mod providers;
mod reply_limits;
pub mod retry;
pub mod scripted;
mod secret_key;
mod streaming_client;
mod turns;

use std::fmt;
use std::time::Duration;

use sekisho_gate::ledger::BoxFuture;
use sekisho_tools::ToolDefinition;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::conversation::{AssistantPart, Message};

/// What a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// The model's name.
    pub model: String,
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation so far. It ends with a user's message or with results.
    pub messages: Vec<Message>,
    /// The tools that the model may call. Empty for none.
    pub tools: Vec<ToolDefinition>,
    /// How varied the reply may be. None for the model's default.
    pub temperature: Option<f64>,
    /// The most tokens of the reply.
    pub max_tokens: u32,
}

/// A whole reply of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// Its parts, in order.
    pub parts: Vec<AssistantPart>,
    /// Why it ended.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
}

/// Why a reply ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done.
    EndTurn,
    /// It wants tools to be called.
    ToolCalls,
    /// It reached `max_tokens`, or the end of its window. Its tool calls may be cut and must not run.
    Length,
    /// It, or its provider, refused. The text may be partial.
    Refusal,
    /// The provider paused a long reply; sending the conversation again continues it.
    Paused,
    /// A reason that is not known here, as it came.
    Other(String),
}

/// The tokens of one or more replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// All tokens of the input, cached ones included.
    pub input: u64,
    /// The tokens of the output.
    pub output: u64,
    /// The tokens of the input that were read from the provider's cache.
    pub cache_read: u64,
    /// The tokens of the input that were written to it.
    pub cache_write: u64,
}

impl Usage {
    /// The sum of two usages.
    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
        }
    }
}

/// A piece of a reply while it is received. Pieces are for people who watch; only the whole reply counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyPiece {
    /// More text.
    Text(String),
    /// A tool call begins.
    CallStarted {
        /// The call's id.
        id: String,
        /// The tool.
        name: String,
    },
    /// More of a call's input, as JSON text.
    CallInput {
        /// The call's id.
        id: String,
        /// The text.
        text: String,
    },
}

/// Receives the pieces of a reply. It must not block.
pub trait PieceSink: Send + Sync {
    /// Takes the next piece.
    fn take(&self, piece: ReplyPiece);

    /// The request is sent again after a failure: what was received so far does not count.
    fn restart(&self) {}
}

/// A model. A client retries by itself where its provider says that it helps, and ends at once when cancelled.
pub trait Model: Send + Sync {
    /// Sends a request and receives the whole reply.
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
        pieces: &'a dyn PieceSink,
        cancellation: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>>;
}

/// Why a model gave no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelError {
    /// What kind of failure it is.
    pub code: ModelErrorCode,
    /// What happened, for people. Contains no key.
    pub message: String,
    /// The provider's id of the request, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// How long the provider asks to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
}

/// What kind of failure a [`ModelError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorCode {
    /// The run was aborted or interrupted.
    Cancelled,
    /// The provider could not be reached, or the connection broke.
    Unreachable,
    /// The stream ended too early, or nothing came for too long.
    Cut,
    /// The provider sent something that its interface does not allow.
    BadReply,
    /// The provider refused the request.
    BadRequest,
    /// The key is missing or wrong, or may not use this model.
    Unauthorized,
    /// The conversation is longer than the model's window.
    TooLong,
    /// Too many requests, or the provider is overloaded; retries did not help.
    Overloaded,
    /// The provider's own failure; retries did not help.
    ProviderFailed,
    /// The account's quota or spending limit is used up.
    OutOfQuota,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}
