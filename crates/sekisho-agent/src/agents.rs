//! The port to the store of agents: their settings and which tools they may use.
//!
//! A tool that has no [`ToolPermission`] is off. Runs read the permissions at every call, so a change counts at once.

use jiff::Timestamp;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_tools::git_ops::READ_ONLY_ACTIONS;
use sekisho_tools::{ToolCategory, ToolConfig};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::conversation::Provider;
use crate::spending::UsdAmount;

/// How varied replies are, unless an agent says otherwise.
pub const DEFAULT_TEMPERATURE: f64 = 0.7;
/// The most tokens of a reply, unless an agent says otherwise.
pub const DEFAULT_MAX_TOKENS: u32 = 4096;
/// The default window of a model, in tokens. Small enough for most models; those with a smaller one must say so.
pub const DEFAULT_CONTEXT_TOKENS: u32 = 128_000;
/// How many replies a model may give to a message, unless an agent says otherwise.
pub const DEFAULT_MAX_ITERATIONS: u32 = 5;

/// An agent as it is stored, without its tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Its id.
    pub id: Uuid,
    /// What an admin can change.
    pub settings: AgentSettings,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its settings were last changed.
    pub updated_at: Timestamp,
}

/// The settings of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentSettings {
    /// Its name, by which rules call it. No two agents have the same.
    pub name: String,
    /// The interface of its model.
    pub provider: Provider,
    /// The model.
    pub model: String,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Text before the first message of every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_prompt: Option<String>,
    /// How varied replies are.
    #[serde(default = "default_temperature")]
    pub temperature: f64,
    /// The most tokens of a reply.
    #[serde(default = "default_max_tokens")]
    pub max_tokens: u32,
    /// The window of the model, in tokens: what a request and its reply may have together.
    #[serde(default = "default_context_tokens")]
    pub context_tokens: u32,
    /// What a run may spend.
    #[serde(default)]
    pub budgets: Budgets,
    /// Whether it has sub-agents, and which of its calls are always asked about.
    #[serde(default)]
    pub mode: AgentMode,
    /// Whether every tool call of this agent needs an approval, also where a rule allows it.
    #[serde(default)]
    pub require_tool_approval: bool,
    /// The root of its workspace. Without one, it works in the root of the project that the server was started for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

impl AgentSettings {
    /// Whether a call of a tool needs an approval even where a rule allows it. This only tightens: what the policy
    /// denies stays denied.
    pub fn requires_approval(
        &self,
        permission: &ToolPermission,
        category: ToolCategory,
        input: &Value,
    ) -> bool {
        let by_mode = self.mode == AgentMode::Approval && may_change_something(category, input);
        self.require_tool_approval || permission.require_approval || by_mode
    }
}

/// Whether a call may do more than read.
pub(crate) fn may_change_something(category: ToolCategory, input: &Value) -> bool {
    match category {
        ToolCategory::ReadOnly => false,
        ToolCategory::FileSystem | ToolCategory::Execution | ToolCategory::Composite => true,
        ToolCategory::VersionControl => {
            let action = input.get("action").and_then(Value::as_str);
            !action.is_some_and(|action| READ_ONLY_ACTIONS.contains(&action))
        }
    }
}

/// What one run of an agent may spend. None for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Budgets {
    /// How many replies the model may give to a message.
    pub max_iterations: u32,
    /// Tokens of the whole run, input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The cost of the whole run, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<UsdAmount>,
    /// The time from the start of the run to its end, in seconds, waiting for approvals included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl Default for Budgets {
    fn default() -> Budgets {
        Budgets { max_iterations: DEFAULT_MAX_ITERATIONS, tokens: None, cost_usd: None, seconds: None }
    }
}

/// Whether an agent has sub-agents, and which of its calls are always asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentMode {
    /// It has no tools for sub-agents.
    #[default]
    None,
    /// It has sub-agents. The policy alone decides about its calls.
    Auto,
    /// It has sub-agents. Calls that change something are asked about even if a rule allows them.
    Approval,
}

impl AgentMode {
    /// The name in the store and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            AgentMode::None => "none",
            AgentMode::Auto => "auto",
            AgentMode::Approval => "approval",
        }
    }

    /// The mode with this name.
    pub fn from_name(name: &str) -> Option<AgentMode> {
        [AgentMode::None, AgentMode::Auto, AgentMode::Approval].into_iter().find(|mode| mode.name() == name)
    }
}

/// Whether and how an agent may use a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolPermission {
    /// The tool.
    pub tool_name: String,
    /// Whether the agent may use it.
    pub is_enabled: bool,
    /// The settings of the tool for this agent. None for the defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<ToolConfig>,
    /// Whether every call of the tool needs an approval, also where a rule allows it.
    #[serde(default)]
    pub require_approval: bool,
}

