//! Pipelines and their runs.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_agent::pipelines::definition::{PipelineDefinition, StageDefinition, stage_field};
use sekisho_agent::pipelines::machine::{PipelineEnd, PipelinePhase, StageAttempt, StageFailure};
use sekisho_agent::pipelines::stored_pipelines::Pipeline;
use sekisho_agent::pipelines::stored_runs::StoredPipelineRun;
use sekisho_agent::run_summary::PendingCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::agent::tool_settings;
use super::run::{PendingCallView, RunStatusName};
use super::usage::UsageView;
use crate::error::ApiError;

/// A pipeline: stages of agents, each fed with the output of the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PipelineBody {
    /// Its name. No two stored pipelines have the same.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// The stages, in order.
    #[schemars(length(min = 1, max = 20))]
    pub stages: Vec<PipelineStageBody>,
    /// The most tokens of all stages together, input and output; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// The most seconds from the start to the end, waiting for approvals included; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_seconds: Option<u64>,
}

/// A stage of a pipeline: an agent, what it is to do, and what it may use of what it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PipelineStageBody {
    /// Its name, for people; by default that of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// The agent, by its name or its id.
    pub agent: String,
    /// What the agent is to do. `{{input}}` is the input of the pipeline, and `{{previous}}` the output of the stage before,
    /// which every stage but the first needs. `\{{` is `{{` as text.
    #[schemars(length(min = 1, max = 100_000))]
    pub prompt: String,
    /// The tools that the stage may use, of those that the agent has. `[]` for none; absent for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled_tools: Option<Vec<String>>,
    /// Settings of tools, by their names. They may only narrow those of the agent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_config: BTreeMap<String, Value>,
    /// How many replies the model may give, if that is fewer than the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_iterations: Option<u32>,
    /// The most tokens of the stage, if that is fewer than the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// The most seconds of the stage, if that is fewer than the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_budget_seconds: Option<u64>,
}

impl PipelineBody {
    /// The definition. Its fields are checked where it is used.
    pub(crate) fn definition(self) -> Result<PipelineDefinition, ApiError> {
        let stages = self.stages.into_iter().enumerate().map(|(at, stage)| stage.definition(at));
        Ok(PipelineDefinition {
            name: self.name,
            description: self.description,
            stages: stages.collect::<Result<_, _>>()?,
            token_budget: self.token_budget,
            time_budget_seconds: self.time_budget_seconds,
        })
    }
}

impl PipelineStageBody {
    fn definition(self, at: usize) -> Result<StageDefinition, ApiError> {
        let mut tool_config = BTreeMap::new();
        for (tool, config) in self.tool_config {
            let settings = tool_settings(&tool, config).map_err(|error| {
                let field = stage_field(at, "toolConfig");
                ApiError { message: format!("`{field}`: {}", error.message), ..error }.with_field(field)
            })?;
            tool_config.insert(tool, settings);
        }
        Ok(StageDefinition {
            name: self.name,
            agent: self.agent,
            prompt: self.prompt,
            enabled_tools: self.enabled_tools,
            tool_config,
            max_iterations: self.max_iterations,
            token_budget: self.token_budget,
            time_budget_seconds: self.time_budget_seconds,
        })
    }
}

impl From<PipelineDefinition> for PipelineBody {
    fn from(definition: PipelineDefinition) -> PipelineBody {
        PipelineBody {
            name: definition.name,
            description: definition.description,
            stages: definition.stages.into_iter().map(PipelineStageBody::from).collect(),
            token_budget: definition.token_budget,
            time_budget_seconds: definition.time_budget_seconds,
        }
    }
}

impl From<StageDefinition> for PipelineStageBody {
    fn from(stage: StageDefinition) -> PipelineStageBody {
        // Settings always have a JSON form.
        let config = |(tool, config)| Some((tool, serde_json::to_value(config).ok()?));
        PipelineStageBody {
            name: stage.name,
            agent: stage.agent,
            prompt: stage.prompt,
            enabled_tools: stage.enabled_tools,
            tool_config: stage.tool_config.into_iter().filter_map(config).collect(),
            max_iterations: stage.max_iterations,
            token_budget: stage.token_budget,
            time_budget_seconds: stage.time_budget_seconds,
        }
    }
}

/// A stored pipeline.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PipelineView {
    /// Its id.
    pub id: Uuid,
    /// Its definition.
    pub definition: PipelineBody,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its definition was last changed.
    pub updated_at: Timestamp,
}

impl From<Pipeline> for PipelineView {
    fn from(pipeline: Pipeline) -> PipelineView {
        PipelineView {
            id: pipeline.id,
            definition: pipeline.definition.into(),
            created_at: pipeline.created_at,
            updated_at: pipeline.updated_at,
        }
    }
}

/// All pipelines.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PipelineList {
    /// The pipelines, in order of creation.
    pub pipelines: Vec<PipelineView>,
}

/// Starts a run of a stored pipeline.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunPipelineBody {
    /// The input, if a prompt has `{{input}}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

/// Starts a run of a pipeline that is not stored.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartPipelineRunBody {
    /// The pipeline.
    pub definition: PipelineBody,
    /// The input, if a prompt has `{{input}}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

