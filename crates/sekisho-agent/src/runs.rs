//! The port to the store of runs.
//!
//! A run has one owner at a time: the replica that drives it. A step is stored only if the run still has this owner
//! and the version that the step was made from, so a process that was thought dead and comes back cannot change
//! anything.

use jiff::Timestamp;
use sekisho_gate::ReplicaId;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::registered_records::CheckedRecord;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::conversation::Message;
use crate::machine::{Chunk, RunState, Step};
use crate::run_settings::RunSettings;
use crate::run_trees::{ReplyNeeds, Reserved, SubAgent, TreeGrowth, TreeLimits};
use crate::spending::{BudgetCheck, UsdAmount};

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

impl StoredRun {
    /// What its replies have cost. None if its model has no price.
    pub fn cost(&self) -> Option<UsdAmount> {
        self.settings.price.map(|price| price.cost(self.state.usage))
    }

    /// What is left of its budgets.
    pub fn budget_check(&self) -> BudgetCheck {
        let spent = self.cost().unwrap_or_default();
        let cost = self.state.limits.max_cost.map(|most| most.minus(spent));
        BudgetCheck { tokens: self.state.tokens_left(), cost, price: self.settings.price }
    }
}

/// A message as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMessage {
    /// Its number in the run. Numbers grow, and may have gaps.
    pub seq: u64,
    /// The message.
    pub message: Message,
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
    /// An audit record that is stored with it, or not at all.
    pub record: Option<CheckedRecord>,
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
    /// End the tools that run now. The run goes on, and its model is told.
    Interrupt,
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
    /// Only runs that a person or a program started: no runs of sub-agents.
    pub roots: bool,
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

    /// Deletes a run with its messages, chunks, requests and sub-agents, and the runs below it. The records of its
    /// executions stay. Returns `false` if there is no such run, or it or one below it has something to do, or it is
    /// that of a sub-agent.
    fn delete_run(&self, id: Uuid) -> LedgerFuture<'_, bool>;

    /// The messages of a run after a number, in order. Fewer if they are large, but at least one if there is one.
    fn messages_after(&self, id: Uuid, after: Option<u64>) -> LedgerFuture<'_, Vec<StoredMessage>>;

    /// The messages of a run before a number, the last one first. Fewer if they are large, but at least one if there is
    /// one.
    fn messages_before(&self, id: Uuid, before: Option<u64>) -> LedgerFuture<'_, Vec<StoredMessage>>;

    /// All messages of a run, in order.
    fn messages(&self, id: Uuid) -> LedgerFuture<'_, Vec<Message>> {
        Box::pin(async move {
            let mut messages = Vec::new();
            let mut page = self.messages_after(id, None).await?;
            while let Some(last) = page.last().map(|last| last.seq) {
                messages.extend(page.into_iter().map(|stored| stored.message));
                page = self.messages_after(id, Some(last)).await?;
            }
            Ok(messages)
        })
    }

    /// The chunks of a run after a number, in order, at most this many. Fewer if they are large, but at least one if there
    /// is one.
    fn chunks(&self, id: Uuid, after: u64, limit: usize) -> LedgerFuture<'_, Vec<StoredChunk>>;

    /// Stores a step. Returns `false`, and stores nothing, if the run has another owner or version. If the step ends the
    /// run, requests to end the runs that it started are stored with it.
    fn store(&self, step: StoredStep) -> LedgerFuture<'_, bool>;

    /// Makes a replica the owner of runs that have something to do and whose owners were last seen before a time,
    /// at most this many.
    fn claim(&self, owner: ReplicaId, seen_before: Timestamp, limit: usize) -> LedgerFuture<'_, Vec<Uuid>>;

    /// Stores the run of a sub-agent with its first step, unless it exists, its parent has ended, or there are as many
    /// runs as there may be.
    fn create_child(&self, run: StoredRun, step: Step, limits: TreeLimits) -> LedgerFuture<'_, TreeGrowth>;

    /// All runs of a tree, in order of their ids. `root` is its first run.
    fn tree(&self, root: Uuid) -> LedgerFuture<'_, Vec<StoredRun>>;

    /// The runs of sub-agents in the trees of these first runs.
    fn delegated_runs(&self, roots: Vec<Uuid>) -> LedgerFuture<'_, Vec<StoredRun>>;

    /// Reserves what the next reply of a run can take in all of its tree, as [`reserve`](crate::run_trees::reserve) says.
    /// What it reserved before is replaced.
    fn reserve(&self, run: Uuid, root: Uuid, needs: ReplyNeeds) -> LedgerFuture<'_, Reserved>;

    /// Stores a sub-agent, unless it exists, its run has ended, or the run has this many.
    fn create_sub_agent(&self, agent: SubAgent, most: u64) -> LedgerFuture<'_, TreeGrowth>;

    /// The sub-agents that a run made, in order of creation.
    fn sub_agents(&self, run: Uuid) -> LedgerFuture<'_, Vec<SubAgent>>;

    /// Stores a request. Returns `false` if there is no such run.
    fn request(&self, id: Uuid, request: RunRequest, at: Timestamp) -> LedgerFuture<'_, bool>;

    /// The requests to the runs of an owner that are not fulfilled yet, in order.
    fn requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredRequest>>;
}
