//! The run of a stage: starts it once, waits for its end, and ends it.

use sekisho_gate::ledger::LedgerError;
use serde_json::json;
use uuid::Uuid;

use super::shared_parts::SharedParts;
use super::task::Stopped;
use crate::driver::NewRun;
use crate::machine::Phase;
use crate::model::Usage;
use crate::pipelines::definition::StageDefinition;
use crate::pipelines::machine::{FailureCode, PipelineEvent, StageFailure};
use crate::pipelines::prompt::{MAX_TEXT, Prompt};
use crate::pipelines::stored_runs::{NewStageRun, StageAgent, StageStart, StoredPipelineRun};
use crate::run_settings::StageMark;
use crate::run_summary;
use crate::runs::{RunRequest, StoredRun};
use crate::service::{RunStart, RunStartError, WaitUntil};

/// Why the run of a stage did not start now.
enum StartError {
    /// The stage fails.
    Failed(StageFailure),
    /// This replica does nothing more for the run of the pipeline, or tries again.
    Stopped(Stopped),
}

impl From<LedgerError> for StartError {
    fn from(error: LedgerError) -> StartError {
        StartError::Stopped(error.into())
    }
}

impl From<StageFailure> for StartError {
    fn from(failure: StageFailure) -> StartError {
        StartError::Failed(failure)
    }
}

impl SharedParts {
    /// Begins the run of a stage, unless it has begun, and waits until it has ended.
    pub(super) async fn run_stage(
        &self,
        run: &StoredPipelineRun,
        stage: usize,
        id: Uuid,
    ) -> Result<PipelineEvent, Stopped> {
        match self.agents.runs().run(id).await? {
            Some(found) if is_of_stage(&found, run, stage) => {}
            Some(_) => return Ok(not_started(id, run_id_taken())),
            None => match self.start(run, stage, id).await {
                Ok(()) => {}
                Err(StartError::Failed(failure)) => return Ok(not_started(id, failure)),
                Err(StartError::Stopped(stopped)) => return Err(stopped),
            },
        }
        // If another replica owns the run, this changes nothing.
        self.agents.driver().drive(id);
        let is_last = stage.saturating_add(1) == run.state.stages.len();
        self.ended(id, is_last).await
    }

    /// Ends the run of a stage, if it has begun, and waits until it has ended.
    pub(super) async fn end_stage(&self, id: Uuid) -> Result<PipelineEvent, Stopped> {
        let Some(run) = self.agents.runs().run(id).await? else {
            let why = "the pipeline ended before the run of the stage was started";
            return Ok(not_started(id, StageFailure::new(FailureCode::Aborted, why)));
        };
        if !run.state.is_over() {
            let abort = RunRequest::Abort { why: "the pipeline was ended".into() };
            self.agents.driver().request(id, abort).await.map_err(|_| Stopped::StoreFailed)?;
        }
        self.ended(id, true).await
    }

    /// Stores the run of a stage, unless it is stored.
    async fn start(&self, run: &StoredPipelineRun, stage: usize, id: Uuid) -> Result<(), StartError> {
        let missing = || StageFailure::new(FailureCode::NotStarted, "the definition has no such stage");
        let definition = run.settings.definition.stages.get(stage).ok_or_else(missing)?;
        let agent = run.settings.agents.get(stage).ok_or_else(missing)?;
        let new = self.checked(run, (stage, definition), agent, id).await?;
        let text = format!(
            "run `{id}` started: stage {} of the pipeline run `{}`, attempt {}",
            stage.saturating_add(1),
            run.id,
            stage_mark(run, stage).attempt
        );
        let body = json!({ "agent": agent.id, "run": id });
        let by = run.settings.started_by.clone();
        let record = self.agents.change_record("run_started", &new.settings.agent_name, text, body, by);
        let record = record.map_err(|error| StageFailure::new(FailureCode::NotStarted, error.to_string()))?;
        let (stored, step) = self.agents.driver().first_step(new);
        let new = NewStageRun {
            pipeline_run: run.id,
            owner: self.owner,
            version: run.version,
            run: stored,
            step,
            record,
        };
        match self.runs.start_stage(new).await? {
            StageStart::Started | StageStart::Exists => Ok(()),
            StageStart::Taken => Err(run_id_taken().into()),
            StageStart::Lost => Err(StartError::Stopped(Stopped::Lost)),
        }
    }

