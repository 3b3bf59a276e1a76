//! The port to the store of runs.
//!
//! A run has one owner at a time: the replica that drives it. A step is stored only if the run still has this owner
//! and the version that the step was made from, so a process that was thought dead and comes back cannot change
//! anything.

use jiff::Timestamp;
use sekisho_gate::ReplicaId;
use sekisho_gate::ledger::LedgerFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::conversation::Message;
use crate::machine::{Chunk, RunState, Step};
use crate::run_settings::RunSettings;

/// A run as it is stored, without its messages.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    /// Its id.
    pub id: Uuid,
    /// What it was started with.
    pub settings: RunSettings,
    /// Its state.
    pub state: RunState,
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
pub struct StoredStep {
    /// The run.
    pub run: Uuid,
    /// The replica that made the step.
    pub owner: ReplicaId,
    /// The version that the step was made from.
    pub version: u64,
    /// The state after it.
    pub state: RunState,
    /// What it appends.
    pub step: Step,
    /// The request that it fulfils. It is removed in the same transaction.
    pub request: Option<u64>,
    /// When.
    pub at: Timestamp,
}

/// A chunk and its number in the stream of its run, from 1 on.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    /// The number.
    pub seq: u64,
    /// The chunk.
    pub chunk: Chunk,
}

/// What somebody wants from a run. Stored, so that the replica that drives the run gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum RunRequest {
    /// A further message.
    Message {
        /// The text.
        text: String,
    },
    /// End the run.
    Abort {
        /// Who, and why.
        why: String,
    },
}

/// A stored request.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRequest {
    /// Its number. Requests of a run are fulfilled in this order.
    pub seq: u64,
    /// The run.
    pub run: Uuid,
    /// What is wanted.
    pub request: RunRequest,
}

/// Which runs to list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunQuery {
    /// Only runs of this agent.
    pub agent: Option<Uuid>,
    /// Only runs that were started with this credential.
    pub credential: Option<String>,
    /// Only runs that have something to do (`true`) or have ended (`false`). A run that waits for an answer has
    /// something to do.
    pub works: Option<bool>,
    /// Only runs that were started before this one, for the next page.
    pub before: Option<Uuid>,
    /// At most this many.
    pub limit: usize,
}

/// What became of a new run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum RunCreation {
    /// It is stored.
    Stored,
    /// Its credential has too many active runs. Nothing was stored.
    TooMany {
        /// How many it has.
        active: u64,
    },
}

/// Stores runs. Everything is durable once the future returns.
pub trait Runs: Send + Sync {
    /// Stores a new run with its first step, unless its credential has this many active runs already. None for no
    /// limit.
    fn create(&self, run: StoredRun, step: Step, most_active: Option<u64>) -> LedgerFuture<'_, RunCreation>;

    /// How many runs of a credential have something to do. A run that waits for an answer has something to do.
    fn active_runs(&self, credential: String) -> LedgerFuture<'_, u64>;

    /// A run.
    fn run(&self, id: Uuid) -> LedgerFuture<'_, Option<StoredRun>>;

    /// Runs, the latest first.
    fn runs(&self, query: RunQuery) -> LedgerFuture<'_, Vec<StoredRun>>;

    /// Deletes a run that has nothing to do, with its messages, chunks and requests. The records of its executions
    /// stay. Returns `false` if there is no such run, or it has something to do.
    fn delete_run(&self, id: Uuid) -> LedgerFuture<'_, bool>;

    /// The messages of a run, in order.
    fn messages(&self, id: Uuid) -> LedgerFuture<'_, Vec<Message>>;

    /// The chunks of a run after a number, in order, at most this many.
    fn chunks(&self, id: Uuid, after: u64, limit: usize) -> LedgerFuture<'_, Vec<StoredChunk>>;

    /// Stores a step. Returns `false`, and stores nothing, if the run has another owner or version.
    fn store(&self, step: StoredStep) -> LedgerFuture<'_, bool>;

    /// Makes a replica the owner of runs that have something to do and whose owners were last seen before a time,
    /// at most this many.
    fn claim(&self, owner: ReplicaId, seen_before: Timestamp, limit: usize) -> LedgerFuture<'_, Vec<Uuid>>;

    /// Stores a request. Returns `false` if there is no such run.
    fn request(&self, id: Uuid, request: RunRequest, at: Timestamp) -> LedgerFuture<'_, bool>;

    /// The requests to the runs of an owner that are not fulfilled yet, in order.
    fn requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredRequest>>;
}
