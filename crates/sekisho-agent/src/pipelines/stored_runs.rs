//! The port to the store of runs of pipelines.
//!
//! As a run of an agent, a run of a pipeline has one owner at a time, and a step is stored only with the owner and the
//! version that it was made from. The run of a stage is created under the same condition, in one transaction: a process that
//! was thought dead and comes back starts nothing.

use jiff::Timestamp;
use sekisho_gate::ReplicaId;
use sekisho_gate::answer::Actor;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::registered_records::CheckedRecord;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::definition::PipelineDefinition;
use super::machine::{PURGED, PipelineChunk, PipelineState};
use crate::machine::Step;
use crate::runs::{RunCreation, StoredRun};

/// What a run of a pipeline was started with. It does not change, whatever becomes of the pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PipelineRunSettings {
    /// The stored pipeline. None if it was started from a definition that is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Uuid>,
    /// The definition.
    pub definition: PipelineDefinition,
    /// The agent of each stage, in order.
    pub agents: Vec<StageAgent>,
    /// The input.
    pub input: String,
    /// Who started it, for the gate: the credential of the calls of all stages.
    pub credential: String,
    /// The workspace roots that the credential was bound to. Empty for any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<String>,
    /// Who started it, for the audit log.
    pub started_by: Actor,
}

impl PipelineRunSettings {
    /// Removes the input, and what the definition says beside names, agents, tools and limits.
    pub fn purge(&mut self) {
        self.input = PURGED.into();
        self.definition.description = None;
        for stage in &mut self.definition.stages {
            stage.prompt = PURGED.into();
            stage.tool_config.clear();
        }
    }
}

/// The agent of a stage, as it was found when the run was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageAgent {
    /// Its id.
    pub id: Uuid,
    /// The name that it had.
    pub name: String,
}

/// A run of a pipeline as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPipelineRun {
    /// Its id.
    pub id: Uuid,
    /// What it was started with.
    pub settings: PipelineRunSettings,
    /// Its state.
    pub state: PipelineState,
    /// Counts the steps.
    pub version: u64,
    /// How many chunks its stream has: the number of the last one.
    pub chunk_count: u64,
    /// The replica that drives it.
    pub owner: Option<ReplicaId>,
    /// When it was started.
    pub created_at: Timestamp,
    /// When its last step was stored.
    pub updated_at: Timestamp,
}

/// A step to store.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineStep {
    /// The run of the pipeline.
    pub run: Uuid,
    /// The replica that made the step.
    pub owner: ReplicaId,
    /// The version that the step was made from.
    pub version: u64,
    /// The state after it.
    pub state: PipelineState,
    /// What it appends to the stream.
    pub chunks: Vec<PipelineChunk>,
    /// The request that it fulfils. It is removed in the same transaction.
    pub request: Option<u64>,
    /// When.
    pub at: Timestamp,
}

/// A chunk and its number in the stream of its run, from 1 on.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPipelineChunk {
    /// The number.
    pub seq: u64,
    /// The chunk.
    pub chunk: PipelineChunk,
}

/// What somebody wants from a run of a pipeline. Stored, so that the replica that drives the run gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum PipelineRequest {
    /// Try the failed stage again.
    Retry,
    /// End the pipeline.
    Abort {
        /// Who, and why.
        why: String,
    },
}

/// A stored request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPipelineRequest {
    /// Its number. Requests are fulfilled in this order.
    pub seq: u64,
    /// The run of the pipeline.
    pub run: Uuid,
    /// What is wanted.
    pub request: PipelineRequest,
}

/// Which runs of pipelines to list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PipelineRunQuery {
    /// Only runs of this stored pipeline.
    pub pipeline: Option<Uuid>,
    /// Only runs that were started with this credential.
    pub credential: Option<String>,
    /// Only runs that have something to do (`true`) or have ended (`false`).
    pub works: Option<bool>,
    /// Only runs that were started before this one, for the next page.
    pub before: Option<Uuid>,
    /// At most this many.
    pub limit: usize,
}

/// The run of a stage to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewStageRun {
    /// The run of the pipeline.
    pub pipeline_run: Uuid,
    /// The replica that drives it.
    pub owner: ReplicaId,
    /// Its version.
    pub version: u64,
    /// The run of the stage.
    pub run: StoredRun,
    /// Its first step.
    pub step: Step,
    /// The audit record of its start.
    pub record: CheckedRecord,
}

/// What became of the run of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum StageStart {
    /// It is stored.
    Started,
    /// It was stored before. Nothing was changed.
    Exists,
    /// A run that is not that of the stage has its id. Nothing was stored.
    Taken,
    /// The run of the pipeline has another owner or version. Nothing was stored.
    Lost,
}

/// Stores runs of pipelines. Everything is durable once the future returns.
pub trait PipelineRuns: Send + Sync {
    /// Stores a new run of a pipeline with its first chunks and its audit record, unless its credential has this many active
    /// runs, of agents and of pipelines together. None for no limit.
    fn create_pipeline_run(
        &self,
        run: StoredPipelineRun,
        chunks: Vec<PipelineChunk>,
        most_active: Option<u64>,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, RunCreation>;

    /// A run of a pipeline.
    fn pipeline_run(&self, id: Uuid) -> LedgerFuture<'_, Option<StoredPipelineRun>>;

    /// Runs of pipelines, the latest first.
    fn pipeline_runs(&self, query: PipelineRunQuery) -> LedgerFuture<'_, Vec<StoredPipelineRun>>;

    /// The chunks of a run after a number, in order, at most this many.
    fn pipeline_chunks(
        &self,
        id: Uuid,
        after: u64,
        limit: usize,
    ) -> LedgerFuture<'_, Vec<StoredPipelineChunk>>;

    /// Stores a step. Returns `false`, and stores nothing, if the run has another owner or version.
    fn store_pipeline_step(&self, step: PipelineStep) -> LedgerFuture<'_, bool>;

    /// Stores the run of a stage, if the run of its pipeline still has the owner and the version, and the run does not exist.
    fn start_stage(&self, new: NewStageRun) -> LedgerFuture<'_, StageStart>;

    /// Makes a replica the owner of runs of pipelines that have something to do and whose owners were last seen before a
    /// time, at most this many.
    fn claim_pipeline_runs(
        &self,
        owner: ReplicaId,
        seen_before: Timestamp,
        limit: usize,
    ) -> LedgerFuture<'_, Vec<Uuid>>;

    /// Stores a request. Returns `false` if there is no such run.
    fn request_of_pipeline_run(
        &self,
        id: Uuid,
        request: PipelineRequest,
        at: Timestamp,
    ) -> LedgerFuture<'_, bool>;

    /// The requests to the runs of an owner that are not fulfilled yet, in order.
    fn pipeline_requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredPipelineRequest>>;
}
