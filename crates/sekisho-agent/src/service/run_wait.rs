//! Waits until a run has ended, or until nothing happens before somebody answers.

use std::time::Duration;

use sekisho_gate::ledger::LedgerError;
use uuid::Uuid;

use super::AgentService;
use crate::run_summary::{RunStatus, waiting_calls};
use crate::runs::StoredRun;

/// How often a run is read that another process may drive.
const POLL: Duration = Duration::from_millis(500);

/// How long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitUntil {
    /// Until the run has ended.
    Ended,
    /// Until it has ended, or nothing happens before somebody answers.
    Settled,
}

impl AgentService {
    /// Waits for a run, and returns it as it is then. None if there is no such run. Dropping the future changes
    /// nothing.
    pub async fn wait(&self, id: Uuid, until: WaitUntil) -> Result<Option<StoredRun>, LedgerError> {
        // Watch before reading, so that a step in between is not missed.
        let mut watcher = self.driver.watch(id);
        loop {
            let Some(run) = self.runs.run(id).await? else { return Ok(None) };
            if self.has_reached(&run, until).await? {
                return Ok(Some(run));
            }
            tokio::select! {
                // A slow watcher reads the run again.
                _ = watcher.recv() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Waits until a run has stored a step after this version. None if there is no such run.
    pub async fn wait_for_step(&self, id: Uuid, version: u64) -> Result<Option<StoredRun>, LedgerError> {
        let mut watcher = self.driver.watch(id);
        loop {
            let Some(run) = self.runs.run(id).await? else { return Ok(None) };
            if run.version > version {
                return Ok(Some(run));
            }
            tokio::select! {
                _ = watcher.recv() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Whether a run is as far as somebody waits for.
    pub async fn has_reached(&self, run: &StoredRun, until: WaitUntil) -> Result<bool, LedgerError> {
        if RunStatus::of(&run.state, false).is_end() {
            // Open questions of an ended run are withdrawn, and queued messages count, before it is over.
            return Ok(run.state.effects().is_empty());
        }
        if until == WaitUntil::Ended || !run.state.is_suspended() {
            return Ok(false);
        }
        Ok(self.pending(run).await?.len() == waiting_calls(&run.state).len())
    }
}
