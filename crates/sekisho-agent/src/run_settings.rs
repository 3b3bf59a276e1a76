//! What a run was started with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sekisho_tools::ToolConfig;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::agents::{AgentMode, DEFAULT_CONTEXT_TOKENS};
use crate::conversation::Provider;
use crate::spending::ModelPrice;

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
    /// The price of the model at the start. None if none was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    /// The workspace. Without one, tools that need one fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// The tools that the request asked for. None for all that the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled_tools: Option<Vec<String>>,
    /// Whether the request wants an approval for each call, whatever the rules allow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_approval: bool,
    /// The mode that the request asked for. It only narrows that of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<AgentMode>,
    /// The call of another run that started this one. None for a run that a person or a program started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentCall>,
    /// The stage that the run is for. Only the driver of the pipeline sets it, never a request for a run: a run that somebody
    /// started with the id of a stage's run does not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageMark>,
    /// Whether its questions expire after the time that is usual for other callers. Otherwise they wait until somebody
    /// answers, unless a rule says how long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approvals_expire: bool,
    /// Settings of tools in the request. They only narrow those of the agent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_config: BTreeMap<String, ToolConfig>,
}

fn default_context_tokens() -> u32 {
    DEFAULT_CONTEXT_TOKENS
}

/// An attempt of a stage of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageMark {
    /// The run of the pipeline.
    pub pipeline_run: Uuid,
    /// The stage, from 0 on.
    pub stage: usize,
    /// The attempt, from 1 on.
    pub attempt: usize,
}

/// The call that started the run of a sub-agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParentCall {
    /// The reply of the parent run that made the call, counted as in
    /// [`RunState::replies`](crate::machine::RunState::replies).
    pub reply: u32,
    /// The agents above, from the one that was started by a person or a program down to the parent. Never empty.
    pub chain: Vec<ChainLink>,
}

/// An agent above a sub-agent, and what its run was narrowed to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainLink {
    /// Its run.
    pub run: Uuid,
    /// The agent.
    pub agent: Uuid,
    /// Its name, by which rules call it.
    pub agent_name: String,
    /// The tools of the run. None for all that the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled_tools: Option<Vec<String>>,
    /// Whether each call needs an approval.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_approval: bool,
    /// The mode that the request asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<AgentMode>,
    /// Settings of tools that narrow those of the agent above.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_config: BTreeMap<String, ToolConfig>,
}

impl RunSettings {
    /// The agents above, from the first on. Empty for a run that a person or a program started.
    pub fn chain(&self) -> &[ChainLink] {
        self.parent.as_ref().map_or(&[], |parent| &parent.chain)
    }

    /// Whether a run with these settings is the one that was to be started with others: for the same agent and credential,
    /// and for the same stage or by the same call of the same parent.
    pub fn is_same_start(&self, other: &RunSettings) -> bool {
        let start = |one: &RunSettings| (one.agent, one.stage);
        start(self) == start(other) && self.credential == other.credential && self.parent == other.parent
    }

    /// How many agents are above.
    pub fn depth(&self) -> usize {
        self.chain().len()
    }

    /// The run of the parent.
    pub fn parent_run(&self) -> Option<Uuid> {
        self.chain().last().map(|link| link.run)
    }

    /// The first run of the tree, if it is another one.
    pub fn root_run(&self) -> Option<Uuid> {
        self.chain().first().map(|link| link.run)
    }

    /// The stored agent whose permissions count: the first of the chain, or this one.
    pub fn stored_agent(&self) -> Uuid {
        self.chain().first().map_or(self.agent, |link| link.agent)
    }

    /// This run as a link of the chain of its sub-agents.
    pub fn link(&self, run: Uuid) -> ChainLink {
        ChainLink {
            run,
            agent: self.agent,
            agent_name: self.agent_name.clone(),
            enabled_tools: self.enabled_tools.clone(),
            requires_approval: self.requires_approval,
            mode: self.mode,
            tool_config: self.tool_config.clone(),
        }
    }

    /// What each agent of the chain was narrowed to, and this run last. The run's own id does not matter here.
    pub fn levels(&self) -> Vec<ChainLink> {
        let mut levels = self.chain().to_vec();
        levels.push(self.link(Uuid::nil()));
        levels
    }
}