/// A run of a pipeline.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PipelineRunView {
    /// Its id.
    pub id: Uuid,
    /// The stored pipeline; absent for one that is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline_id: Option<Uuid>,
    /// The name that the pipeline had at the start.
    pub name: String,
    /// The credential that started it.
    pub started_by: String,
    /// What it does.
    pub status: RunStatusName,
    /// The stage that failed, from 0 on. It can be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_stage: Option<usize>,
    /// Why it failed, as a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// More about the end, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The input. Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The output of the last stage, once it is done. Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The stages, in order.
    pub stages: Vec<PipelineStageView>,
    /// The tokens of all stages so far, without the one under way.
    pub usage: UsageView,
    /// When it was started.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A stage of a run of a pipeline.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PipelineStageView {
    /// Its name.
    pub name: String,
    /// The agent.
    pub agent_id: Uuid,
    /// The name that the agent had at the start.
    pub agent_name: String,
    /// What it does; absent until it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RunStatusName>,
    /// Its attempts, in order.
    pub attempts: Vec<StageAttemptView>,
    /// The calls that wait for an approval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<PendingCallView>,
    /// Its output, once it is done. Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// An attempt of a stage.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageAttemptView {
    /// The run of the stage's agent, as in `/api/runs`.
    pub run_id: Uuid,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Why it failed, as a code: a reason for which a run ends, or `not_started`, `run_missing`, `run_id_taken`, `no_output` or `too_long`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// More about the failure, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its tokens, once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageView>,
}

/// A page of runs of pipelines.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PipelineRunList {
    /// The runs, newest first.
    pub runs: Vec<PipelineRunView>,
    /// What to send as `before` for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Uuid>,
}

/// How much of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Without texts, for lists.
    Short,
    /// Everything.
    Whole,
}

impl PipelineRunView {
    /// A run of a pipeline. `pending` are the open questions of the stage that is under way.
    pub(crate) fn of(run: &StoredPipelineRun, pending: Vec<PendingCall>, detail: Detail) -> PipelineRunView {
        let (state, settings) = (&run.state, &run.settings);
        let whole = |text: Option<&str>| text.filter(|_| detail == Detail::Whole).map(str::to_owned);
        let (status, failed_stage, failure, error) = match (state.end(), pending.is_empty()) {
            (None, true) => (RunStatusName::Running, None, None, None),
            (None, false) => (RunStatusName::Suspended, None, None, None),
            (Some(PipelineEnd::Completed), _) => (RunStatusName::Completed, None, None, None),
            (Some(PipelineEnd::Failed { stage, failure: StageFailure { code, detail } }), _) => {
                (RunStatusName::Failed, Some(*stage), Some(code.name().to_owned()), detail.clone())
            }
            (Some(PipelineEnd::Aborted { why }), _) => {
                (RunStatusName::Aborted, None, None, Some(why.clone()))
            }
        };
        let current = match state.phase {
            PipelinePhase::Stage { stage } | PipelinePhase::Ending { stage, .. } => Some(stage),
            PipelinePhase::Ended { .. } => None,
        };
        let mut pending = Some(pending);
        let stages = settings.definition.stages.iter().zip(&settings.agents).zip(&state.stages).enumerate();
        let stages = stages.map(|(at, ((definition, agent), progress))| {
            let is_current = current == Some(at);
            let pending = if is_current { pending.take().unwrap_or_default() } else { Vec::new() };
            let status = match progress.attempts.last() {
                None => None,
                Some(StageAttempt { end: Some(end), .. }) => Some(match &end.failure {
                    None => RunStatusName::Completed,
                    Some(_) => RunStatusName::Failed,
                }),
                Some(_) if !pending.is_empty() => Some(RunStatusName::Suspended),
                Some(_) => Some(RunStatusName::Running),
            };
            PipelineStageView {
                name: definition.title().to_owned(),
                agent_id: agent.id,
                agent_name: agent.name.clone(),
                status,
                attempts: progress.attempts.iter().map(StageAttemptView::of).collect(),
                pending: pending.into_iter().map(PendingCallView::from).collect(),
                output: whole(progress.output.as_deref()),
            }
        });
        PipelineRunView {
            id: run.id,
            pipeline_id: settings.pipeline,
            name: settings.definition.name.clone(),
            started_by: settings.credential.clone(),
            status,
            failed_stage,
            failure,
            error,
            input: whole(Some(&settings.input)),
            output: whole(state.output()),
            stages: stages.collect(),
            usage: UsageView::of(state.usage, None),
            created_at: run.created_at,
            updated_at: run.updated_at,
        }
    }
}

impl StageAttemptView {
    fn of(attempt: &StageAttempt) -> StageAttemptView {
        let end = attempt.end.as_ref();
        let failure = end.and_then(|end| end.failure.as_ref());
        StageAttemptView {
            run_id: attempt.run,
            started_at: attempt.started_at,
            ended_at: end.map(|end| end.at),
            failure: failure.map(|failure| failure.code.name().to_owned()),
            error: failure.and_then(|failure| failure.detail.clone()),
            usage: end.map(|end| UsageView::of(end.usage, None)),
        }
    }
}
