//! What a server provides for the runs of its agents: models, the tools that are enabled, and their limits.

mod models;
mod run_end;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sekisho_gate::answer::Role;
use sekisho_gate::caller::CallerEnvironment;
use sekisho_gate::ledger::{BoxFuture, LedgerError};
use sekisho_gate::registered_records::{CheckedRecord, Recorder};
use sekisho_gate::token_store::{Token, TokenStore};
use sekisho_gate::{Gate, TokenId};
use sekisho_tools::output_cache::OutputCache;
use sekisho_tools::sandbox::DirectoryId;
use sekisho_tools::{
    CurrentRun, RequiredLevel, RunStorage, Sandbox, Tool, ToolConfig, ToolConfigError, ToolContext,
    ToolDefinition, ToolRegistry, sub_agents,
};
use uuid::Uuid;

use crate::agents::{AgentMode, Agents, ToolPermission, may_change_something};
use crate::conversation::{CallInput, ToolCall};
use crate::driver::{RunHost, gate_chain};
use crate::grants::Grants;
use crate::model::{Model, ModelError};
use crate::run_settings::RunSettings;
use crate::runs::StoredRun;
use crate::spending::ModelPrice;

pub use models::Models;

/// What the machine provides, and what its administrator set for all agents.
#[derive(Clone)]
pub struct HostConfig {
    /// The sandbox of programs.
    pub sandbox: Arc<Sandbox>,
    /// Whether programs may run where the kernel cannot enforce every limit.
    pub required_level: RequiredLevel,
    /// `HOME` of programs.
    pub home: Option<PathBuf>,
    /// The addresses of our own server, which are never fetched.
    pub own_addresses: Vec<String>,
    /// The settings of tools, unless an agent has its own.
    pub tool_config: BTreeMap<String, ToolConfig>,
    /// The registered workspace roots.
    pub roots: Vec<PathBuf>,
    /// The workspace of agents that name none.
    pub default_root: Option<PathBuf>,
    /// The name of this machine, where several machines share a ledger.
    pub machine: Option<String>,
    /// Nobody can answer, whatever tokens exist.
    pub no_approvers: bool,
    /// How many sub-agents there may be.
    pub sub_agents: SubAgentLimits,
}

/// How many sub-agents there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubAgentLimits {
    /// How many levels of sub-agents may be below an agent that a person or a program started.
    pub depth: u32,
    /// How many sub-agents a run may make, and how many of their runs a tree may have.
    pub count: u32,
}

impl Default for SubAgentLimits {
    fn default() -> SubAgentLimits {
        SubAgentLimits { depth: 3, count: 50 }
    }
}

/// The ports and parts that a host is made of.
#[derive(Clone)]
pub struct HostParts {
    /// The agents and their tools.
    pub agents: Arc<dyn Agents>,
    /// The credentials that runs are started with.
    pub tokens: Arc<dyn TokenStore>,
    /// The data that tools store with a run.
    pub storage: Arc<dyn RunStorage>,
    /// The tools that exist here.
    pub registry: Arc<ToolRegistry>,
    /// The gate.
    pub gate: Gate,
    /// The models.
    pub models: Models,
    /// What the machine provides.
    pub config: HostConfig,
}

/// Provides what runs need. Reads what is enabled at every call, so a change counts at once.
#[derive(Clone)]
pub struct AgentHost {
    parts: Arc<HostParts>,
    /// Which directories the registered roots were at the start.
    root_ids: Arc<BTreeMap<PathBuf, Option<DirectoryId>>>,
    /// Writes what ends.
    recorder: Arc<OnceLock<Recorder>>,
}

impl AgentHost {
    /// A host.
    pub fn new(parts: HostParts) -> AgentHost {
        let id = |root: &PathBuf| ToolContext::new(root, Arc::clone(&parts.config.sandbox)).root_id;
        let root_ids = parts.config.roots.iter().map(|root| (root.clone(), id(root))).collect();
        AgentHost { parts: Arc::new(parts), root_ids: Arc::new(root_ids), recorder: Arc::default() }
    }

    /// Records the ends of runs with this recorder from now on.
    pub(crate) fn record_with(&self, recorder: &Recorder) {
        // The first one stays.
        let _ = self.recorder.set(recorder.clone());
    }

