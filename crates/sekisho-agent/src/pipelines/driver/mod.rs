//! Drives runs of pipelines: starts the runs of their stages, waits for them, and stores each step.
//!
//! [`PipelineDriver`] has a task for each run of a pipeline that has something to do. The task ends with the run, or when
//! another replica has taken it over. The runs of the stages are ordinary runs of agents, which the run driver of any replica
//! may drive.

mod shared_parts;
mod stage;
mod task;
mod watchers;

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use sekisho_gate::Gate;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::registered_records::CheckedRecord;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::machine::PipelineState;
use super::stored_runs::{PipelineRequest, PipelineRunSettings, PipelineRuns, StoredPipelineRun};
use crate::driver::{RunError, TooManyActive};
use crate::runs::RunCreation;
use crate::service::AgentService;

use shared_parts::SharedParts;
pub(super) use stage::stage_start;
pub use watchers::PipelineWatcher;
use watchers::Watchers;

/// Drives runs of pipelines. Cheap to clone; all clones are the same driver.
#[derive(Clone)]
pub struct PipelineDriver {
    inner: Arc<SharedParts>,
}

impl PipelineDriver {
    /// A driver over the agents of the same process.
    pub fn new(runs: Arc<dyn PipelineRuns>, agents: AgentService, gate: Gate) -> PipelineDriver {
        let owner = agents.driver().owner();
        let (active, watchers) = (Mutex::default(), Watchers::default());
        PipelineDriver { inner: Arc::new(SharedParts { runs, agents, gate, owner, active, watchers }) }
    }

    /// The stored runs.
    pub fn runs(&self) -> &dyn PipelineRuns {
        &*self.inner.runs
    }

    /// Starts a run of a pipeline whose settings were checked. The record is stored with it.
    pub(super) async fn start(
        &self,
        id: Uuid,
        settings: PipelineRunSettings,
        record: CheckedRecord,
    ) -> Result<(), RunError> {
        let at = self.inner.gate.clock().now();
        let definition = &settings.definition;
        let limits = (definition.token_budget, definition.time_budget_seconds);
        let (state, chunks) = PipelineState::start(id, definition.stages.len(), limits, at);
        let run = StoredPipelineRun {
            id,
            settings,
            state,
            version: 0,
            chunk_count: chunks.len() as u64,
            owner: Some(self.inner.owner),
            created_at: at,
            updated_at: at,
        };
        let most = self.inner.agents.driver().active_limit();
        match self.inner.runs.create_pipeline_run(run, chunks, most, record).await? {
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
    pub async fn request(&self, id: Uuid, request: PipelineRequest) -> Result<(), RunError> {
        let at = self.inner.gate.clock().now();
        if !self.inner.runs.request_of_pipeline_run(id, request, at).await? {
            return Err(RunError::NotFound(id));
        }
        Ok(self.look_for_requests().await?)
    }

    /// Tells the tasks of this process' runs about stored requests. Called from time to time, for requests that came to
    /// another process.
    pub async fn look_for_requests(&self) -> Result<(), LedgerError> {
        for request in self.inner.runs.pipeline_requests(self.inner.owner).await? {
            self.drive(request.run);
        }
        Ok(())
    }

    /// Takes up runs whose owners were last seen before a time, and drives them. Returns how many.
    pub async fn take_up(&self, seen_before: Timestamp, limit: usize) -> Result<usize, LedgerError> {
        let claimed = self.inner.runs.claim_pipeline_runs(self.inner.owner, seen_before, limit).await?;
        for id in &claimed {
            self.drive(*id);
        }
        Ok(claimed.len())
    }

    /// Learns of the steps of a run that this process drives.
    pub fn watch(&self, id: Uuid) -> PipelineWatcher {
        self.inner.watchers.watch(id)
    }

    /// How many runs have a task in this process.
    pub fn active_count(&self) -> usize {
        self.inner.active().len()
    }

    /// Makes sure that a run has a task, and that the task looks for requests.
    fn drive(&self, id: Uuid) {
        let mut active = self.inner.active();
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
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move {
            task::drive(&inner, id, told, &tell).await;
        });
    }
}
