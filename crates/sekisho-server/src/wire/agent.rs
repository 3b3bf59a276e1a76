//! Agents, and which tools they may use.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_agent::agents::{
    Agent, AgentMode, AgentSettings, Budgets, DEFAULT_CONTEXT_TOKENS, DEFAULT_MAX_ITERATIONS,
    DEFAULT_MAX_TOKENS, DEFAULT_TEMPERATURE, ToolPermission,
};
use sekisho_agent::conversation::Provider;
use sekisho_agent::service::AgentUsage;
use sekisho_agent::spending::UsdAmount;
use sekisho_gate::display::{Layout, visible};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::error::ApiError;
use crate::json_body::from_json_value;
use crate::wire::usage::UsageView;

/// The longest name of an agent or model, and the longest prompt, in characters.
const MAX_NAME: usize = 100;
const MAX_PROMPT: usize = 100_000;
/// The largest limits.
const MAX_ITERATIONS: u32 = 1000;
const MAX_TOKENS: u32 = 1_000_000;
const MAX_CONTEXT: u32 = 10_000_000;

/// Which interface a model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelProvider {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's chat completions, also spoken by Ollama, vLLM and OpenRouter.
    Openai,
    /// Replies from a file, for demos and tests.
    Scripted,
}

impl From<Provider> for ModelProvider {
    fn from(provider: Provider) -> ModelProvider {
        match provider {
            Provider::Anthropic => ModelProvider::Anthropic,
            Provider::Openai => ModelProvider::Openai,
            Provider::Scripted => ModelProvider::Scripted,
        }
    }
}

impl From<ModelProvider> for Provider {
    fn from(provider: ModelProvider) -> Provider {
        match provider {
            ModelProvider::Anthropic => Provider::Anthropic,
            ModelProvider::Openai => Provider::Openai,
            ModelProvider::Scripted => Provider::Scripted,
        }
    }
}

/// Whether an agent has sub-agents, and which of its calls are always asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrchestrationMode {
    /// No sub-agents.
    #[default]
    None,
    /// Sub-agents; the policy alone decides about calls.
    Auto,
    /// Sub-agents; calls that change something are asked about even if a rule allows them.
    Approval,
}

impl From<AgentMode> for OrchestrationMode {
    fn from(mode: AgentMode) -> OrchestrationMode {
        match mode {
            AgentMode::None => OrchestrationMode::None,
            AgentMode::Auto => OrchestrationMode::Auto,
            AgentMode::Approval => OrchestrationMode::Approval,
        }
    }
}

impl From<OrchestrationMode> for AgentMode {
    fn from(mode: OrchestrationMode) -> AgentMode {
        match mode {
            OrchestrationMode::None => AgentMode::None,
            OrchestrationMode::Auto => AgentMode::Auto,
            OrchestrationMode::Approval => AgentMode::Approval,
        }
    }
}

/// The settings of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentBody {
    /// Its name, by which rules call it. No two agents have the same.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// Which interface its model has.
    pub provider: ModelProvider,
    /// The model, by the name that its provider gives it; for `scripted`, the name of a script.
    #[schemars(length(min = 1, max = 100))]
    pub model: String,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Text before the first message of every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_prompt: Option<String>,
    /// How varied replies are, from 0 to 2; default 0.7.
    #[serde(default = "default_temperature")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: f64,
    /// The most tokens of a reply; default 4096.
    #[serde(default = "default_max_tokens")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_tokens: u32,
    /// The window of the model, in tokens; default 128000. When a conversation nears it, long results of older calls are
    /// sent as references.
    #[serde(default = "default_context_tokens")]
    #[schemars(range(min = 1000, max = 10_000_000))]
    pub context_tokens: u32,
    /// How many replies the model may give to a message; default 5.
    #[serde(default = "default_max_iterations")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_iterations: u32,
    /// The most tokens of a whole run, input and output; absent for no limit. A request that could exceed it, with its
    /// input and `maxTokens` of output, is not sent, and the run ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// The most that a whole run may cost, in US dollars, such as `"0.50"`; absent for no limit. Needs a price of the model in
    /// `model_prices` of `server.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[0-9]{1,7}(\.[0-9]{1,12})?$"))]
    pub cost_budget_usd: Option<String>,
    /// The most seconds from the start of a run to its end, waiting for approvals included; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_seconds: Option<u64>,
    /// Whether it has sub-agents, and which of its calls are always asked about.
    #[serde(default)]
    pub mode: OrchestrationMode,
    /// Whether every tool call of this agent needs an approval, also where a rule allows it.
    #[serde(default)]
    pub require_tool_approval: bool,
    /// The root of its workspace: a project that is registered with the server. Absent for the server's
    /// `SEKISHO_PROJECT_ROOT`. Without either, tools that work on files, programs or repositories fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
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

