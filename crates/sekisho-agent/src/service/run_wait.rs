//! Waits until a run has ended, or until nothing happens before somebody answers.

use std::time::Duration;

use sekisho_gate::ledger::LedgerError;
use uuid::Uuid;

use super::AgentService;
use crate::run_summary::waiting_calls;
use crate::runs::StoredRun;

/// How often a run is read that another process may drive.
const POLL: Duration = Duration::from_millis(500);

/// How often the runs of sub-agents are read.
const POLL_OF_TREES: Duration = Duration::from_millis(50);

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
            // The runs below are not watched, so they are read more often.
            let pause = if self.has_children(&run).await? { POLL_OF_TREES } else { POLL };
            tokio::select! {
                // A slow watcher reads the run again.
                _ = watcher.recv() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    async fn has_children(&self, run: &StoredRun) -> Result<bool, LedgerError> {
        Ok(!self.tree_below(run.clone()).await?.below.is_empty())
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

    /// Whether a run and the runs below it are as far as somebody waits for.
    pub async fn has_reached(&self, run: &StoredRun, until: WaitUntil) -> Result<bool, LedgerError> {
        let tree = self.tree_below(run.clone()).await?;
        if tree.is_over() {
            // Open questions of an ended run are withdrawn, and queued messages count, before it is over.
            return Ok(true);
        }
        if until == WaitUntil::Ended || !tree.is_suspended() {
            return Ok(false);
        }
        let waiting: usize = tree.runs().map(|run| waiting_calls(&run.state).len()).sum();
        Ok(self.tree_pending(&tree).await?.len() == waiting)
    }
}