    /// The tools that exist here.
    pub fn registry(&self) -> &ToolRegistry {
        &self.parts.registry
    }

    /// The models.
    pub fn models(&self) -> &Models {
        &self.parts.models
    }

    /// What the machine provides.
    pub fn config(&self) -> &HostConfig {
        &self.parts.config
    }

    pub(crate) fn agents(&self) -> &dyn Agents {
        &*self.parts.agents
    }

    /// The context of a tool as an agent has it, before a request narrows it.
    pub(crate) fn stored_context(
        &self,
        root: Option<&Path>,
        permission: &ToolPermission,
    ) -> Result<ToolContext, ToolConfigError> {
        let config = &self.parts.config;
        let mut ctx = ToolContext::new(root.unwrap_or(Path::new("")), Arc::clone(&config.sandbox));
        if let Some(id) = root.and_then(|root| self.root_ids.get(root)) {
            ctx.root_id = *id;
        }
        ctx.required_level = config.required_level;
        ctx.home.clone_from(&config.home);
        ctx.own_addresses.clone_from(&config.own_addresses);
        let tool = &permission.tool_name;
        let usual = config.tool_config.get(tool).cloned().unwrap_or_default();
        let own = permission.config.clone().unwrap_or_default();
        let settings = own.merged_over(usual);
        if settings != ToolConfig::default() {
            settings.apply(tool, &mut ctx)?;
        }
        Ok(ctx)
    }

    /// The permissions of a stored agent. Its mode gives it the tools for sub-agents, unless they are switched off.
    pub(crate) async fn permissions(&self, id: Uuid) -> Result<Vec<ToolPermission>, LedgerError> {
        let mut all = self.parts.agents.tool_permissions(id).await?;
        let mode = self.mode(id).await?;
        for tool in sub_agents::NAMES {
            let known = all.iter_mut().find(|permission| permission.tool_name == tool);
            match (known, mode) {
                (Some(permission), AgentMode::None) => permission.is_enabled = false,
                (None, AgentMode::Auto | AgentMode::Approval) => all.push(ToolPermission {
                    tool_name: tool.to_owned(),
                    is_enabled: true,
                    config: None,
                    require_approval: false,
                }),
                (Some(_), _) | (None, AgentMode::None) => {}
            }
        }
        Ok(all)
    }

    /// The mode of a stored agent now.
    async fn mode(&self, id: Uuid) -> Result<AgentMode, LedgerError> {
        let agent = self.parts.agents.agent(id).await?;
        Ok(agent.map_or(AgentMode::None, |agent| agent.settings.mode))
    }

    /// The permissions that count for a run: those of the stored agent that no request and no agent of the chain left
    /// out.
    async fn enabled(&self, settings: &RunSettings) -> Result<Vec<ToolPermission>, LedgerError> {
        let stored = settings.stored_agent();
        // An agent that may no longer have sub-agents has none that do anything.
        if settings.parent.is_some() && self.mode(stored).await? == AgentMode::None {
            return Ok(Vec::new());
        }
        let mut all = self.permissions(stored).await?;
        let levels = settings.levels();
        let is_wanted = |tool: &String| {
            levels.iter().all(|level| level.enabled_tools.as_ref().is_none_or(|wanted| wanted.contains(tool)))
        };
        let may_delegate =
            self.levels_left(settings) > 0 && !levels.iter().any(|level| level.mode == Some(AgentMode::None));
        all.retain(|permission| {
            let tool = &permission.tool_name;
            let is_possible = may_delegate || !sub_agents::NAMES.contains(&tool.as_str());
            permission.is_enabled && is_wanted(tool) && is_possible
        });
        Ok(all)
    }

    /// How many levels of sub-agents may be below a run.
    fn levels_left(&self, settings: &RunSettings) -> usize {
        let most = usize::try_from(self.parts.config.sub_agents.depth).unwrap_or(usize::MAX);
        most.saturating_sub(settings.depth())
    }

    /// What a tool of a run may do: what the stored agent has, narrowed from one agent of the chain to the next.
    fn narrowed_context(
        &self,
        settings: &RunSettings,
        permission: &ToolPermission,
    ) -> Result<ToolContext, ToolConfigError> {
        let mut ctx = self.stored_context(settings.workspace.as_deref(), permission)?;
        for level in settings.levels() {
            if let Some(request) = level.tool_config.get(&permission.tool_name) {
                request.narrow(&permission.tool_name, &mut ctx);
            }
        }
        Ok(ctx)
    }

