//! Starts runs: checks what a request wants, and fixes what the run is started with.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use sekisho_gate::ledger::LedgerError;
use sekisho_tools::ToolConfig;
use uuid::Uuid;

use crate::agents::{Agent, AgentMode, AgentSettings, ToolPermission};
use crate::conversation::Message;
use crate::driver::{NewRun, RunError, TooManyActive};
use crate::host::AgentHost;
use crate::machine::RunLimits;
use crate::model::ModelError;
use crate::run_settings::RunSettings;

/// A request for a run.
#[derive(Clone, Debug)]
pub struct RunStart {
    /// The id of the new run. No run has it yet.
    pub id: Uuid,
    /// The agent.
    pub agent: Uuid,
    /// The conversation before the first message.
    pub history: Vec<Message>,
    /// The first message.
    pub input: String,
    /// How many replies the model may give, if that is fewer than the agent has.
    pub max_iterations: Option<u32>,
    /// Whether each call needs an approval, whatever the rules allow.
    pub requires_approval: bool,
    /// The mode that the request asks for, which only narrows that of the agent. None for that of the agent.
    pub mode: Option<AgentMode>,
    /// Whether its questions expire after the usual time, instead of waiting until somebody answers.
    pub approvals_expire: bool,
    /// The tools that the run may use, of those that the agent has. None for all of them.
    pub enabled_tools: Option<Vec<String>>,
    /// Settings of tools. They may only narrow those of the agent.
    pub tool_config: BTreeMap<String, ToolConfig>,
    /// Who starts the run. Its calls are made with this credential.
    pub credential: String,
    /// The workspace roots that the credential is bound to. Empty for any.
    pub roots: Vec<String>,
}

/// Why a run did not start.
#[derive(Clone, Debug, PartialEq)]
pub enum RunStartError {
    /// There is no such agent.
    NoAgent(Uuid),
    /// The request is wrong: the field, and why.
    Invalid {
        /// The field.
        field: String,
        /// What is wrong.
        why: String,
    },
    /// The request wants more than the agent, or whoever started the run, may do.
    NotPermitted(String),
    /// The model cannot be used.
    Model(ModelError),
    /// The stored settings of a tool cannot be used.
    Settings(String),
    /// The credential has as many active runs as it may have.
    TooManyActive(TooManyActive),
    /// It could not be stored.
    Store(LedgerError),
}

