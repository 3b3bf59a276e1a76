//! What happens at the gate, for everyone who listens: first how things stand, then every change in order.
//!
//! The ledger's events are the one stream. The keeper reads them once and puts them here, the last few hundred, or
//! fewer where they are large; each listener has its own place in them. One that falls behind is given how things stand again, and slows nobody.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::approval::Approval;
use crate::gate::{Gate, Inner};
use crate::ledger::{LedgerError, Snapshot};
use crate::record::Event;
use crate::weight::weight;

/// How many events are kept at hand.
const RECENT: usize = 1024;
/// What they may weigh together; the newest is kept in any case.
const RECENT_BYTES: usize = 4 << 20;

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
    recent: Mutex<Recent>,
    last: watch::Sender<u64>,
}

#[derive(Default)]
struct Recent {
    /// The event before the first one here; none: nobody reads the ledger yet.
    before: Option<u64>,
    changes: VecDeque<Weighed>,
    weight: usize,
}

struct Weighed {
    changed: Arc<Changed>,
    weight: usize,
}

impl Recent {
    fn push(&mut self, changed: Changed) {
        let weight = weight(&(&changed.event, &changed.approval), RECENT_BYTES);
        self.weight = self.weight.saturating_add(weight);
        self.changes.push_back(Weighed { changed: Arc::new(changed), weight });
        while self.changes.len() > RECENT || (self.weight > RECENT_BYTES && self.changes.len() > 1) {
            let Some(gone) = self.changes.pop_front() else { return };
            self.weight = self.weight.saturating_sub(gone.weight);
            self.before = Some(gone.changed.event.seq);
        }
    }
}

impl Default for Hub {
    fn default() -> Hub {
        Hub { recent: Mutex::default(), last: watch::Sender::new(0) }
    }
}

impl Hub {
    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on every event after this one is told.
    pub(crate) fn begin(&self, seq: u64) {
        self.recent().before = Some(seq);
        self.last.send_replace(seq);
    }

    /// Adds the next event.
    pub(crate) fn publish(&self, changed: Changed) {
        let seq = changed.event.seq;
        self.recent().push(changed);
        self.last.send_replace(seq);
    }

    /// The event after one of them.
    fn after(&self, seq: u64) -> After {
        let recent = self.recent();
        let Some(before) = recent.before else { return After::NotYet };
        let Some(place) = seq.checked_sub(before) else { return After::Lost };
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        recent.changes.get(place).map_or(After::NotYet, |found| After::Here(Arc::clone(&found.changed)))
    }

    /// How many events came after one of them; none where they are not all at hand.
    fn since(&self, seq: u64) -> Option<u64> {
        let before = self.recent().before?;
        let since = self.last.borrow().checked_sub(seq)?;
        (seq >= before).then_some(since)
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
        let place = from.filter(|from| inner.hub.since(*from).is_some());
        Feed { inner, last, place }
    }

    /// How many changes came after one of them; none where they are not all at hand.
    pub fn changes_since(&self, seq: u64) -> Option<u64> {
        self.inner.hub.since(seq)
    }
}

impl Feed {
    /// The next thing to know. Safe to drop and call again.
    pub async fn next(&mut self) -> Result<Update, LedgerError> {
        if let Some(changed) = self.change().await? {
            return Ok(Update::Change(changed));
        }
        // What happens while this is read comes after it, or is in it already.
        let snapshot = self.inner.ports.ledger.snapshot().await?;
        self.place = Some(snapshot.seq);
        Ok(Update::Snapshot(Arc::new(snapshot)))
    }

    /// The next change; none: first it has to be told how things stand. For those who have a snapshot that many share,
    /// and [`Feed::go_on`] from there.
    pub async fn change(&mut self) -> Result<Option<Arc<Changed>>, LedgerError> {
        loop {
            let Some(place) = self.place else { return Ok(None) };
            self.last.borrow_and_update();
            match self.inner.hub.after(place) {
                After::Here(changed) => {
                    self.place = Some(changed.event.seq);
                    return Ok(Some(changed));
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

    /// Goes on after this event: the last that a snapshot reflects, which was told.
    pub fn go_on(&mut self, seq: u64) {
        self.place = Some(seq);
    }
}
