//! A run of a pipeline as a pure machine: events in, chunks to store out.
//!
//! As with runs of agents, the state alone says what has to be done ([`PipelineState::effect`]), and each step is stored
//! before its effect begins. The run of a stage has an id that is fixed with the step that begins the stage, so beginning
//! it again, after a crash or by another server, finds the same run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::stage_run_id::stage_run_id;
use crate::machine::FinishReason;
use crate::model::Usage;

/// How often a stage can be tried.
pub const MAX_ATTEMPTS: usize = 100;

/// The state of a run of a pipeline. Stored as JSON with every step, so its serde form must stay readable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PipelineState {
    /// The run of the pipeline.
    pub id: Uuid,
    /// What it does now.
    pub phase: PipelinePhase,
    /// One for each stage of the definition.
    pub stages: Vec<StageProgress>,
    /// The tokens of all stages and attempts.
    pub usage: Usage,
    /// The most tokens of all stages together. None for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most seconds from the start to the end. None for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
    /// Its texts were purged, so no stage can be tried again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_purged: bool,
}

/// What stands for a text that was purged.
pub const PURGED: &str = "purged";

/// What a run of a pipeline does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum PipelinePhase {
    /// The last attempt of a stage is under way.
    Stage {
        /// The stage.
        stage: usize,
    },
    /// The pipeline ends, and the run of its stage has to end first.
    Ending {
        /// The stage.
        stage: usize,
        /// Why.
        end: PipelineEnd,
    },
    /// It has ended.
    Ended {
        /// Why.
        end: PipelineEnd,
    },
}

/// Why a run of a pipeline ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum PipelineEnd {
    /// All stages are done.
    Completed,
    /// A stage failed. It can be tried again.
    Failed {
        /// The stage.
        stage: usize,
        /// Why.
        failure: StageFailure,
    },
    /// Somebody ended it.
    Aborted {
        /// Who, and why.
        why: String,
    },
}

/// How far a stage is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageProgress {
    /// Its attempts, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<StageAttempt>,
    /// Its output, once it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// An attempt of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageAttempt {
    /// The run of the stage's agent.
    pub run: Uuid,
    /// When it began.
    pub started_at: Timestamp,
    /// How it ended. None while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<AttemptEnd>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptEnd {
    /// When.
    pub at: Timestamp,
    /// Its tokens.
    pub usage: Usage,
    /// Why it failed. None if it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<StageFailure>,
}

/// Why a stage failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageFailure {
    /// The reason.
    pub code: FailureCode,
    /// More about it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl StageFailure {
    /// A failure with a detail.
    pub fn new(code: FailureCode, detail: impl Into<String>) -> StageFailure {
        StageFailure { code, detail: Some(detail.into()) }
    }
}

/// Why a stage failed, as a code. The first ones are reasons for which its run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// The model used all its replies.
    MaxIterations,
    /// A reply reached the limit of its length.
    Length,
    /// The model or its provider refused.
    Refusal,
    /// A reply has calls that may not be complete.
    UnfinishedCalls,
    /// The model stopped for a reason that is not known here.
    Other,
    /// The model could not be asked.
    Error,
    /// The tokens or the time of the stage or the pipeline are used up.
    Budget,
    /// A human refused a call and ended the run.
    Interrupted,
    /// Somebody ended the run of the stage.
    Aborted,
    /// The run of the stage could not start.
    NotStarted,
    /// The run of the stage was deleted.
    RunMissing,
    /// A run that the pipeline did not start has the id of the stage's run.
    RunIdTaken,
    /// The stage said nothing, and another one needs its output.
    NoOutput,
    /// The output, or the prompt with everything put in, is too long.
    TooLong,
}