fn default_max_iterations() -> u32 {
    DEFAULT_MAX_ITERATIONS
}

impl AgentBody {
    /// The settings, if they are valid.
    pub(crate) fn settings(self, projects: &[String]) -> Result<AgentSettings, ApiError> {
        for (field, text, most) in [
            ("name", Some(&self.name), MAX_NAME),
            ("model", Some(&self.model), MAX_NAME),
            ("systemPrompt", self.system_prompt.as_ref(), MAX_PROMPT),
            ("userPrompt", self.user_prompt.as_ref(), MAX_PROMPT),
        ] {
            let Some(text) = text else { continue };
            if text.trim().is_empty() || text.chars().count() > most {
                let why = format!("`{field}` must have 1 to {most} characters that are not all blank");
                return Err(ApiError::invalid(why).with_field(field));
            }
        }
        if visible(&self.name, Layout::Line) != self.name {
            let message = "`name` has characters that cannot be seen";
            return Err(ApiError::invalid(message).with_field("name"));
        }
        if self.name.contains('/') {
            let message = "`name` has a `/`, which separates agents from their sub-agents";
            return Err(ApiError::invalid(message).with_field("name"));
        }
        let in_range = [
            ("temperature", (0.0..=2.0).contains(&self.temperature), "0 to 2"),
            ("maxTokens", (1..=MAX_TOKENS).contains(&self.max_tokens), "1 to 1000000"),
            ("contextTokens", (1000..=MAX_CONTEXT).contains(&self.context_tokens), "1000 to 10000000"),
            ("maxIterations", (1..=MAX_ITERATIONS).contains(&self.max_iterations), "1 to 1000"),
            ("tokenBudget", self.token_budget != Some(0), "at least 1"),
            ("timeBudgetSeconds", self.time_budget_seconds != Some(0), "at least 1"),
        ];
        if let Some((field, _, range)) = in_range.into_iter().find(|(_, fits, _)| !fits) {
            return Err(ApiError::invalid(format!("`{field}` must be {range}")).with_field(field));
        }
        if let Some(root) = self.workspace.as_ref().filter(|root| !projects.contains(root)) {
            return Err(ApiError::invalid(format!("`workspace`: {root:?} is not a registered project"))
                .with_field("workspace")
                .with_hint("`GET /api/session` lists the registered projects"));
        }
        let budgets = Budgets {
            max_iterations: self.max_iterations,
            tokens: self.token_budget,
            cost_usd: cost_budget(self.cost_budget_usd.as_deref())?,
            seconds: self.time_budget_seconds,
        };
        Ok(AgentSettings {
            name: self.name,
            provider: self.provider.into(),
            model: self.model,
            system_prompt: self.system_prompt,
            user_prompt: self.user_prompt,
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            context_tokens: self.context_tokens,
            budgets,
            mode: self.mode.into(),
            require_tool_approval: self.require_tool_approval,
            workspace: self.workspace,
        })
    }
}

/// A budget of money: more than nothing.
fn cost_budget(text: Option<&str>) -> Result<Option<UsdAmount>, ApiError> {
    let wrong = |why: &str| ApiError::invalid(format!("`costBudgetUsd`: {why}")).with_field("costBudgetUsd");
    match text.map(str::parse::<UsdAmount>).transpose() {
        Ok(Some(UsdAmount::ZERO)) => Err(wrong("must be more than 0")),
        Ok(budget) => Ok(budget),
        Err(why) => Err(wrong(&why)),
    }
}

impl From<AgentSettings> for AgentBody {
    fn from(settings: AgentSettings) -> AgentBody {
        AgentBody {
            name: settings.name,
            provider: settings.provider.into(),
            model: settings.model,
            system_prompt: settings.system_prompt,
            user_prompt: settings.user_prompt,
            temperature: settings.temperature,
            max_tokens: settings.max_tokens,
            context_tokens: settings.context_tokens,
            max_iterations: settings.budgets.max_iterations,
            token_budget: settings.budgets.tokens,
            cost_budget_usd: settings.budgets.cost_usd.map(|most| most.to_string()),
            time_budget_seconds: settings.budgets.seconds,
            mode: settings.mode.into(),
            require_tool_approval: settings.require_tool_approval,
            workspace: settings.workspace,
        }
    }
}

