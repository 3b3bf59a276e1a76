//! What a run was started with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sekisho_tools::ToolConfig;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::agents::DEFAULT_CONTEXT_TOKENS;
use crate::conversation::Provider;

/// What a run was started with. It does not change, whatever becomes of the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The agent.
    pub agent: Uuid,
    /// Its name, by which rules call it.
    pub agent_name: String,
    /// Who started the run, for the gate: the credential of its calls.
    pub credential: String,
    /// The interface of its model.
    pub provider: Provider,
    /// The model.
    pub model: String,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// How varied replies may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The most tokens of a reply.
    pub max_tokens: u32,
    /// The window of the model, in tokens.
    #[serde(default = "default_context_tokens")]
    pub context_tokens: u32,
    /// The workspace. Without one, tools that need one fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// The tools that the request asked for. None for all that the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled_tools: Option<Vec<String>>,
    /// Whether the request wants an approval for each call, whatever the rules allow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_approval: bool,
    /// Settings of tools in the request. They only narrow those of the agent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_config: BTreeMap<String, ToolConfig>,
}

fn default_context_tokens() -> u32 {
    DEFAULT_CONTEXT_TOKENS
}
