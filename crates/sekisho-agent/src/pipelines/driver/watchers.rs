//! Tells those who follow a run of a pipeline that a step was stored.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::broadcast;
use uuid::Uuid;

/// How many steps a slow watcher may be behind. It reads what was stored in any case.
const CAPACITY: usize = 16;

/// Receives the version of each stored step.
pub type PipelineWatcher = broadcast::Receiver<u64>;

#[derive(Debug, Default)]
pub(super) struct Watchers {
    senders: Mutex<HashMap<Uuid, broadcast::Sender<u64>>>,
}

impl Watchers {
    pub(super) fn watch(&self, run: Uuid) -> PipelineWatcher {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        senders.retain(|_, sender| sender.receiver_count() > 0);
        senders.entry(run).or_insert_with(|| broadcast::channel(CAPACITY).0).subscribe()
    }

    pub(super) fn tell(&self, run: Uuid, version: u64) {
        let senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = senders.get(&run) {
            // Nobody watching is fine.
            let _ = sender.send(version);
        }
    }
}
