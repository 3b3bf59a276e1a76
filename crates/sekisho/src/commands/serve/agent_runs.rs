//! The agents of a server: what their runs may use, and the loop that takes up runs, of agents and of pipelines, of processes
//! that are gone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_agent::model::scripted::ScriptedModel;
use sekisho_agent::pipelines::PipelineDriver;
use sekisho_agent::{
    AgentHost, AgentService, HostConfig, HostParts, PipelineService, RunDriver, RunError, SubAgentLimits,
};
use sekisho_gate::Gate;
use sekisho_host::Workspace;
use sekisho_store::Store;
use sekisho_tools::{RequiredLevel, Sandbox, ToolRunner};

use crate::built_in_tools;
use crate::demo;
use crate::failure::Failure;
use crate::settings::{self, SandboxOption, ServerConfig, Settings};

/// How often runs of lost processes, and requests that came to other servers, are looked for.
const TURN: Duration = Duration::from_secs(2);
/// A server that was not seen for this long is gone. Much longer than a turn, so that a busy one keeps its runs.
const LEASE: SignedDuration = SignedDuration::from_secs(15);
/// How many runs are taken up at once.
const BATCH: usize = 100;

/// What the agents of a server are made of.
pub(super) struct AgentParts<'a> {
    pub(super) settings: &'a Settings,
    pub(super) serving: &'a ServerConfig,
    pub(super) projects: &'a [String],
    /// The directory of the demo, if it is on: one more workspace.
    pub(super) demo: Option<&'a Path>,
    pub(super) machine: Option<String>,
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) gate: Gate,
    pub(super) store: Arc<dyn Store>,
}

/// The agents and their runs. Nothing is driven yet.
pub(super) fn service(parts: AgentParts<'_>) -> Result<AgentService, Failure> {
    let AgentParts { settings, serving, projects, demo, machine, sandbox, gate, store } = parts;
    let mut models = settings::models()?.with_prices(settings.model_prices()?);
    if demo.is_some() {
        let script = ScriptedModel::from_value(demo::script());
        models = models.with_script(demo::MODEL, script.map_err(|error| Failure::new(error.to_string()))?);
    }
    let registry = Arc::new(built_in_tools::registry_with(settings)?);
    let (tool_config, level) = settings.tool_configs()?;
    let config = HostConfig {
        sandbox,
        required_level: match level {
            Some(SandboxOption::Degraded) => RequiredLevel::Degraded,
            _ => RequiredLevel::Required,
        },
        home: settings.locations.home.clone(),
        own_addresses: settings.own_addresses()?,
        tool_config,
        roots: projects.iter().map(PathBuf::from).chain(demo.map(Path::to_path_buf)).collect(),
        default_root: default_root(settings, projects),
        machine,
        no_approvers: serving.no_approvers,
        sub_agents: SubAgentLimits { depth: serving.max_sub_agent_depth, count: serving.max_sub_agents },
    };
    let host = AgentHost::new(HostParts {
        agents: Arc::clone(&store) as _,
        tokens: Arc::clone(&store) as _,
        storage: Arc::clone(&store) as _,
        registry: Arc::clone(&registry),
        gate: gate.clone(),
        models,
        config,
    });
    let failed = |error: sekisho_gate::registered_records::ComponentError| Failure::new(error.to_string());
    let tools = ToolRunner::new(gate.clone(), registry).map_err(failed)?;
    let runs = Arc::clone(&store) as Arc<dyn sekisho_agent::Runs>;
    let driver = RunDriver::with_active_limit(
        Arc::clone(&runs),
        Arc::new(host.clone()),
        tools,
        gate.clone(),
        u64::from(serving.max_runs),
    );
    AgentService::new(host, runs, driver, gate).map_err(failed)
}

/// The pipelines of these agents. Nothing is driven yet.
pub(super) fn pipelines(
    agents: &AgentService,
    gate: &Gate,
    store: &Arc<dyn Store>,
) -> Result<PipelineService, Failure> {
    let (pipelines, runs) = (Arc::clone(store) as _, Arc::clone(store) as _);
    PipelineService::new(agents.clone(), pipelines, runs, gate.clone())
        .map_err(|error| Failure::new(error.to_string()))
}

/// The workspace of agents that name none: `SEKISHO_PROJECT_ROOT`, if it is registered.
fn default_root(settings: &Settings, projects: &[String]) -> Option<PathBuf> {
    let named = settings.named_root()?;
    let root = Workspace::find(Some(named), None, named).ok()?.root;
    projects.iter().map(PathBuf::from).find(|project| *project == root)
}

/// Takes up the runs of processes that are gone, at once and then every few seconds. If other servers use the same
/// database, also tells them that this one is alive.
pub(super) async fn take_up_loop(driver: RunDriver, pipelines: PipelineDriver, gate: Gate, is_shared: bool) {
    let mut turns = tokio::time::interval(TURN);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        if let Err(error) = take_up(&driver, &pipelines, &gate, is_shared).await {
            tracing::warn!(%error, "cannot look for runs to take up; trying again");
        }
    }
}

async fn take_up(
    driver: &RunDriver,
    pipelines: &PipelineDriver,
    gate: &Gate,
    is_shared: bool,
) -> Result<(), RunError> {
    let mut seen_before = Timestamp::MAX;
    if is_shared {
        gate.probe_write().await?;
        driver.look_for_requests().await?;
        pipelines.look_for_requests().await?;
        seen_before = Timestamp::now().saturating_sub(LEASE).unwrap_or(Timestamp::MIN);
    }
    loop {
        let taken = driver.take_up(seen_before, BATCH).await?;
        let chains = pipelines.take_up(seen_before, BATCH).await?;
        if taken > 0 || chains > 0 {
            tracing::info!(runs = taken, pipeline_runs = chains, "took up runs of a process that is gone");
        }
        if taken < BATCH && chains < BATCH {
            return Ok(());
        }
    }
}
