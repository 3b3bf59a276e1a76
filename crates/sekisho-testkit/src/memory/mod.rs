//! A ledger in memory.
//!
//! It does what a database store does, with the same pure functions, in one critical section per operation.
//! So what is true of the gate on this ledger is true on any store that passes
//! [`conformance`](crate::conformance). A handle is cheap to clone, and a gate restarted on a clone finds
//! everything its predecessor left.
//!
//! It can do on demand what a database does only by accident: be preempted around every critical section
//! ([`MemoryLedger::pause_with`]), and fail before or after a write ([`MemoryLedger::fail_next`],
//! [`MemoryLedger::fail_after_commit`]).

mod agents;
mod audit_chains;
mod audit_log;
mod failure_injection;
mod ledger;
mod past_calls;
mod pipelines;
mod rule_store;
mod run_storage;
mod runs;
mod state;
mod token_store;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sekisho_gate::ledger::{BoxFuture, LedgerError, LedgerFuture};
use sekisho_gate::record::AuditEntry;
use tokio::sync::watch;

use crate::inspect::{CallRow, ExecutionRow, Inspect};
pub use agents::MemoryAgents;
use failure_injection::FailureInjection;
pub use pipelines::MemoryPipelines;
pub use runs::MemoryRuns;
use state::State;

/// Runs before and after every critical section.
pub type Pause = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// A ledger in memory. Clones are handles to the same ledger.
#[derive(Clone)]
pub struct MemoryLedger(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    faults: Mutex<FailureInjection>,
    pause: Mutex<Option<Pause>>,
    pause_of_rows: Mutex<Option<Pause>>,
    head: watch::Sender<u64>,
    revision: watch::Sender<u64>,
}

/// Whether an operation can change anything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Default for MemoryLedger {
    fn default() -> MemoryLedger {
        MemoryLedger::new()
    }
}

impl MemoryLedger {
    /// An empty ledger.
    pub fn new() -> MemoryLedger {
        MemoryLedger(Arc::new(Inner {
            state: Mutex::default(),
            faults: Mutex::default(),
            pause: Mutex::default(),
            pause_of_rows: Mutex::default(),
            head: watch::Sender::new(0),
            revision: watch::Sender::new(0),
        }))
    }

    /// Runs `pause` before and after the critical section of every operation from now on, so that an explorer
    /// of interleavings can let another task go first there.
    pub fn pause_with(&self, pause: Pause) {
        *lock(&self.0.pause) = Some(pause);
    }

    /// Runs `pause` before the rows of the audit log are read in chain order, as for verification, and
    /// nowhere else.
    pub fn pause_rows_with(&self, pause: Pause) {
        *lock(&self.0.pause_of_rows) = Some(pause);
    }

    /// The next `operations` fail and change nothing.
    pub fn fail_next(&self, operations: usize) {
        lock(&self.0.faults).before = operations;
    }

    /// The next `writes` take effect, but their callers get an error, as when a connection is lost after the
    /// commit.
    pub fn fail_after_commit(&self, writes: usize) {
        lock(&self.0.faults).after = writes;
    }

    /// Every operation fails and changes nothing, until [`MemoryLedger::stop_failing`].
    pub fn fail_all(&self) {
        lock(&self.0.faults).down = true;
    }

    /// Ends all injected failures.
    pub fn stop_failing(&self) {
        *lock(&self.0.faults) = FailureInjection::default();
    }

    /// The audit log so far.
    pub fn entries(&self) -> Vec<AuditEntry> {
        lock(&self.0.state).entries.clone()
    }

    /// Every stored call, in order of their ids.
    pub fn calls(&self) -> Vec<CallRow> {
        lock(&self.0.state).calls.values().cloned().collect()
    }

    /// Every execution so far, in order of their ids.
    pub fn executions(&self) -> Vec<ExecutionRow> {
        lock(&self.0.state).executions.values().cloned().collect()
    }

    /// One operation: pause, critical section, pause. The lock is never held over an await.
    fn run<'a, T: Send + 'a>(
        &'a self,
        access: Access,
        work: impl FnOnce(&mut State) -> Result<T, LedgerError> + Send + 'a,
    ) -> LedgerFuture<'a, T> {
        Box::pin(async move {
            paused(&self.0.pause).await;
            let result = self.work(access, work);
            paused(&self.0.pause).await;
            result
        })
    }

    fn work<T>(
        &self,
        access: Access,
        work: impl FnOnce(&mut State) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        lock(&self.0.faults).before_work()?;
        let (result, head, revision) = {
            let mut state = lock(&self.0.state);
            let result = work(&mut state);
            (result, state.head(), state.revision)
        };
        // Published after the lock is released, because it wakes other tasks. The value never decreases, even
        // if two tasks publish at once.
        grow(&self.0.head, head);
        grow(&self.0.revision, revision);
        if access == Access::Write && result.is_ok() {
            lock(&self.0.faults).after_work()?;
        }
        result
    }
}

async fn paused(pause: &Mutex<Option<Pause>>) {
    let pause = lock(pause).clone();
    if let Some(pause) = pause {
        pause().await;
    }
}

fn grow(told: &watch::Sender<u64>, to: u64) {
    told.send_if_modified(|now| {
        let grows = to > *now;
        *now = to.max(*now);
        grows
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inspect for MemoryLedger {
    fn entries(&self) -> BoxFuture<'_, Vec<AuditEntry>> {
        Box::pin(async { MemoryLedger::entries(self) })
    }

    fn calls(&self) -> BoxFuture<'_, Vec<CallRow>> {
        Box::pin(async { MemoryLedger::calls(self) })
    }

    fn executions(&self) -> BoxFuture<'_, Vec<ExecutionRow>> {
        Box::pin(async { MemoryLedger::executions(self) })
    }
}