impl FailureCode {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            FailureCode::MaxIterations => "max_iterations",
            FailureCode::Length => "length",
            FailureCode::Refusal => "refusal",
            FailureCode::UnfinishedCalls => "unfinished_calls",
            FailureCode::Other => "other",
            FailureCode::Error => "error",
            FailureCode::Budget => "budget",
            FailureCode::Interrupted => "interrupted",
            FailureCode::Aborted => "aborted",
            FailureCode::NotStarted => "not_started",
            FailureCode::RunMissing => "run_missing",
            FailureCode::RunIdTaken => "run_id_taken",
            FailureCode::NoOutput => "no_output",
            FailureCode::TooLong => "too_long",
        }
    }

    /// The code for the end of a run. None if the model was done: only then is the output whole.
    pub fn of(reason: &FinishReason) -> Option<FailureCode> {
        Some(match reason {
            FinishReason::Stop => return None,
            FinishReason::MaxIterations => FailureCode::MaxIterations,
            FinishReason::Length => FailureCode::Length,
            FinishReason::Refusal => FailureCode::Refusal,
            FinishReason::UnfinishedCalls => FailureCode::UnfinishedCalls,
            FinishReason::Other { .. } => FailureCode::Other,
            FinishReason::Error { .. } => FailureCode::Error,
            FinishReason::Budget { .. } => FailureCode::Budget,
            FinishReason::Interrupted => FailureCode::Interrupted,
            FinishReason::Aborted { .. } => FailureCode::Aborted,
        })
    }
}

/// Something that happened to a run of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub enum PipelineEvent {
    /// The run of a stage ended, or could not start.
    StageEnded {
        /// The run.
        run: Uuid,
        /// Its output, or why it failed.
        result: Result<String, StageFailure>,
        /// Its tokens.
        usage: Usage,
    },
    /// Somebody wants the failed stage to be tried again.
    Retry,
    /// Somebody ended the pipeline.
    Abort {
        /// Who, and why.
        why: String,
    },
    /// The time of the pipeline is over.
    TimeUp,
}

/// What is stored and sent about the progress of a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum PipelineChunk {
    /// An attempt of a stage began.
    StageStarted {
        /// The stage, from 0 on.
        stage: usize,
        /// The attempt, from 1 on.
        attempt: usize,
        /// The run of its agent.
        run_id: Uuid,
        /// When.
        at: Timestamp,
    },
    /// A stage is done.
    StageCompleted {
        /// The stage.
        stage: usize,
        /// The attempt.
        attempt: usize,
        /// The run of its agent.
        run_id: Uuid,
        /// Its tokens.
        usage: Usage,
        /// When.
        at: Timestamp,
    },
    /// An attempt of a stage failed.
    StageFailed {
        /// The stage.
        stage: usize,
        /// The attempt.
        attempt: usize,
        /// The run of its agent.
        run_id: Uuid,
        /// Why.
        failure: StageFailure,
        /// Its tokens.
        usage: Usage,
        /// When.
        at: Timestamp,
    },
    /// The pipeline ended.
    Finished {
        /// Why.
        end: PipelineEnd,
        /// The tokens of all stages.
        usage: Usage,
        /// When.
        at: Timestamp,
    },
}

/// Something to do outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PipelineEffect {
    /// Begin the run of a stage, unless it has begun, and wait until it has ended.
    RunStage {
        /// The stage.
        stage: usize,
        /// The run.
        run: Uuid,
    },
    /// End the run of a stage, if it has begun, and wait until it has ended.
    EndStage {
        /// The run.
        run: Uuid,
    },
}

impl PipelineState {
    /// A new run with this many stages, at least one. The first begins at once.
    pub fn start(
        id: Uuid,
        stages: usize,
        (max_tokens, max_seconds): (Option<u64>, Option<u64>),
        at: Timestamp,
    ) -> (PipelineState, Vec<PipelineChunk>) {
        let mut state = PipelineState {
            id,
            phase: PipelinePhase::Ended { end: PipelineEnd::Completed },
            stages: vec![StageProgress::default(); stages],
            usage: Usage::default(),
            max_tokens,
            max_seconds,
            is_purged: false,
        };
        let mut chunks = Vec::new();
        state.begin(0, at, &mut chunks);
        (state, chunks)
    }

