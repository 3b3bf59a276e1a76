//! Drives runs: does what their machines ask for, and stores each step before the next effect.
//!
//! [`RunDriver`] has a task for each run that has something to do. The task ends with the run, or when another
//! replica has taken the run over.

mod delegation;
mod effects;
mod live_conversation;
mod run_host;
mod run_task;
mod shared_parts;
mod watchers;

use std::fmt;
use std::sync::{Arc, Mutex};

use sekisho_gate::ledger::LedgerError;
use sekisho_gate::{Gate, ReplicaId};
use sekisho_tools::ToolRunner;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::conversation::Message;
use crate::machine::{RunLimits, RunState, Step};
use crate::run_settings::RunSettings;
use crate::runs::{RunCreation, RunRequest, Runs, StoredRun};

pub use run_host::RunHost;
pub(crate) use run_host::gate_chain;
use shared_parts::SharedParts;
use watchers::Watchers;
pub use watchers::{LivePiece, Progress, Watcher};

/// Why something could not be done with a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// There is no such run.
    NotFound(Uuid),
    /// The credential has as many active runs as it may have.
    TooManyActive(TooManyActive),
    /// It could not be stored.
    Store(LedgerError),
}

/// A credential has as many active runs as it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyActive {
    /// How many it has.
    pub active: u64,
    /// How many it may have.
    pub most: u64,
}

impl fmt::Display for TooManyActive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} active runs, and the limit is {}", self.active, self.most)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NotFound(id) => write!(f, "there is no run `{id}`"),
            RunError::TooManyActive(excess) => write!(f, "the credential has {excess}"),
            RunError::Store(error) => write!(f, "the run could not be stored: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

impl From<LedgerError> for RunError {
    fn from(error: LedgerError) -> RunError {
        RunError::Store(error)
    }
}

/// A run to start.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// Its id. No run has it yet.
    pub id: Uuid,
    /// What it is started with.
    pub settings: RunSettings,
    /// Its limits.
    pub limits: RunLimits,
    /// The conversation before the message.
    pub history: Vec<Message>,
    /// The message.
    pub message: String,
}

/// Drives runs. Cheap to clone; all clones are the same driver.
#[derive(Clone)]
pub struct RunDriver {
    inner: Arc<SharedParts>,
}

impl RunDriver {
    /// A driver. `owner` is this process.
    pub fn new(
        runs: Arc<dyn Runs>,
        host: Arc<dyn RunHost>,
        tools: ToolRunner,
        gate: Gate,
        owner: ReplicaId,
    ) -> RunDriver {
        let (active_limit, active, watchers) = (None, Mutex::default(), Watchers::default());
        let inner = SharedParts { runs, host, tools, gate, owner, active_limit, active, watchers, drive };
        RunDriver { inner: Arc::new(inner) }
    }

    /// The same with a limit of active runs for each credential. A run that waits for approvals is active.
    pub fn with_active_limit(
        runs: Arc<dyn Runs>,
        host: Arc<dyn RunHost>,
        tools: ToolRunner,
        gate: Gate,
        most: u64,
    ) -> RunDriver {
        let (owner, active_limit) = (gate.replica(), Some(most));
        let (active, watchers) = (Mutex::default(), Watchers::default());
        let inner = SharedParts { runs, host, tools, gate, owner, active_limit, active, watchers, drive };
        RunDriver { inner: Arc::new(inner) }
    }

    /// This process, as the owner of its runs.
    pub fn owner(&self) -> ReplicaId {
        self.inner.owner
    }

    /// How many active runs a credential may have. None for no limit.
    pub(crate) fn active_limit(&self) -> Option<u64> {
        self.inner.active_limit
    }

    /// Whether a credential may have one more active run.
    pub async fn check_active(&self, credential: &str) -> Result<(), RunError> {
        let Some(most) = self.inner.active_limit else { return Ok(()) };
        let active = self.inner.runs.active_runs(credential.to_owned()).await?;
        if active < most { Ok(()) } else { Err(RunError::TooManyActive(TooManyActive { active, most })) }
    }

    /// Starts a run with its first message.
    pub async fn start(
        &self,
        settings: RunSettings,
        limits: RunLimits,
        message: String,
    ) -> Result<Uuid, RunError> {
        let (id, history) = (Uuid::now_v7(), Vec::new());
        self.start_run(NewRun { id, settings, limits, history, message }).await?;
        Ok(id)
    }

    /// A run of this process before it is stored, and its first step.
    pub(crate) fn first_step(&self, new: NewRun) -> (StoredRun, Step) {
        let at = self.inner.gate.clock().now();
        let (state, mut step) = RunState::start(new.limits, new.message);
        step.messages.splice(0..0, new.history);
        let run = StoredRun {
            id: new.id,
            settings: new.settings,
            state,
            version: 0,
            chunk_count: 0,
            owner: Some(self.inner.owner),
            created_at: at,
            updated_at: at,
        };
        (run, step)
    }

    /// Starts a run with an id and the conversation before it.
    pub async fn start_run(&self, new: NewRun) -> Result<(), RunError> {
        let id = new.id;
        let (run, step) = self.first_step(new);
        let most = self.inner.active_limit;
        match self.inner.runs.create(run, step, most).await? {
            RunCreation::TooMany { active } => {
                Err(RunError::TooManyActive(TooManyActive { active, most: most.unwrap_or(active) }))
            }
            RunCreation::Stored => {
                self.drive(id);
                Ok(())
            }
        }
    }

    /// Sends a request to a run, whichever process drives it. It is stored when the future returns.
    pub async fn request(&self, id: Uuid, request: RunRequest) -> Result<(), RunError> {
        let at = self.inner.gate.clock().now();
        if !self.inner.runs.request(id, request, at).await? {
            return Err(RunError::NotFound(id));
        }
        self.look_for_requests().await
    }

    /// Tells the tasks of this process' runs about stored requests. Called from time to time, for requests that
    /// came to another process.
    pub async fn look_for_requests(&self) -> Result<(), RunError> {
        Ok(self.inner.look_for_requests().await?)
    }

    /// Takes up runs whose owners were last seen before a time, and drives them. Returns how many.
    pub async fn take_up(&self, seen_before: jiff::Timestamp, limit: usize) -> Result<usize, RunError> {
        let claimed = self.inner.runs.claim(self.inner.owner, seen_before, limit).await?;
        for id in &claimed {
            self.drive(*id);
        }
        Ok(claimed.len())
    }

    /// What happens in a run from now on.
    pub fn watch(&self, id: Uuid) -> Watcher {
        self.inner.watchers.watch(id)
    }

    /// How many runs have a task in this process.
    pub fn active_count(&self) -> usize {
        self.inner.active().len()
    }

    /// Makes sure that a run of this process has a task, and that the task looks for requests. The task of a run that
    /// another process owns ends at once.
    pub(crate) fn drive(&self, id: Uuid) {
        drive(&self.inner, id);
    }
}

/// Makes sure that a run has a task, and that the task looks for requests.
fn drive(inner: &Arc<SharedParts>, id: Uuid) {
    let mut active = inner.active();
    if let Some(task) = active.get(&id) {
        // A full channel means that it will look.
        let told = !matches!(task.try_send(()), Err(mpsc::error::TrySendError::Closed(())));
        if told {
            return;
        }
    }
    let (tell, told) = mpsc::channel(1);
    active.insert(id, tell.clone());
    drop(active);
    let inner = Arc::clone(inner);
    tokio::spawn(async move {
        run_task::drive(&inner, id, told, &tell).await;
    });
}
