//! The task of one run of a pipeline: does what its state asks for, and stores each step.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::ledger::LedgerError;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::shared_parts::SharedParts;
use crate::pipelines::machine::{PipelineEffect, PipelineEvent, PipelinePhase};
use crate::pipelines::stored_runs::{PipelineRequest, PipelineStep, StoredPipelineRun};

/// How long a run waits when the store fails, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Why a run is no longer driven here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// Another replica owns it, or it does not exist.
    Lost,
    /// Something could not be stored or read, so nothing further may happen.
    StoreFailed,
}

impl From<LedgerError> for Stopped {
    fn from(_: LedgerError) -> Stopped {
        Stopped::StoreFailed
    }
}

/// Drives a run until nothing is left to do, or another replica owns it. While the store fails, it tries again.
pub(super) async fn drive(
    inner: &Arc<SharedParts>,
    id: Uuid,
    mut told: mpsc::Receiver<()>,
    tell: &mpsc::Sender<()>,
) {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Err(Stopped::StoreFailed) = drive_once(inner, id, &mut told).await {
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            continue;
        }
        let mut active = inner.active();
        let is_own = active.get(&id).is_some_and(|task| task.same_channel(tell));
        // Somebody may have told this task something after it ended.
        if is_own && told.try_recv().is_ok() {
            continue;
        }
        if is_own {
            active.remove(&id);
        }
        return;
    }
}

async fn drive_once(
    inner: &Arc<SharedParts>,
    id: Uuid,
    told: &mut mpsc::Receiver<()>,
) -> Result<(), Stopped> {
    let run = inner.runs.pipeline_run(id).await?.filter(|run| run.owner == Some(inner.owner));
    let mut task = PipelineTask { inner: Arc::clone(inner), run: run.ok_or(Stopped::Lost)? };
    task.fulfil_requests().await?;
    loop {
        let deadline = task.deadline();
        if deadline.is_some_and(|deadline| inner.gate.clock().now() >= deadline) {
            task.apply(PipelineEvent::TimeUp, None).await?;
        }
        let Some(effect) = task.run.state.effect() else { return Ok(()) };
        let run = task.run.clone();
        let effect = async {
            match effect {
                PipelineEffect::RunStage { stage, run: id } => inner.run_stage(&run, stage, id).await,
                PipelineEffect::EndStage { run: id } => inner.end_stage(id).await,
            }
        };
        // An effect can be dropped at any point and begun again: what it stores depends on the version of this run.
        tokio::select! {
            event = effect => task.apply(event?, None).await?,
            Some(()) = told.recv() => task.fulfil_requests().await?,
            // The next turn ends the stage.
            () = sleep_until(inner, deadline) => {}
        }
    }
}

/// Sleeps until a time has come, or for ever.
async fn sleep_until(inner: &SharedParts, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => inner.gate.clock().sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

struct PipelineTask {
    inner: Arc<SharedParts>,
    run: StoredPipelineRun,
}

impl PipelineTask {
    /// When the time of the pipeline is over. None if it has no limit, or no stage is under way.
    fn deadline(&self) -> Option<Timestamp> {
        let is_under_way = matches!(self.run.state.phase, PipelinePhase::Stage { .. });
        let seconds = self.run.state.max_seconds.filter(|_| is_under_way)?;
        let span = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
        Some(self.run.created_at.saturating_add(span).unwrap_or(Timestamp::MAX))
    }

    /// Applies what somebody asked for, in order.
    async fn fulfil_requests(&mut self) -> Result<(), Stopped> {
        let requests = self.inner.runs.pipeline_requests(self.inner.owner).await?;
        let id = self.run.id;
        for stored in requests.into_iter().filter(|stored| stored.run == id) {
            let event = match stored.request {
                PipelineRequest::Retry => PipelineEvent::Retry,
                PipelineRequest::Abort { why } => PipelineEvent::Abort { why },
            };
            self.apply(event, Some(stored.seq)).await?;
        }
        Ok(())
    }

    /// Applies an event and stores the step. A request that changes nothing is fulfilled too.
    async fn apply(&mut self, event: PipelineEvent, request: Option<u64>) -> Result<(), Stopped> {
        let (mut state, at) = (self.run.state.clone(), self.inner.gate.clock().now());
        let chunks = match (state.handle(event, at), request) {
            (Some(chunks), _) => chunks,
            (None, Some(_)) => Vec::new(),
            (None, None) => return Ok(()),
        };
        let (run, version, owner) = (self.run.id, self.run.version, self.inner.owner);
        let new_chunks = chunks.len() as u64;
        let step = PipelineStep { run, owner, version, state: state.clone(), chunks, request, at };
        if !self.inner.runs.store_pipeline_step(step).await? {
            return Err(Stopped::Lost);
        }
        (self.run.state, self.run.version) = (state, version.saturating_add(1));
        self.run.chunk_count = self.run.chunk_count.saturating_add(new_chunks);
        self.inner.watchers.tell(run, self.run.version);
        Ok(())
    }
}
