//! Who waits for which answer, in this process.
//!
//! A waiter is a place in a table, not a task or a timer: tens of thousands cost memory only. The ledger decides; this
//! table only knows whom to wake.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot};

use crate::ids::ApprovalId;

/// Why a waiter was woken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WakeReason {
    /// The question has ended; the ledger knows how.
    Resolved,
    /// Its time is up, and the ledger cannot keep that.
    NotRecorded(String),
    /// The gate is closing.
    Closing,
}

/// All waiters of this process.
#[derive(Default)]
pub(crate) struct Waiters {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    questions: HashMap<ApprovalId, WaitedApproval>,
    closing: bool,
    next: u64,
}

struct WaitedApproval {
    waiters: Vec<(u64, oneshot::Sender<WakeReason>)>,
    deadline: Option<Timestamp>,
}

impl Waiters {
    fn table(&self) -> MutexGuard<'_, Table> {
        // The table is whole between any two statements, so a panic elsewhere leaves nothing half done.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to wait for a question.
    pub(crate) fn wait(
        self: &Arc<Waiters>,
        id: ApprovalId,
        deadline: Option<Timestamp>,
        left: mpsc::UnboundedSender<ApprovalId>,
    ) -> Waiter {
        let (sender, woken) = oneshot::channel();
        let mut table = self.table();
        table.next += 1;
        let place = table.next;
        if table.closing {
            // The receiver is kept by the waiter, so this cannot be missed.
            let _ = sender.send(WakeReason::Closing);
        } else {
            let question = table
                .questions
                .entry(id)
                .or_insert_with(|| WaitedApproval { waiters: Vec::with_capacity(1), deadline });
            question.waiters.push((place, sender));
        }
        drop(table);
        Waiter { id, place, woken, waiting: Arc::clone(self), left }
    }

    /// Wakes everyone who waits for a question.
    pub(crate) fn wake(&self, id: ApprovalId, woken: &WakeReason) {
        let question = self.table().questions.remove(&id);
        for (_, sender) in question.into_iter().flat_map(|question| question.waiters) {
            // One who left in this moment needs no waking.
            let _ = sender.send(woken.clone());
        }
    }

    /// Wakes those whose time is up.
    pub(crate) fn wake_due(&self, now: Timestamp, woken: &WakeReason) {
        let due: Vec<ApprovalId> = {
            let table = self.table();
            let late = |question: &WaitedApproval| question.deadline.is_some_and(|deadline| deadline <= now);
            table.questions.iter().filter(|(_, question)| late(question)).map(|(id, _)| *id).collect()
        };
        for id in due {
            self.wake(id, woken);
        }
    }

    /// Wakes everyone and lets nobody wait any more. What they waited for stays open.
    pub(crate) fn close(&self) {
        let questions = {
            let mut table = self.table();
            table.closing = true;
            std::mem::take(&mut table.questions)
        };
        for (_, sender) in questions.into_values().flat_map(|question| question.waiters) {
            let _ = sender.send(WakeReason::Closing);
        }
    }

    /// Whether anyone waits for a question.
    pub(crate) fn has(&self, id: ApprovalId) -> bool {
        self.table().questions.contains_key(&id)
    }

    /// How many questions somebody waits for.
    pub(crate) fn len(&self) -> usize {
        self.table().questions.len()
    }

    /// Takes a waiter's place away. Whether it was the last one of a question nobody woke.
    fn leave(&self, id: ApprovalId, place: u64) -> bool {
        let mut table = self.table();
        let Some(question) = table.questions.get_mut(&id) else { return false };
        question.waiters.retain(|(other, _)| *other != place);
        let last = question.waiters.is_empty();
        if last {
            table.questions.remove(&id);
        }
        last
    }
}

/// One who waits. Dropping it is going away.
pub(crate) struct Waiter {
    id: ApprovalId,
    place: u64,
    woken: oneshot::Receiver<WakeReason>,
    waiting: Arc<Waiters>,
    left: mpsc::UnboundedSender<ApprovalId>,
}

impl Waiter {
    /// Waits.
    pub(crate) async fn wait_for_wake(&mut self) -> WakeReason {
        // The sender is dropped unsent only when the table itself goes.
        (&mut self.woken).await.unwrap_or(WakeReason::Closing)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if self.waiting.leave(self.id, self.place) {
            // Without a keeper there is nobody to tell, and the lease runs out.
            let _ = self.left.send(self.id);
        }
    }
}
