//! What a server provides for the runs of its agents: models, the tools that are enabled, and their limits.

mod models;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sekisho_gate::answer::Role;
use sekisho_gate::caller::CallerEnvironment;
use sekisho_gate::ledger::{BoxFuture, LedgerError};
use sekisho_gate::token_store::{Token, TokenStore};
use sekisho_gate::{Gate, TokenId};
use sekisho_tools::output_cache::OutputCache;
use sekisho_tools::sandbox::DirectoryId;
use sekisho_tools::{
    CurrentRun, RequiredLevel, RunStorage, Sandbox, Tool, ToolConfig, ToolConfigError, ToolContext,
    ToolDefinition, ToolRegistry,
};
use uuid::Uuid;

use crate::agents::{Agents, ToolPermission};
use crate::conversation::{CallInput, ToolCall};
use crate::driver::RunHost;
use crate::model::{Model, ModelError};
use crate::run_settings::RunSettings;

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
}

impl AgentHost {
    /// A host.
    pub fn new(parts: HostParts) -> AgentHost {
        let id = |root: &PathBuf| ToolContext::new(root, Arc::clone(&parts.config.sandbox)).root_id;
        let root_ids = parts.config.roots.iter().map(|root| (root.clone(), id(root))).collect();
        AgentHost { parts: Arc::new(parts), root_ids: Arc::new(root_ids) }
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

    /// The permissions that count for a run: those of the agent that the request did not leave out.
    async fn enabled(&self, settings: &RunSettings) -> Result<Vec<ToolPermission>, LedgerError> {
        let mut all = self.parts.agents.tool_permissions(settings.agent).await?;
        let is_wanted =
            |tool: &String| settings.enabled_tools.as_ref().is_none_or(|wanted| wanted.contains(tool));
        all.retain(|permission| permission.is_enabled && is_wanted(&permission.tool_name));
        Ok(all)
    }

    async fn context(&self, run: Uuid, settings: &RunSettings, name: &str) -> Result<ToolContext, String> {
        let tool = self.parts.registry.get(name).ok_or_else(|| format!("Unknown tool: {name}"))?;
        self.check_credential(settings).await?;
        let enabled = self.enabled(settings).await.map_err(|error| unreadable(&error))?;
        let permission = enabled.into_iter().find(|permission| permission.tool_name == name);
        let permission = permission.ok_or_else(|| format!("Tool not enabled: {name}"))?;
        self.check_workspace(tool, settings)?;
        let root = settings.workspace.as_deref();
        let mut ctx = self.stored_context(root, &permission).map_err(|error| error.to_string())?;
        if let Some(request) = settings.tool_config.get(name) {
            request.narrow(name, &mut ctx);
        }
        ctx.run = Some(CurrentRun { id: run, storage: Arc::clone(&self.parts.storage) });
        let environment = CallerEnvironment { root: text(root), ..CallerEnvironment::default() };
        let cwd = environment.root.as_deref();
        ctx.policy = self.parts.gate.rulebook().active_policy(&environment, cwd, None).policy;
        Ok(ctx)
    }

    /// A run does nothing more once the credential that started it has expired or was revoked.
    async fn check_credential(&self, settings: &RunSettings) -> Result<(), String> {
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
            held_to: token.map(|token| token.roots).unwrap_or_default(),
            ..CallerEnvironment::default()
        }
    }

    /// Whether the current settings of the agent or the tool require an approval.
    async fn requires_approval(&self, settings: &RunSettings, call: &ToolCall) -> Result<bool, LedgerError> {
        if settings.requires_approval {
            return Ok(true);
        }
        let agent = self.parts.agents.agent(settings.agent).await?;
        let enabled = self.enabled(settings).await?;
        let permission = enabled.iter().find(|permission| permission.tool_name == call.name);
        let tool = self.parts.registry.get(&call.name);
        let (Some(agent), Some(permission), Some(tool)) = (agent, permission, tool) else { return Ok(true) };
        let CallInput::Object(input) = &call.input else { return Ok(true) };
        Ok(agent.settings.requires_approval(permission, tool.category(), input))
    }
}

impl RunHost for AgentHost {
    fn model(&self, settings: &RunSettings) -> Result<Arc<dyn Model>, ModelError> {
        self.parts.models.get(settings.provider, &settings.model)
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

    fn keep_output<'a>(&'a self, run: Uuid, content: &'a str) -> BoxFuture<'a, bool> {
        let run = CurrentRun { id: run, storage: Arc::clone(&self.parts.storage) };
        Box::pin(async move { OutputCache::keep(&run, content).await.unwrap_or(false) })
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
