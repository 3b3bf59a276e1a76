//! The waiters of this process, by approval.
//!
//! A waiter is an entry in a table, not a task or a timer, so tens of thousands cost only memory. The
//! ledger decides; this table only knows whom to wake.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot};

use crate::ids::ApprovalId;

/// Why a waiter was woken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WakeReason {
    /// The approval has ended; the ledger knows how.
    Resolved,
    /// The deadline has passed, and the ledger cannot record that.
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
    delayed: HashMap<ApprovalId, DelayedWake>,
    closing: bool,
    next: u64,
}

struct WaitedApproval {
    waiters: Vec<(u64, oneshot::Sender<WakeReason>)>,
    deadline: Option<Timestamp>,
}

#[derive(Default)]
struct DelayedWake {
    delays: usize,
    /// The wake-up that came meanwhile.
    reason: Option<WakeReason>,
}

impl Waiters {
    fn table(&self) -> MutexGuard<'_, Table> {
        // The table is consistent between any two statements, so a panic elsewhere leaves no partial
        // update.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to wait for an approval.
    pub(crate) fn wait(
        self: &Arc<Waiters>,
        id: ApprovalId,
        deadline: Option<Timestamp>,
        left: mpsc::UnboundedSender<ApprovalId>,
    ) -> Waiter {
        let (sender, woken) = oneshot::channel();
        let mut table = self.table();
        table.next += 1;
        let number = table.next;
        if table.closing {
            // The waiter holds the receiver, so this cannot be lost.
            let _ = sender.send(WakeReason::Closing);
        } else {
            let question = table
                .questions
                .entry(id)
                .or_insert_with(|| WaitedApproval { waiters: Vec::with_capacity(1), deadline });
            question.waiters.push((number, sender));
        }
        drop(table);
        Waiter { id, number, woken, waiting: Arc::clone(self), left }
    }

    /// Wakes all waiters of an approval, unless that is delayed.
    pub(crate) fn wake(&self, id: ApprovalId, woken: &WakeReason) {
        let question = {
            let mut table = self.table();
            if let Some(delayed) = table.delayed.get_mut(&id) {
                delayed.reason = Some(woken.clone());
                return;
            }
            table.questions.remove(&id)
        };
        for (_, sender) in question.into_iter().flat_map(|question| question.waiters) {
            // A waiter that has just left needs no wake-up.
            let _ = sender.send(woken.clone());
        }
    }

    /// Until the result is dropped, [`wake`](Waiters::wake) does not wake the waiters of this approval.
    pub(crate) fn delay_wake(self: &Arc<Waiters>, id: ApprovalId) -> WakeDelay {
        self.table().delayed.entry(id).or_default().delays += 1;
        WakeDelay { id, waiting: Arc::clone(self) }
    }

    fn end_delay(&self, id: ApprovalId) {
        let reason = {
            let mut table = self.table();
            let Some(delayed) = table.delayed.get_mut(&id) else { return };
            delayed.delays = delayed.delays.saturating_sub(1);
            if delayed.delays > 0 {
                return;
            }
            table.delayed.remove(&id).and_then(|delayed| delayed.reason)
        };
        if let Some(reason) = reason {
            self.wake(id, &reason);
        }
    }

    /// Wakes waiters whose deadline has passed.
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

    /// Wakes all waiters and accepts no more. Their approvals stay open.
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

    /// Whether anyone waits for an approval.
    pub(crate) fn has(&self, id: ApprovalId) -> bool {
        self.table().questions.contains_key(&id)
    }

    /// The number of approvals that somebody waits for.
    pub(crate) fn len(&self) -> usize {
        self.table().questions.len()
    }

    /// Removes a waiter. Returns whether it was the last one of an approval that nobody woke.
    fn leave(&self, id: ApprovalId, number: u64) -> bool {
        let mut table = self.table();
        let Some(question) = table.questions.get_mut(&id) else { return false };
        question.waiters.retain(|(other, _)| *other != number);
        let last = question.waiters.is_empty();
        if last {
            table.questions.remove(&id);
        }
        last
    }
}

/// Delays the wake-up of an approval's waiters until it is dropped.
pub(crate) struct WakeDelay {
    id: ApprovalId,
    waiting: Arc<Waiters>,
}

impl Drop for WakeDelay {
    fn drop(&mut self) {
        self.waiting.end_delay(self.id);
    }
}

/// A waiter. Dropping it means that the caller left.
pub(crate) struct Waiter {
    id: ApprovalId,
    number: u64,
    woken: oneshot::Receiver<WakeReason>,
    waiting: Arc<Waiters>,
    left: mpsc::UnboundedSender<ApprovalId>,
}

impl Waiter {
    /// Waits for the wake-up.
    pub(crate) async fn wait_for_wake(&mut self) -> WakeReason {
        // The sender is dropped without sending only when the table itself is dropped.
        (&mut self.woken).await.unwrap_or(WakeReason::Closing)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if self.waiting.leave(self.id, self.number) {
            // Without a background task nobody receives this, and the lease runs out.
            let _ = self.left.send(self.id);
        }
    }
}
