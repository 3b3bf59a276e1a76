//! What the driver and the tasks of its runs share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sekisho_gate::ledger::LedgerError;
use sekisho_gate::{Gate, ReplicaId};
use sekisho_tools::ToolRunner;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::run_host::RunHost;
use super::watchers::Watchers;
use crate::runs::Runs;

/// What the driver and the tasks of its runs share.
pub(super) struct SharedParts {
    pub(super) runs: Arc<dyn Runs>,
    pub(super) host: Arc<dyn RunHost>,
    pub(super) tools: ToolRunner,
    pub(super) gate: Gate,
    pub(super) owner: ReplicaId,
    /// How many active runs a credential may have. None for no limit.
    pub(super) active_limit: Option<u64>,
    /// The runs that have a task, and how to tell it that there are requests.
    pub(super) active: Mutex<HashMap<Uuid, mpsc::Sender<()>>>,
    pub(super) watchers: Watchers,
    /// Makes sure that a run has a task.
    pub(super) drive: fn(&Arc<SharedParts>, Uuid),
}

impl SharedParts {
    /// Makes the runs of this process fulfil the requests that are stored.
    pub(super) async fn look_for_requests(self: &Arc<Self>) -> Result<(), LedgerError> {
        for request in self.runs.requests(self.owner).await? {
            (self.drive)(self, request.run);
        }
        Ok(())
    }

    pub(super) fn active(&self) -> MutexGuard<'_, HashMap<Uuid, mpsc::Sender<()>>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