    /// What the agent of a run has, to hand it on.
    async fn grants_of(&self, settings: &RunSettings) -> Result<Grants, String> {
        let enabled = self.enabled(settings).await.map_err(|error| unreadable(&error))?;
        let levels = self.levels_left(settings);
        if levels == 0 || !enabled.iter().any(|one| one.tool_name == sub_agents::CREATE) {
            return Err("this agent may not have sub-agents".into());
        }
        let mut tools = BTreeMap::new();
        for permission in enabled {
            let ctx = self.narrowed_context(settings, &permission).map_err(|error| error.to_string())?;
            tools.insert(permission.tool_name, ctx);
        }
        let others = self.parts.agents.agents().await.map_err(|error| unreadable(&error))?;
        let others = others.into_iter().filter(|agent| agent.settings.provider == settings.provider);
        let others = others.map(|agent| agent.settings.model).filter(|model| *model != settings.model);
        let models: BTreeSet<String> = others.collect();
        let count = u64::from(self.parts.config.sub_agents.count);
        Ok(Grants {
            agent: settings.agent_name.clone(),
            model: settings.model.clone(),
            models: models.into_iter().collect(),
            workspace: text(settings.workspace.as_deref()),
            tools,
            levels,
            most_sub_agents: count,
            // The first run is not that of a sub-agent.
            most_runs: count.saturating_add(1),
        })
    }

    async fn context(&self, run: Uuid, settings: &RunSettings, name: &str) -> Result<ToolContext, String> {
        let tool = self.parts.registry.get(name).ok_or_else(|| format!("Unknown tool: {name}"))?;
        self.check_credential(settings).await?;
        let enabled = self.enabled(settings).await.map_err(|error| unreadable(&error))?;
        let permission = enabled.into_iter().find(|permission| permission.tool_name == name);
        let permission = permission.ok_or_else(|| format!("Tool not enabled: {name}"))?;
        self.check_workspace(tool, settings)?;
        let root = settings.workspace.as_deref();
        let mut ctx = self.narrowed_context(settings, &permission).map_err(|error| error.to_string())?;
        ctx.run = Some(CurrentRun { id: run, storage: Arc::clone(&self.parts.storage) });
        let environment = CallerEnvironment { root: text(root), ..CallerEnvironment::default() };
        let cwd = environment.root.as_deref();
        ctx.policy = self.parts.gate.rulebook().active_policy(&environment, cwd, None).policy;
        Ok(ctx)
    }

    /// A run does nothing more once the credential that started it has expired or was revoked.
    pub(crate) async fn check_credential(&self, settings: &RunSettings) -> Result<(), String> {
        let gone = || Err("the credential that started this run is no longer valid".to_owned());
        match self.token(settings).await {
            Ok(Some(token)) if !token.is_valid_at(self.parts.gate.clock().now()) => gone(),
            Ok(None) if token_id(settings).is_some() => gone(),
            Ok(_) => Ok(()),
            Err(error) => Err(unreadable(&error)),
        }
    }

    /// The token that a run was started with. None for callers without one, such as peers on the Unix socket.
    async fn token(&self, settings: &RunSettings) -> Result<Option<Token>, LedgerError> {
        match token_id(settings) {
            Some(id) => self.parts.tokens.token(id).await,
            None => Ok(None),
        }
    }

    fn check_workspace(&self, tool: &dyn Tool, settings: &RunSettings) -> Result<(), String> {
        let name = tool.name();
        match &settings.workspace {
            _ if !tool.needs_workspace() => Ok(()),
            None => Err(format!(
                "`{name}` works in a workspace, and this agent has none. Set the agent's workspace to a project that \
                 is registered with the server."
            )),
            Some(root) if !self.parts.config.roots.contains(root) => Err(format!(
                "`{name}` works in a workspace, and `{}` is not a project that is registered with the server",
                root.display()
            )),
            Some(_) => Ok(()),
        }
    }

    async fn has_approver(&self) -> Result<bool, LedgerError> {
        let now = self.parts.gate.clock().now();
        let counts = |token: &Token| token.is_valid_at(now) && token.role >= Role::Approver;
        let tokens = &self.parts.tokens;
        Ok(tokens.open_links(now).await? > 0 || tokens.tokens().await?.iter().any(counts))
    }