    /// What has to be done outside, in this state.
    pub fn effect(&self) -> Option<PipelineEffect> {
        let run = |stage: usize| self.stages.get(stage)?.attempts.last().map(|attempt| attempt.run);
        match self.phase {
            PipelinePhase::Stage { stage } => Some(PipelineEffect::RunStage { stage, run: run(stage)? }),
            PipelinePhase::Ending { stage, .. } => Some(PipelineEffect::EndStage { run: run(stage)? }),
            PipelinePhase::Ended { .. } => None,
        }
    }

    /// Why it ended. None while it goes on.
    pub fn end(&self) -> Option<&PipelineEnd> {
        match &self.phase {
            PipelinePhase::Ended { end } => Some(end),
            PipelinePhase::Stage { .. } | PipelinePhase::Ending { .. } => None,
        }
    }

    /// The run of the stage that is under way.
    pub fn current_run(&self) -> Option<Uuid> {
        match self.effect()? {
            PipelineEffect::RunStage { run, .. } | PipelineEffect::EndStage { run } => Some(run),
        }
    }

    /// How many tokens are left. None for no limit.
    pub fn tokens_left(&self) -> Option<u64> {
        let spent = self.usage.input.saturating_add(self.usage.output);
        self.max_tokens.map(|most| most.saturating_sub(spent))
    }

    /// The output of the stage before this one.
    pub fn previous_output(&self, stage: usize) -> &str {
        let before = stage.checked_sub(1).and_then(|before| self.stages.get(before));
        before.and_then(|before| before.output.as_deref()).unwrap_or_default()
    }

    /// The output of the last stage, once it is done.
    pub fn output(&self) -> Option<&str> {
        self.stages.last().and_then(|stage| stage.output.as_deref())
    }

    /// The stage that can be tried again.
    pub fn retryable_stage(&self) -> Option<usize> {
        if self.is_purged {
            return None;
        }
        let Some(PipelineEnd::Failed { stage, .. }) = self.end() else { return None };
        self.stages.get(*stage).filter(|progress| progress.attempts.len() < MAX_ATTEMPTS).map(|_| *stage)
    }

    /// Removes all texts that people, models and providers wrote from a run that has ended. Returns the chunk of its end;
    /// None if it goes on or was purged before.
    pub fn purge(&mut self, at: Timestamp) -> Option<PipelineChunk> {
        let PipelinePhase::Ended { end } = &mut self.phase else { return None };
        if std::mem::replace(&mut self.is_purged, true) {
            return None;
        }
        match end {
            PipelineEnd::Completed => {}
            PipelineEnd::Failed { failure, .. } => failure.detail = None,
            PipelineEnd::Aborted { why } => *why = PURGED.into(),
        }
        let finished = PipelineChunk::Finished { end: end.clone(), usage: self.usage, at };
        for progress in &mut self.stages {
            progress.output = progress.output.take().map(|_| PURGED.into());
            let ends = progress.attempts.iter_mut().filter_map(|attempt| attempt.end.as_mut());
            ends.filter_map(|end| end.failure.as_mut()).for_each(|failure| failure.detail = None);
        }
        Some(finished)
    }

