//! The messages between a run and its model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message of a conversation. Stored with the run, so its serde form must stay readable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What a user wrote.
    User {
        /// The text.
        text: String,
    },
    /// A reply of the model.
    Assistant {
        /// Its parts, in order.
        parts: Vec<AssistantPart>,
    },
    /// The results of all tool calls of the reply before it.
    Tools {
        /// One for each call, in the order of the calls.
        results: Vec<CallResult>,
    },
}

/// A part of a model's reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AssistantPart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A tool call.
    Call(ToolCall),
    /// A part that only the provider understands, such as signed reasoning. It is sent back as it came, to the
    /// same provider only.
    Opaque {
        /// The provider it came from.
        provider: Provider,
        /// The part, as it came.
        value: Value,
    },
}

/// A call that a model wants to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id from the model; if it gave none, one that we generated. Unique within a reply.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The input.
    pub input: CallInput,
}

/// The input of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallInput {
    /// A JSON object.
    Object(Value),
    /// Text that is not a JSON object, as it came. Such a call never reaches a tool.
    Unreadable(String),
}

/// The result of a call, as the model reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    /// The call's id.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// The text.
    pub content: String,
    /// Whether it is an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// Which interface a model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's chat completions, also spoken by Ollama, vLLM, llama.cpp and OpenRouter.
    Openai,
    /// Replies from a file, for demos and tests.
    Scripted,
}