impl fmt::Display for RunStartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunStartError::NoAgent(id) => write!(f, "there is no agent `{id}`"),
            RunStartError::Invalid { field, why } => write!(f, "`{field}`: {why}"),
            RunStartError::NotPermitted(why) | RunStartError::Settings(why) => f.write_str(why),
            RunStartError::Model(error) => f.write_str(&error.message),
            RunStartError::TooManyActive(excess) => write!(f, "the credential has {excess}"),
            RunStartError::Store(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for RunStartError {}

impl From<LedgerError> for RunStartError {
    fn from(error: LedgerError) -> RunStartError {
        RunStartError::Store(error)
    }
}

impl From<RunError> for RunStartError {
    fn from(error: RunError) -> RunStartError {
        match error {
            RunError::NotFound(id) => RunStartError::NoAgent(id),
            RunError::TooManyActive(excess) => RunStartError::TooManyActive(excess),
            RunError::Store(error) => RunStartError::Store(error),
        }
    }
}

/// Checks a request for a run.
pub(super) async fn check(host: &AgentHost, start: RunStart) -> Result<NewRun, RunStartError> {
    let agent = host.agents().agent(start.agent).await?.ok_or(RunStartError::NoAgent(start.agent))?;
    let permissions = host.permissions(start.agent).await?;
    check_mode(&agent, start.mode)?;
    let message = first_message(&agent, &start.input)?;
    for name in start.enabled_tools.iter().flatten() {
        permission(host, &agent, &permissions, name, "enabled_tools")?;
    }
    let workspace = workspace(host, &agent, &start.roots)?;
    for (name, config) in &start.tool_config {
        let stored = permission(host, &agent, &permissions, name, "tool_config")?;
        let invalid = |why: String| RunStartError::Invalid { field: "tool_config".into(), why };
        config.check(name).map_err(|error| invalid(error.to_string()))?;
        let broken = |error: sekisho_tools::ToolConfigError| RunStartError::Settings(error.to_string());
        let mut ctx = host.stored_context(workspace.as_deref(), stored).map_err(broken)?;
        if let Some(setting) = config.narrow(name, &mut ctx).first() {
            let why = format!("tool_config.{name}.{setting}: a request may only narrow what the agent has");
            return Err(RunStartError::NotPermitted(why));
        }
    }
    let known = &agent.settings;
    host.models().get(known.provider, &known.model).map_err(RunStartError::Model)?;
    let budgets = &known.budgets;
    if let Some(why) = missing_price(host, known) {
        return Err(RunStartError::Settings(why));
    }
    let most = start.max_iterations.unwrap_or(u32::MAX);
    let limits = RunLimits {
        max_iterations: budgets.max_iterations.min(most).max(1),
        max_tokens: budgets.tokens,
        max_seconds: budgets.seconds,
        max_cost: budgets.cost_usd,
    };
    let settings = RunSettings {
        agent: agent.id,
        agent_name: known.name.clone(),
        credential: start.credential,
        provider: known.provider,
        model: known.model.clone(),
        system: known.system_prompt.clone(),
        temperature: Some(known.temperature),
        max_tokens: known.max_tokens,
        context_tokens: known.context_tokens,
        price: host.models().price(known.provider, &known.model),
        workspace,
        // Each name once: the list is stored with every run of the tree.
        enabled_tools: start.enabled_tools.map(|names| BTreeSet::from_iter(names).into_iter().collect()),
        requires_approval: start.requires_approval,
        mode: start.mode,
        parent: None,
        stage: None,
        approvals_expire: start.approvals_expire,
        tool_config: start.tool_config,
    };
    Ok(NewRun { id: start.id, settings, limits, history: start.history, message })
}

/// A request may take sub-agents away, and ask about more. It cannot give an agent what its own mode does not.
fn check_mode(agent: &Agent, wanted: Option<AgentMode>) -> Result<(), RunStartError> {
    let own = agent.settings.mode;
    let is_wider = match wanted {
        None | Some(AgentMode::None) => false,
        Some(AgentMode::Auto) => own != AgentMode::Auto,
        Some(AgentMode::Approval) => own == AgentMode::None,
    };
    match is_wider {
        false => Ok(()),
        true => Err(RunStartError::NotPermitted(format!(
            "mode: `{}` is wider than the mode of the agent `{}`, which is `{}`",
            wanted.map_or("", AgentMode::name),
            agent.settings.name,
            own.name()
        ))),
    }
}

/// Why an agent with a cost budget cannot be used: nobody knows what its model costs.
pub(super) fn missing_price(host: &AgentHost, agent: &AgentSettings) -> Option<String> {
    let price = host.models().price(agent.provider, &agent.model);
    (agent.budgets.cost_usd.is_some() && price.is_none()).then(|| {
        format!(
            "the agent `{}` has a cost budget, and its model `{}` has no price; set the price in `model_prices` of \
             server.json, or remove the budget",
            agent.name, agent.model
        )
    })
}

/// The agent's own text, then the input.
fn first_message(agent: &Agent, input: &str) -> Result<String, RunStartError> {
    let parts = [agent.settings.user_prompt.as_deref().unwrap_or_default(), input];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    match parts.is_empty() {
        true => {
            let why = "it is empty, and the agent has no user prompt; say what the agent is to do".into();
            Err(RunStartError::Invalid { field: "input".into(), why })
        }
        false => Ok(parts.join("\n\n")),
    }
}

/// The permission of a tool that a request names.
fn permission<'a>(
    host: &AgentHost,
    agent: &Agent,
    permissions: &'a [ToolPermission],
    name: &str,
    field: &str,
) -> Result<&'a ToolPermission, RunStartError> {
    if host.registry().get(name).is_none() {
        return Err(RunStartError::Invalid { field: field.into(), why: format!("Unknown tool: {name}") });
    }
    let enabled = |one: &&ToolPermission| one.tool_name == name && one.is_enabled;
    permissions.iter().find(enabled).ok_or_else(|| {
        let agent = &agent.settings.name;
        RunStartError::NotPermitted(format!(
            "{field}: the tool `{name}` is not enabled for the agent `{agent}`"
        ))
    })
}

/// The workspace of a run: the agent's own, or that of the server.
fn workspace(host: &AgentHost, agent: &Agent, roots: &[String]) -> Result<Option<PathBuf>, RunStartError> {
    let own = agent.settings.workspace.as_ref().map(PathBuf::from);
    let root = own.or_else(|| host.config().default_root.clone());
    let is_bound_elsewhere =
        |root: &PathBuf| !roots.is_empty() && !roots.iter().any(|bound| root.as_os_str() == bound.as_str());
    match root {
        Some(root) if is_bound_elsewhere(&root) => Err(RunStartError::NotPermitted(format!(
            "the agent works in `{}`, and the token is bound to {}",
            root.display(),
            roots.join(", ")
        ))),
        root => Ok(root),
    }
}
