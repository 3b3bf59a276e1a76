//! What the driver and the tasks of its runs share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sekisho_gate::{Gate, ReplicaId};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::watchers::Watchers;
use crate::pipelines::stored_runs::PipelineRuns;
use crate::service::AgentService;

/// What the driver and its tasks share.
pub(super) struct SharedParts {
    pub(super) runs: Arc<dyn PipelineRuns>,
    pub(super) agents: AgentService,
    pub(super) gate: Gate,
    pub(super) owner: ReplicaId,
    /// The runs that have a task, and how to tell it that there are requests.
    pub(super) active: Mutex<HashMap<Uuid, mpsc::Sender<()>>>,
    pub(super) watchers: Watchers,
}

impl SharedParts {
    pub(super) fn active(&self) -> MutexGuard<'_, HashMap<Uuid, mpsc::Sender<()>>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
