//! A clock that moves only when a test moves it.
//!
//! Sleepers register their wakers with it. Moving the clock wakes them in the order of their times. It owns
//! no thread and never blocks, so it works under any runtime.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::clock::Clock;
use sekisho_gate::ledger::BoxFuture;

/// A clock that tests move. Clones share the same clock.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<ClockState>>);

#[derive(Debug)]
struct ClockState {
    now: Timestamp,
    /// By time, then in the order they went to sleep.
    sleepers: BTreeMap<(Timestamp, u64), Waker>,
    counted: u64,
}

impl Default for ManualClock {
    fn default() -> ManualClock {
        ManualClock::new()
    }
}

impl ManualClock {
    /// A clock at [`ManualClock::start`].
    pub fn new() -> ManualClock {
        ManualClock::at(ManualClock::start())
    }

    /// A clock at a time.
    pub fn at(now: Timestamp) -> ManualClock {
        ManualClock(Arc::new(Mutex::new(ClockState { now, sleepers: BTreeMap::new(), counted: 0 })))
    }

    /// The time of every new clock: 2026-01-01T00:00:00Z.
    pub fn start() -> Timestamp {
        Timestamp::constant(1_767_225_600, 0)
    }

    /// Advances the clock and wakes every sleeper that is due.
    pub fn advance(&self, by: SignedDuration) {
        let mut state = self.state();
        let now = state.now.checked_add(by).expect("a moment that a timestamp can hold");
        state.now = now;
        wake_due(state);
    }

    /// Sets the clock, also backwards, and wakes every sleeper that is due.
    pub fn set(&self, now: Timestamp) {
        let mut state = self.state();
        state.now = now;
        wake_due(state);
    }

    /// When the first sleeper is due.
    pub fn next_sleeper(&self) -> Option<Timestamp> {
        self.state().sleepers.keys().next().map(|(moment, _)| *moment)
    }

    /// The number of sleepers. Before a test moves the clock, it checks that the tasks it wants to wake are
    /// asleep.
    pub fn sleepers(&self) -> usize {
        self.state().sleepers.len()
    }

    fn state(&self) -> MutexGuard<'_, ClockState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes after releasing the lock: a waker may run anything.
fn wake_due(mut state: MutexGuard<'_, ClockState>) {
    let now = state.now;
    let later = state.sleepers.keys().copied().find(|(moment, _)| *moment > now);
    let asleep = later.map(|first| state.sleepers.split_off(&first)).unwrap_or_default();
    let due = std::mem::replace(&mut state.sleepers, asleep);
    drop(state);
    due.into_values().for_each(Waker::wake);
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.state().now
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(Sleep { clock: self.clone(), moment, place: None })
    }
}

struct Sleep {
    clock: ManualClock,
    moment: Timestamp,
    place: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let mut state = this.clock.state();
        if this.moment <= state.now {
            return Poll::Ready(());
        }
        let place = *this.place.get_or_insert_with(|| {
            state.counted += 1;
            state.counted
        });
        state.sleepers.insert((this.moment, place), context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            // The waker is dropped after the lock is released, because it may own anything.
            let waker = self.clock.state().sleepers.remove(&(self.moment, place));
            drop(waker);
        }
    }
}
