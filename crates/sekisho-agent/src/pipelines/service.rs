//! Pipelines and their runs, as the routes of a server use them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::Gate;
use sekisho_gate::answer::Actor;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::registered_records::{CheckedRecord, Component, ComponentError, ComponentRecord, Recorder};
use serde_json::{Value, json};
use uuid::Uuid;

use super::definition::{FieldError, PipelineDefinition, StageDefinition, stage_field};
use super::driver::{PipelineDriver, stage_start};
use super::stored_pipelines::Pipelines;
use super::stored_runs::{PipelineRunSettings, PipelineRuns, StageAgent, StoredPipelineRun};
use crate::agents::Agent;
use crate::driver::{RunError, TooManyActive};
use crate::service::{AgentService, RunStart, RunStartError, WaitUntil};

/// How often a run is read that another process may drive.
const POLL: Duration = Duration::from_millis(500);
/// The longest body of a record, as JSON text. The gate takes a little more.
const LONGEST_BODY: usize = 48 << 10;

/// A request for a run of a pipeline.
#[derive(Clone, Debug)]
pub struct PipelineStart {
    /// The stored pipeline. None for a definition that is not stored.
    pub pipeline: Option<Uuid>,
    /// The definition.
    pub definition: PipelineDefinition,
    /// The input, if the prompts have a place for it.
    pub input: Option<String>,
    /// Who starts it. The calls of all stages are made with this credential.
    pub credential: String,
    /// The workspace roots that the credential is bound to. Empty for any.
    pub roots: Vec<String>,
    /// Who starts it, for the audit log.
    pub by: Actor,
}

/// Why a run of a pipeline did not start.
#[derive(Clone, Debug, PartialEq)]
pub enum PipelineStartError {
    /// A field of the definition or of the request is wrong.
    Invalid(FieldError),
    /// A stage wants more than its agent, or whoever starts the run, may do.
    NotPermitted(FieldError),
    /// The agent of a stage cannot run.
    Unusable(FieldError),
    /// The credential has as many active runs as it may have.
    TooManyActive(TooManyActive),
    /// It could not be recorded.
    Record(ComponentError),
    /// It could not be stored.
    Store(LedgerError),
}