    /// What the run of a stage is started with: what the agent has now, narrowed by the stage.
    async fn checked(
        &self,
        run: &StoredPipelineRun,
        (stage, definition): (usize, &StageDefinition),
        agent: &StageAgent,
        id: Uuid,
    ) -> Result<NewRun, StartError> {
        let not_started = |why: String| StageFailure::new(FailureCode::NotStarted, why);
        let prompt = Prompt::parse(&definition.prompt).map_err(not_started)?;
        let input = prompt.fill(&run.settings.input, run.state.previous_output(stage)).ok_or_else(|| {
            let why = format!("the prompt with everything put in has more than {MAX_TEXT} characters");
            StageFailure::new(FailureCode::TooLong, why)
        })?;
        let settings = &run.settings;
        let start = stage_start(definition, agent.id, id, input, &settings.credential, &settings.roots);
        let mut new = match self.agents.check_start(start).await {
            Ok(new) => new,
            Err(RunStartError::Store(error)) => return Err(error.into()),
            Err(error) => return Err(not_started(error.to_string()).into()),
        };
        self.agents.host().check_credential(&new.settings).await.map_err(not_started)?;
        new.settings.stage = Some(stage_mark(run, stage));
        let limits = &mut new.limits;
        let tokens = [limits.max_tokens, definition.token_budget, run.state.tokens_left()];
        limits.max_tokens = tokens.into_iter().flatten().min();
        limits.max_seconds = [limits.max_seconds, definition.time_budget_seconds].into_iter().flatten().min();
        Ok(new)
    }

    /// Waits until a run has ended, and says what came of it.
    async fn ended(&self, id: Uuid, is_last: bool) -> Result<PipelineEvent, Stopped> {
        let Some(run) = self.agents.wait(id, WaitUntil::Ended).await? else {
            let why = "the run of the stage does not exist any more";
            return Ok(not_started(id, StageFailure::new(FailureCode::RunMissing, why)));
        };
        // The run of the stage may have been deleted, and its id used again.
        if run.settings.stage.is_none() {
            return Ok(not_started(id, run_id_taken()));
        }
        let output = run_summary::output(self.agents.runs(), id).await?;
        let result = result_of(&run, output, is_last);
        // What its sub-agents used counts for the pipeline too.
        let usage = self.agents.tree_below(run).await?.usage();
        Ok(PipelineEvent::StageEnded { run: id, result, usage })
    }
}

/// The last attempt of a stage.
fn stage_mark(run: &StoredPipelineRun, stage: usize) -> StageMark {
    let attempt = run.state.stages.get(stage).map_or(0, |progress| progress.attempts.len());
    StageMark { pipeline_run: run.id, stage, attempt }
}

/// Whether a stored run is that of the last attempt of a stage. Ids of runs are no secret, and clients may choose those of
/// their own runs.
fn is_of_stage(found: &StoredRun, run: &StoredPipelineRun, stage: usize) -> bool {
    let agent = run.settings.agents.get(stage).map(|agent| agent.id);
    let settings = &found.settings;
    settings.stage == Some(stage_mark(run, stage))
        && Some(settings.agent) == agent
        && settings.credential == run.settings.credential
}

fn run_id_taken() -> StageFailure {
    let why = "a run that this pipeline did not start has the id of the stage's run; try the stage again";
    StageFailure::new(FailureCode::RunIdTaken, why)
}

/// The request for the run of a stage.
pub(in crate::pipelines) fn stage_start(
    stage: &StageDefinition,
    agent: Uuid,
    id: Uuid,
    input: String,
    credential: &str,
    roots: &[String],
) -> RunStart {
    RunStart {
        id,
        agent,
        history: Vec::new(),
        input,
        max_iterations: stage.max_iterations,
        requires_approval: false,
        mode: None,
        approvals_expire: false,
        enabled_tools: stage.enabled_tools.clone(),
        tool_config: stage.tool_config.clone(),
        credential: credential.to_owned(),
        roots: roots.to_vec(),
    }
}

fn not_started(run: Uuid, failure: StageFailure) -> PipelineEvent {
    PipelineEvent::StageEnded { run, result: Err(failure), usage: Usage::default() }
}

/// The output of an ended run. Only a whole one goes to the next stage.
fn result_of(run: &StoredRun, output: String, is_last: bool) -> Result<String, StageFailure> {
    if let Phase::Ended { reason, .. } = &run.state.phase
        && let Some(code) = FailureCode::of(reason)
    {
        return Err(StageFailure { code, detail: run_summary::finish_detail(&run.state) });
    }
    if output.trim().is_empty() && !is_last {
        let why = "the stage said nothing, and the next one needs its output";
        return Err(StageFailure::new(FailureCode::NoOutput, why));
    }
    if output.chars().count() > MAX_TEXT {
        let why = format!("the output has more than {MAX_TEXT} characters");
        return Err(StageFailure::new(FailureCode::TooLong, why));
    }
    Ok(output)
}