    /// Applies an event. None if it does not concern this state: it came too late, or twice.
    #[must_use]
    pub fn handle(&mut self, event: PipelineEvent, at: Timestamp) -> Option<Vec<PipelineChunk>> {
        let mut chunks = Vec::new();
        let changed = match event {
            PipelineEvent::StageEnded { run, result, usage } => {
                self.stage_ended(run, result, usage, at, &mut chunks)
            }
            PipelineEvent::Retry => match self.retryable_stage() {
                Some(stage) => {
                    self.begin(stage, at, &mut chunks);
                    true
                }
                None => false,
            },
            PipelineEvent::Abort { why } => self.end_stage(PipelineEnd::Aborted { why }),
            PipelineEvent::TimeUp => match self.phase {
                PipelinePhase::Stage { stage } => {
                    let failure = StageFailure::new(FailureCode::Budget, "the time of the pipeline is over");
                    self.end_stage(PipelineEnd::Failed { stage, failure })
                }
                PipelinePhase::Ending { .. } | PipelinePhase::Ended { .. } => false,
            },
        };
        changed.then_some(chunks)
    }

    /// Begins the next attempt of a stage, unless no tokens are left.
    fn begin(&mut self, stage: usize, at: Timestamp, chunks: &mut Vec<PipelineChunk>) {
        if self.tokens_left() == Some(0) {
            let failure = StageFailure::new(FailureCode::Budget, "the tokens of the pipeline are used up");
            self.finish(PipelineEnd::Failed { stage, failure }, at, chunks);
            return;
        }
        let id = self.id;
        let Some(progress) = self.stages.get_mut(stage) else { return };
        let attempt = progress.attempts.len().saturating_add(1);
        let run_id = stage_run_id(id, stage, attempt, at);
        progress.attempts.push(StageAttempt { run: run_id, started_at: at, end: None });
        self.phase = PipelinePhase::Stage { stage };
        chunks.push(PipelineChunk::StageStarted { stage, attempt, run_id, at });
    }

    fn stage_ended(
        &mut self,
        run: Uuid,
        result: Result<String, StageFailure>,
        usage: Usage,
        at: Timestamp,
        chunks: &mut Vec<PipelineChunk>,
    ) -> bool {
        let (stage, ending) = match &self.phase {
            PipelinePhase::Stage { stage } => (*stage, None),
            PipelinePhase::Ending { stage, end } => (*stage, Some(end.clone())),
            PipelinePhase::Ended { .. } => return false,
        };
        let is_last = stage.saturating_add(1) == self.stages.len();
        let Some(progress) = self.stages.get_mut(stage) else { return false };
        let attempt = progress.attempts.len();
        let Some(last) = progress.attempts.last_mut().filter(|last| last.run == run && last.end.is_none())
        else {
            return false;
        };
        let failure = result.as_ref().err().cloned();
        last.end = Some(AttemptEnd { at, usage, failure: failure.clone() });
        progress.output = result.ok();
        self.usage = self.usage.plus(usage);
        chunks.push(match failure.clone() {
            None => PipelineChunk::StageCompleted { stage, attempt, run_id: run, usage, at },
            Some(failure) => PipelineChunk::StageFailed { stage, attempt, run_id: run, failure, usage, at },
        });
        match (ending, failure) {
            (Some(end), _) => self.finish(end, at, chunks),
            (None, Some(failure)) => self.finish(PipelineEnd::Failed { stage, failure }, at, chunks),
            (None, None) if is_last => self.finish(PipelineEnd::Completed, at, chunks),
            (None, None) => self.begin(stage.saturating_add(1), at, chunks),
        }
        true
    }

    /// Ends the run of the stage first. An abort counts more than anything that ended the pipeline before it.
    fn end_stage(&mut self, end: PipelineEnd) -> bool {
        let stage = match &self.phase {
            PipelinePhase::Stage { stage } => *stage,
            PipelinePhase::Ending { stage, end: PipelineEnd::Failed { .. } } => *stage,
            PipelinePhase::Ending { .. } | PipelinePhase::Ended { .. } => return false,
        };
        self.phase = PipelinePhase::Ending { stage, end };
        true
    }

    fn finish(&mut self, end: PipelineEnd, at: Timestamp, chunks: &mut Vec<PipelineChunk>) {
        chunks.push(PipelineChunk::Finished { end: end.clone(), usage: self.usage, at });
        self.phase = PipelinePhase::Ended { end };
    }
}
