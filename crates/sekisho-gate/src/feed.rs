//! What happens at the gate, for everyone who listens: first how things stand, then every change in order.
//!
//! The ledger's events are the one stream. The keeper reads them once and puts them here, the last few hundred; each
//! listener has its own place in them. One that falls behind is given how things stand again, and slows nobody.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::approval::Approval;
use crate::gate::{Gate, Inner};
use crate::ledger::{LedgerError, Snapshot};
use crate::record::Event;

/// How many events are kept at hand.
const RECENT: usize = 1024;

/// Something a listener is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// How things stand. What was told before is out of date.
    Snapshot(Arc<Snapshot>),
    /// One change.
    Change(Arc<Changed>),
}

/// A change, with the question it is about as it was when the change was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The change and its place.
    pub event: Event,
    /// The question, for changes that are about one.
    pub approval: Option<Approval>,
}

/// The last events, shared by all listeners.
pub(crate) struct Hub {
    recent: Mutex<VecDeque<Arc<Changed>>>,
    last: watch::Sender<u64>,
}

impl Default for Hub {
    fn default() -> Hub {
        Hub { recent: Mutex::default(), last: watch::Sender::new(0) }
    }
}

impl Hub {
    fn recent(&self) -> MutexGuard<'_, VecDeque<Arc<Changed>>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next event.
    pub(crate) fn publish(&self, changed: Changed) {
        let seq = changed.event.seq;
        let mut recent = self.recent();
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back(Arc::new(changed));
        drop(recent);
        self.last.send_replace(seq);
    }

    /// The event after one of them.
    fn after(&self, seq: u64) -> After {
        let recent = self.recent();
        let Some(first) = recent.front().map(|changed| changed.event.seq) else { return After::NotYet };
        let Some(place) = seq.saturating_add(1).checked_sub(first) else { return After::Lost };
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        recent.get(place).map_or(After::NotYet, |changed| After::Here(Arc::clone(changed)))
    }

    fn first(&self) -> Option<u64> {
        self.recent().front().map(|changed| changed.event.seq)
    }
}

enum After {
    Here(Arc<Changed>),
    NotYet,
    Lost,
}

/// One listener's place in the stream.
pub struct Feed {
    inner: Arc<Inner>,
    last: watch::Receiver<u64>,
    /// The last event told; none: how things stand comes first.
    place: Option<u64>,
}

impl Gate {
    /// Listens. With the number of the last event heard before, what came since is told where it is still at hand;
    /// otherwise, and without one, how things stand comes first.
    #[must_use]
    pub fn subscribe(&self, from: Option<u64>) -> Feed {
        let inner = Arc::clone(&self.inner);
        let last = inner.hub.last.subscribe();
        let at_hand = |from: &u64| {
            inner.hub.first().is_some_and(|first| from.saturating_add(1) >= first) && *from <= *last.borrow()
        };
        let place = from.filter(at_hand);
        Feed { inner, last, place }
    }
}

impl Feed {
    /// The next thing to know. Safe to drop and call again.
    pub async fn next(&mut self) -> Result<Update, LedgerError> {
        loop {
            let Some(place) = self.place else {
                // What happens while this is read comes after it, or is in it already.
                let snapshot = self.inner.ports.ledger.snapshot().await?;
                self.place = Some(snapshot.seq);
                return Ok(Update::Snapshot(Arc::new(snapshot)));
            };
            self.last.borrow_and_update();
            match self.inner.hub.after(place) {
                After::Here(changed) => {
                    self.place = Some(changed.event.seq);
                    return Ok(Update::Change(changed));
                }
                After::Lost => self.place = None,
                After::NotYet => {
                    if self.last.changed().await.is_err() {
                        return Err(LedgerError::lasting("the gate is closed"));
                    }
                }
            }
        }
    }
}
