//! Waits until a run has ended, or until nothing happens before somebody answers.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use sekisho_gate::ledger::LedgerError;
use uuid::Uuid;

use super::AgentService;
use super::run_tree::RunTree;
use crate::driver::{LivePiece, RunDriver, Watcher};
use crate::run_summary::waiting_calls;
use crate::runs::StoredRun;

/// How often a run is read that another process may drive.
const POLL: Duration = Duration::from_millis(500);

/// The longest pause between two reads of runs that wait for a human, perhaps for days.
const LONGEST_POLL: Duration = Duration::from_secs(2);

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
        let (mut watchers, mut pauses) = (TreeWatchers::default(), Pauses::default());
        watchers.add(&self.driver, id);
        loop {
            let Some(tree) = self.tree(id).await? else { return Ok(None) };
            if self.is_reached(&tree, until).await? {
                return Ok(Some(tree.top));
            }
            // Watch before reading, so that a step in between is not missed.
            let mut is_new = false;
            for run in &tree.below {
                is_new |= watchers.add(&self.driver, run.id);
            }
            if is_new {
                continue;
            }
            let version = tree.runs().fold(0_u64, |sum, run| sum.saturating_add(run.version));
            let pause = pauses.next(version, tree.is_suspended());
            tokio::select! {
                () = watchers.stored() => {}
                () = tokio::time::sleep(pause) => {}
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

    /// Whether a run and the runs below it are as far as somebody waits for, in the step that the caller has read. A run
    /// that has stored another step meanwhile is not: the caller has not seen it.
    pub async fn has_reached(&self, run: &StoredRun, until: WaitUntil) -> Result<bool, LedgerError> {
        let tree = self.tree_below(run.clone()).await?;
        Ok(tree.top.version == run.version && self.is_reached(&tree, until).await?)
    }

    async fn is_reached(&self, tree: &RunTree, until: WaitUntil) -> Result<bool, LedgerError> {
        if tree.is_over() {
            // Open questions of an ended run are withdrawn, and queued messages count, before it is over.
            return Ok(true);
        }
        if until == WaitUntil::Ended || !tree.is_suspended() {
            return Ok(false);
        }
        let waiting: usize = tree.runs().map(|run| waiting_calls(&run.state).len()).sum();
        Ok(self.tree_pending(tree).await?.len() == waiting)
    }
}

/// Watches the runs of a tree that this process drives.
#[derive(Default)]
struct TreeWatchers {
    watchers: BTreeMap<Uuid, Watcher>,
}

impl TreeWatchers {
    /// Watches a run. False if it is watched already.
    fn add(&mut self, driver: &RunDriver, run: Uuid) -> bool {
        let is_new = !self.watchers.contains_key(&run);
        if is_new {
            self.watchers.insert(run, driver.watch(run));
        }
        is_new
    }

    /// Waits until one of the runs has stored a step. Pieces of replies do not count.
    async fn stored(&mut self) {
        let mut steps: Vec<_> = self.watchers.values_mut().map(|watcher| Box::pin(stored(watcher))).collect();
        poll_fn(|context| {
            let is_any = steps.iter_mut().any(|step| step.as_mut().poll(context).is_ready());
            if is_any { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

async fn stored(watcher: &mut Watcher) {
    while let Ok(piece) = watcher.recv().await {
        if matches!(piece, LivePiece::Stored(_)) {
            return;
        }
    }
    // A slow watcher missed something, and reads the runs again.
}

/// How long to wait before runs are read again that another process may drive.
#[derive(Debug, Default)]
struct Pauses {
    version: Option<u64>,
    last: Duration,
}

impl Pauses {
    /// The next pause. It grows while nothing happens and a human has to answer. `version` counts the steps of all runs.
    fn next(&mut self, version: u64, is_suspended: bool) -> Duration {
        let is_same = self.version.replace(version) == Some(version);
        self.last = if is_same && is_suspended { LONGEST_POLL.min(self.last * 2) } else { POLL };
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_wait_for_a_human_are_read_seldom() {
        let mut pauses = Pauses::default();
        let mut check = |version, is_suspended, millis| {
            assert_eq!(pauses.next(version, is_suspended), Duration::from_millis(millis));
        };
        check(1, false, 500);
        check(1, false, 500);
        check(2, true, 500);
        for millis in [1000, 2000, 2000] {
            check(2, true, millis);
        }
        check(3, true, 500);
        check(3, true, 1000);
        check(3, false, 500);
    }
}