/// What became of a change of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum AgentChange {
    /// It is stored.
    Stored,
    /// There is no agent with this id.
    NotFound,
    /// Another agent has this name. Nothing was stored.
    NameTaken,
}

/// Stores agents. Everything is durable once the future returns. Every change is stored together with its audit record, or
/// not at all; what changes nothing is not recorded.
pub trait Agents: Send + Sync {
    /// Stores a new agent. It has no tools.
    fn create_agent(&self, agent: Agent, record: CheckedRecord) -> LedgerFuture<'_, AgentChange>;

    /// Replaces the settings of an agent.
    fn update_agent(
        &self,
        id: Uuid,
        settings: AgentSettings,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, AgentChange>;

    /// Deletes an agent and its permissions. Its runs stay. Returns `false` if there is no such agent.
    fn delete_agent(&self, id: Uuid, record: CheckedRecord) -> LedgerFuture<'_, bool>;

    /// An agent.
    fn agent(&self, id: Uuid) -> LedgerFuture<'_, Option<Agent>>;

    /// The agent with this name.
    fn agent_named(&self, name: String) -> LedgerFuture<'_, Option<Agent>>;

    /// All agents, in order of creation.
    fn agents(&self) -> LedgerFuture<'_, Vec<Agent>>;

    /// The permissions of an agent, by the names of the tools. Empty if there is no such agent.
    fn tool_permissions(&self, agent: Uuid) -> LedgerFuture<'_, Vec<ToolPermission>>;

    /// Replaces the permissions for these tools, all or none. Those for other tools stay. Returns `false`, and
    /// stores nothing, if there is no such agent.
    fn set_tool_permissions(
        &self,
        agent: Uuid,
        permissions: Vec<ToolPermission>,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, bool>;
}

fn default_temperature() -> f64 {
    DEFAULT_TEMPERATURE
}

fn default_context_tokens() -> u32 {
    DEFAULT_CONTEXT_TOKENS
}

fn default_max_tokens() -> u32 {
    DEFAULT_MAX_TOKENS
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(more: Value) -> AgentSettings {
        let mut all = json!({ "name": "builder", "provider": "anthropic", "model": "m" });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(all).unwrap()
    }

    #[test]
    fn settings_have_defaults() {
        let found = settings(json!({}));
        assert_eq!((found.temperature, found.max_tokens, found.mode), (0.7, 4096, AgentMode::None));
        assert_eq!(found.budgets, Budgets { max_iterations: 5, tokens: None, cost_usd: None, seconds: None });
        assert_eq!((found.require_tool_approval, found.workspace), (false, None));
        assert!(serde_json::from_value::<AgentSettings>(json!({ "name": "x", "nmae": "y" })).is_err());
    }

    #[test]
    fn modes_have_names() {
        for mode in [AgentMode::None, AgentMode::Auto, AgentMode::Approval] {
            assert_eq!(json!(mode), mode.name());
            assert_eq!(AgentMode::from_name(mode.name()), Some(mode));
        }
        assert_eq!(AgentMode::from_name("Auto"), None);
    }

    #[test]
    fn agent_and_tool_and_mode_require_approvals() {
        use ToolCategory::{Composite, Execution, FileSystem, ReadOnly, VersionControl};
        let check = |more: Value, require_approval: bool, category, action: &str, expected: bool| {
            let permission =
                ToolPermission { tool_name: "t".into(), is_enabled: true, config: None, require_approval };
            let input = json!({ "action": action });
            let found = settings(more.clone()).requires_approval(&permission, category, &input);
            assert_eq!(found, expected, "{more} {require_approval} {category:?} {action}");
        };
        for mode in ["none", "auto"] {
            for category in [ReadOnly, FileSystem, Execution, VersionControl, Composite] {
                check(json!({ "mode": mode }), false, category, "commit", false);
                check(json!({ "mode": mode }), true, category, "status", true);
                check(json!({ "mode": mode, "requireToolApproval": true }), false, category, "status", true);
            }
        }
        let approval = json!({ "mode": "approval" });
        check(approval.clone(), false, ReadOnly, "commit", false);
        for category in [FileSystem, Execution, Composite] {
            check(approval.clone(), false, category, "status", true);
        }
        for action in ["status", "diff", "log", "show", "branch_list"] {
            check(approval.clone(), false, VersionControl, action, false);
        }
        for action in ["add", "commit", "branch_create", "checkout", "push", ""] {
            check(approval.clone(), false, VersionControl, action, true);
        }
        check(approval, true, ReadOnly, "status", true);
    }
}
