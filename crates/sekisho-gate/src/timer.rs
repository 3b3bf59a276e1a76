//! Wakes the gate's loop at the next deadline; there is one for all approvals.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::Notify;

use crate::clock::Clock;

/// Wakes at the earliest time that was set. Setting an earlier time wakes a sleeper that waits for a
/// later one.
#[derive(Default)]
pub(crate) struct Timer {
    next: Mutex<Option<Timestamp>>,
    earlier: Notify,
}

impl Timer {
    pub(crate) fn next(&self) -> Option<Timestamp> {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, moment: Option<Timestamp>) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = moment;
    }

    /// Wakes at the given time at the latest. An approval without a deadline wakes the task too, to
    /// renew the lease.
    pub(crate) fn set_no_later_than(&self, moment: Option<Timestamp>) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = match (*next, moment) {
            (None, moment) => Some(moment.unwrap_or(Timestamp::MIN)),
            (Some(next), Some(moment)) if moment < next => Some(moment),
            _ => None,
        };
        if earlier.is_some() {
            *next = earlier;
            drop(next);
            self.earlier.notify_one();
        }
    }

    /// Completes when the timer fires.
    pub(crate) async fn wait(&self, clock: &dyn Clock) {
        loop {
            let earlier = self.earlier.notified();
            let Some(next) = self.next() else {
                earlier.await;
                continue;
            };
            if next <= clock.now() {
                return;
            }
            tokio::select! {
                biased;
                () = earlier => {}
                () = clock.sleep_until(next) => {}
            }
        }
    }
}