/// An agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentView {
    /// Its id.
    pub id: Uuid,
    /// Its settings.
    pub settings: AgentBody,
    /// The tools that an admin has enabled or disabled for it. Other tools are off.
    pub tools: Vec<AgentTool>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its settings were last changed.
    pub updated_at: Timestamp,
}

impl AgentView {
    pub(crate) fn of(agent: Agent, tools: Vec<ToolPermission>) -> AgentView {
        AgentView {
            id: agent.id,
            settings: agent.settings.into(),
            tools: tools.into_iter().map(AgentTool::from).collect(),
            created_at: agent.created_at,
            updated_at: agent.updated_at,
        }
    }
}

/// What the stored runs of an agent and of its sub-agents have used, those that go on included.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentUsageView {
    /// The agent.
    pub agent_id: Uuid,
    /// How many runs there are, those of sub-agents included.
    pub runs: u64,
    /// How many replies their models gave.
    pub replies: u64,
    /// The tokens, and what the runs cost whose models have a price.
    pub usage: UsageView,
    /// How many runs have no price, and are not in the cost.
    pub runs_without_price: u64,
}

impl AgentUsageView {
    pub(crate) fn of(agent_id: Uuid, used: AgentUsage) -> AgentUsageView {
        let has_cost = used.runs > used.runs_without_price;
        AgentUsageView {
            agent_id,
            runs: used.runs,
            replies: used.replies,
            usage: UsageView::of(used.usage, has_cost.then_some(used.cost)),
            runs_without_price: used.runs_without_price,
        }
    }
}

/// Whether and how an agent may use a tool.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentTool {
    /// The tool.
    pub tool_name: String,
    /// Whether the agent may use it.
    pub is_enabled: bool,
    /// The settings of the tool for this agent; absent for the defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    /// Whether every call of the tool needs an approval, also where a rule allows it.
    #[serde(default)]
    pub require_approval: bool,
}

impl From<ToolPermission> for AgentTool {
    fn from(permission: ToolPermission) -> AgentTool {
        AgentTool {
            tool_name: permission.tool_name,
            is_enabled: permission.is_enabled,
            // Settings always have a JSON form.
            config: permission.config.and_then(|config| serde_json::to_value(config).ok()),
            require_approval: permission.require_approval,
        }
    }
}

/// All agents.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentList {
    /// The agents, in order of creation.
    pub agents: Vec<AgentView>,
}

/// Which tools an agent may use. Tools that are not in the list stay as they are.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolConfigBody {
    /// The agent.
    pub agent_id: Uuid,
    /// The tools.
    pub tools: Vec<ToolConfigEntry>,
}

/// Whether and how an agent may use a tool.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolConfigEntry {
    /// The tool.
    pub tool_name: String,
    /// Whether the agent may use it.
    pub is_enabled: bool,
    /// The settings of the tool for this agent, as in `tool_config` of `server.json`; absent or null for the
    /// defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    /// Whether every call of the tool needs an approval, also where a rule allows it.
    #[serde(default)]
    pub require_approval: bool,
}

impl ToolConfigEntry {
    /// The permission, if its settings are valid.
    pub(crate) fn permission(self) -> Result<ToolPermission, ApiError> {
        let config = self.config.map(|config| tool_settings(&self.tool_name, config)).transpose()?;
        Ok(ToolPermission {
            tool_name: self.tool_name,
            is_enabled: self.is_enabled,
            config,
            require_approval: self.require_approval,
        })
    }
}

/// The settings of a tool, if they are valid.
pub(crate) fn tool_settings(tool: &str, config: Value) -> Result<sekisho_agent::ToolConfig, ApiError> {
    let named = |error: ApiError| ApiError { message: format!("{tool}: {}", error.message), ..error };
    let config: sekisho_agent::ToolConfig = from_json_value(config).map_err(named)?;
    config.check(tool).map_err(|error| ApiError::invalid(error.to_string()))?;
    Ok(config)
}

/// A change was stored.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatusOk {
    /// Always `ok`.
    pub status: String,
}