impl fmt::Display for PipelineStartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PipelineStartError::Invalid(error)
            | PipelineStartError::NotPermitted(error)
            | PipelineStartError::Unusable(error) => write!(f, "{error}"),
            PipelineStartError::TooManyActive(excess) => write!(f, "the credential has {excess}"),
            PipelineStartError::Record(error) => write!(f, "{error}"),
            PipelineStartError::Store(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for PipelineStartError {}

impl From<LedgerError> for PipelineStartError {
    fn from(error: LedgerError) -> PipelineStartError {
        PipelineStartError::Store(error)
    }
}

impl From<RunError> for PipelineStartError {
    fn from(error: RunError) -> PipelineStartError {
        match error {
            RunError::TooManyActive(excess) => PipelineStartError::TooManyActive(excess),
            RunError::Store(error) => PipelineStartError::Store(error),
            RunError::NotFound(id) => {
                PipelineStartError::Store(LedgerError::permanent(format!("there is no pipeline run `{id}`")))
            }
        }
    }
}

/// Pipelines and their runs. Cheap to clone.
#[derive(Clone)]
pub struct PipelineService {
    agents: AgentService,
    pipelines: Arc<dyn Pipelines>,
    driver: PipelineDriver,
    recorder: Recorder,
}

impl PipelineService {
    /// A service over the agents of the same process. Registers the record kinds of pipelines, which a gate takes once.
    pub fn new(
        agents: AgentService,
        pipelines: Arc<dyn Pipelines>,
        runs: Arc<dyn PipelineRuns>,
        gate: Gate,
    ) -> Result<PipelineService, ComponentError> {
        let recorder = register(&gate)?;
        let driver = PipelineDriver::new(runs, agents.clone(), gate);
        Ok(PipelineService { agents, pipelines, driver, recorder })
    }

    /// The stored pipelines.
    pub fn pipelines(&self) -> &dyn Pipelines {
        &*self.pipelines
    }

    /// The stored runs.
    pub fn runs(&self) -> &dyn PipelineRuns {
        self.driver.runs()
    }

    /// The driver.
    pub fn driver(&self) -> &PipelineDriver {
        &self.driver
    }

    /// The audit record of a change. It is stored together with the change.
    pub fn change_record(
        &self,
        kind: &str,
        text: String,
        body: Value,
        by: Actor,
    ) -> Result<CheckedRecord, ComponentError> {
        self.recorder.check(kind, record(text, body, by))
    }

    /// Writes an audit record.
    pub async fn record(
        &self,
        kind: &str,
        text: String,
        body: Value,
        by: Actor,
    ) -> Result<(), ComponentError> {
        self.recorder.record(kind, record(text, body, by)).await
    }

    /// Checks a definition before it is stored: its fields, and that its agents and tools exist.
    pub async fn check(&self, definition: &PipelineDefinition) -> Result<(), PipelineStartError> {
        definition.check().map_err(PipelineStartError::Invalid)?;
        for (at, stage) in definition.stages.iter().enumerate() {
            self.agent_of(at, stage).await?;
            let names = stage.enabled_tools.iter().flatten().map(|tool| ("enabledTools", tool));
            let names = names.chain(stage.tool_config.keys().map(|tool| ("toolConfig", tool)));
            for (field, tool) in names {
                if self.agents.host().registry().get(tool).is_none() {
                    return Err(invalid(stage_field(at, field), format!("Unknown tool: {tool}")));
                }
            }
        }
        Ok(())
    }

    /// Starts a run of a pipeline. Everything that can be known now is checked for all stages. Returns its id.
    pub async fn start(&self, start: PipelineStart) -> Result<Uuid, PipelineStartError> {
        let definition = &start.definition;
        self.check(definition).await?;
        let input = match (definition.takes_input(), start.input.filter(|input| !input.trim().is_empty())) {
            (true, None) => {
                return Err(invalid(
                    "input".into(),
                    "this pipeline needs an input: a prompt has `{{input}}`",
                ));
            }
            (false, Some(_)) => {
                let why = "this pipeline takes no input: no prompt has `{{input}}`";
                return Err(invalid("input".into(), why));
            }
            (_, input) => input.unwrap_or_default(),
        };
        if let Some(error) = definition.overlong_stage(&input) {
            return Err(PipelineStartError::Invalid(error));
        }
        let mut agents = Vec::with_capacity(definition.stages.len());
        for (at, stage) in definition.stages.iter().enumerate() {
            let agent = self.agent_of(at, stage).await?;
            let sample = stage.prompt.clone();
            let run = stage_start(stage, agent.id, Uuid::nil(), sample, &start.credential, &start.roots);
            self.check_stage(at, run).await?;
            agents.push(StageAgent { id: agent.id, name: agent.settings.name });
        }
        let id = Uuid::now_v7();
        let name = &start.definition.name;
        let body = json!({ "pipeline": start.pipeline, "pipelineRun": id, "name": name });
        let text = format!("run `{id}` of pipeline `{name}` started");
        let record = self.change_record("run_started", text, body, start.by.clone());
        let record = record.map_err(PipelineStartError::Record)?;
        let settings = PipelineRunSettings {
            pipeline: start.pipeline,
            definition: start.definition,
            agents,
            input,
            credential: start.credential,
            roots: start.roots,
            started_by: start.by,
        };
        self.driver.start(id, settings, record).await?;
        Ok(id)
    }

    /// Checks the request for the run of a stage, and names the field that asks for too much.
    async fn check_stage(&self, at: usize, mut run: RunStart) -> Result<(), PipelineStartError> {
        let Err(error) = self.agents.check_start(run.clone()).await else { return Ok(()) };
        let RunStartError::NotPermitted(why) = error else { return Err(stage_error(at, error)) };
        let mut field = "toolConfig";
        run.tool_config.clear();
        if self.agents.check_start(run.clone()).await.is_err() {
            field = "enabledTools";
            run.enabled_tools = None;
            if self.agents.check_start(run).await.is_err() {
                field = "agent";
            }
        }
        Err(PipelineStartError::NotPermitted(FieldError { field: stage_field(at, field), why }))
    }

    /// The agent that a stage names by its id or its name.
    async fn agent_of(&self, at: usize, stage: &StageDefinition) -> Result<Agent, PipelineStartError> {
        let stored = self.agents.agents();
        let by_id = match stage.agent.parse::<Uuid>() {
            Ok(id) => stored.agent(id).await?,
            Err(_) => None,
        };
        let found = match by_id {
            Some(agent) => Some(agent),
            None => stored.agent_named(stage.agent.clone()).await?,
        };
        found.ok_or_else(|| invalid(stage_field(at, "agent"), format!("there is no agent `{}`", stage.agent)))
    }

    /// Waits for a run of a pipeline, and returns it as it is then. None if there is no such run. Dropping the future changes
    /// nothing.
    pub async fn wait(&self, id: Uuid, until: WaitUntil) -> Result<Option<StoredPipelineRun>, LedgerError> {
        // Watch before reading, so that a step in between is not missed.
        let mut watcher = self.driver.watch(id);
        loop {
            let Some(run) = self.runs().pipeline_run(id).await? else { return Ok(None) };
            let Some(stage_run) = run.state.current_run() else { return Ok(Some(run)) };
            let stage_settles = async {
                match until {
                    WaitUntil::Ended => std::future::pending().await,
                    WaitUntil::Settled => self.agents.wait(stage_run, WaitUntil::Settled).await,
                }
            };
            tokio::select! {
                settled = stage_settles => {
                    // A stage whose run has ended is followed by the next one, or by the end of the pipeline.
                    match settled? {
                        Some(settled) if !settled.state.has_ended() => return self.runs().pipeline_run(id).await,
                        _ => self.next_step(&mut watcher).await,
                    }
                }
                () = self.next_step(&mut watcher) => {}
            }
        }
    }

    /// Waits for a step that this process stores, at most a little while.
    async fn next_step(&self, watcher: &mut super::driver::PipelineWatcher) {
        tokio::select! {
            // A slow watcher reads the run again.
            _ = watcher.recv() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }

    /// Waits until a run has stored a step after this version. None if there is no such run.
    pub async fn wait_for_step(
        &self,
        id: Uuid,
        version: u64,
    ) -> Result<Option<StoredPipelineRun>, LedgerError> {
        let mut watcher = self.driver.watch(id);
        loop {
            let Some(run) = self.runs().pipeline_run(id).await? else { return Ok(None) };
            if run.version > version {
                return Ok(Some(run));
            }
            self.next_step(&mut watcher).await;
        }
    }
}

fn invalid(field: String, why: impl Into<String>) -> PipelineStartError {
    PipelineStartError::Invalid(FieldError { field, why: why.into() })
}

/// What is wrong with a stage, in the names of the definition.
fn stage_error(at: usize, error: RunStartError) -> PipelineStartError {
    let why = error.to_string();
    let named = |field: &str| FieldError { field: stage_field(at, field), why: why.clone() };
    match error {
        RunStartError::NoAgent(_) => PipelineStartError::Invalid(named("agent")),
        RunStartError::Invalid { field, why } => {
            let field = match field.as_str() {
                "enabled_tools" => "enabledTools",
                "tool_config" => "toolConfig",
                _ => "prompt",
            };
            PipelineStartError::Invalid(FieldError { field: stage_field(at, field), why })
        }
        RunStartError::NotPermitted(_) => PipelineStartError::NotPermitted(named("agent")),
        RunStartError::Model(_) | RunStartError::Settings(_) => PipelineStartError::Unusable(named("agent")),
        RunStartError::TooManyActive(excess) => PipelineStartError::TooManyActive(excess),
        RunStartError::Store(error) => PipelineStartError::Store(error),
    }
}

/// A record about a pipeline. If the body is too long, its definition is left out.
fn record(text: String, mut body: Value, by: Actor) -> ComponentRecord {
    if body.to_string().len() > LONGEST_BODY
        && let Some(body) = body.as_object_mut()
    {
        body.remove("definition");
    }
    ComponentRecord { text, body, by: Some(by), ..ComponentRecord::default() }
}

/// Registers the kinds `pipeline.created` and so on. A gate takes them once.
fn register(gate: &Gate) -> Result<Recorder, ComponentError> {
    let about = |required: &str, more: &[&str]| {
        let names = std::iter::once(&required).chain(more);
        let fields: serde_json::Map<String, Value> =
            names.map(|name| ((*name).to_owned(), json!({}))).collect();
        json!({ "type": "object", "properties": fields, "required": [required], "additionalProperties": false })
    };
    let component = Component::new("pipeline")
        .kind("created", about("pipeline", &["definition"]))
        .kind("updated", about("pipeline", &["definition"]))
        .kind("deleted", about("pipeline", &[]))
        .kind("run_started", about("pipelineRun", &["pipeline", "name"]))
        .kind("run_aborted", about("pipelineRun", &[]))
        .kind("stage_retried", about("pipelineRun", &["stage"]));
    gate.register(component)
}