    async fn caller_environment(&self, settings: &RunSettings, call: &ToolCall) -> CallerEnvironment {
        let config = &self.parts.config;
        let token = self.token(settings).await.ok().flatten();
        // If the tokens cannot be read, the gate cannot record either.
        let answers = !config.no_approvers && self.has_approver().await.unwrap_or(false);
        CallerEnvironment {
            root: text(settings.workspace.as_deref()),
            home: text(config.home.as_deref()),
            machine: config.machine.clone(),
            nobody_answers: !answers,
            // What cannot be read does not loosen.
            requires_approval: self.requires_approval(settings, call).await.unwrap_or(true),
            chain: gate_chain(settings),
            held_to: token.map(|token| token.roots).unwrap_or_default(),
            ..CallerEnvironment::default()
        }
    }

    /// Whether the current settings of the agent or the tool require an approval.
    async fn requires_approval(&self, settings: &RunSettings, call: &ToolCall) -> Result<bool, LedgerError> {
        let levels = settings.levels();
        if levels.iter().any(|level| level.requires_approval) {
            return Ok(true);
        }
        let agent = self.parts.agents.agent(settings.stored_agent()).await?;
        let enabled = self.enabled(settings).await?;
        let permission = enabled.iter().find(|permission| permission.tool_name == call.name);
        let tool = self.parts.registry.get(&call.name);
        let (Some(agent), Some(permission), Some(tool)) = (agent, permission, tool) else { return Ok(true) };
        let CallInput::Object(input) = &call.input else { return Ok(true) };
        let by_mode = levels.iter().any(|level| level.mode == Some(AgentMode::Approval))
            && may_change_something(tool.category(), input);
        Ok(by_mode || agent.settings.requires_approval(permission, tool.category(), input))
    }
}

impl RunHost for AgentHost {
    fn model(&self, settings: &RunSettings) -> Result<Arc<dyn Model>, ModelError> {
        self.parts.models.get(settings.provider, &settings.model)
    }

    fn may_go_on<'a>(&'a self, settings: &'a RunSettings) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(self.check_credential(settings))
    }

    fn tools<'a>(&'a self, settings: &'a RunSettings) -> BoxFuture<'a, Vec<ToolDefinition>> {
        Box::pin(async move {
            // If they cannot be read, the model gets no tools, and the run goes on.
            let enabled = self.enabled(settings).await.unwrap_or_default();
            let names: Vec<String> = enabled.into_iter().map(|permission| permission.tool_name).collect();
            self.parts.registry.definitions_for(&names)
        })
    }

    fn access<'a>(
        &'a self,
        run: Uuid,
        settings: &'a RunSettings,
        tool: &'a str,
    ) -> BoxFuture<'a, Result<ToolContext, String>> {
        Box::pin(self.context(run, settings, tool))
    }

    fn grants<'a>(&'a self, _run: Uuid, settings: &'a RunSettings) -> BoxFuture<'a, Result<Grants, String>> {
        Box::pin(self.grants_of(settings))
    }

    fn price(&self, settings: &RunSettings) -> Option<ModelPrice> {
        self.parts.models.price(settings.provider, &settings.model)
    }

    fn keep_output<'a>(&'a self, run: Uuid, content: &'a str) -> BoxFuture<'a, bool> {
        let run = CurrentRun { id: run, storage: Arc::clone(&self.parts.storage) };
        Box::pin(async move { OutputCache::keep(&run, content).await.unwrap_or(false) })
    }

    fn end_record(&self, run: &StoredRun) -> Option<CheckedRecord> {
        run_end::record(self.recorder.get()?, run)
    }

    fn environment<'a>(
        &'a self,
        settings: &'a RunSettings,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, CallerEnvironment> {
        Box::pin(self.caller_environment(settings, call))
    }
}

fn token_id(settings: &RunSettings) -> Option<TokenId> {
    settings.credential.strip_prefix("token:")?.parse().ok()
}

fn text(path: Option<&Path>) -> Option<String> {
    path.and_then(Path::to_str).map(str::to_owned)
}

fn unreadable(error: &LedgerError) -> String {
    format!("what this agent may do cannot be read now: {error}")
}
