//! What happens at the gate, for everyone who listens: first how things stand, then every change in order.
//!
//! The ledger's events are the one stream. The keeper reads them once and puts them here, the last few hundred, or
//! fewer where they are large, and without the questions that are; each listener has its own place in them. One that falls behind is given how things stand again, and slows nobody.

use std::sync::Arc;

use tokio::sync::watch;

use crate::approval::Approval;
use crate::gate::{Gate, Inner};
use crate::event_buffer::NextEvent;
use crate::ledger::{LedgerError, Snapshot};

pub use crate::event_buffer::{ApprovalSummary, FeedEvent};

/// Something a listener is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// How things stand. What was told before is out of date.
    Snapshot(Arc<Snapshot>),
    /// One change.
    Event(Arc<FeedEvent>),
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
        let last = inner.hub.subscribe();
        let place = from.filter(|from| inner.hub.since(*from).is_some());
        Feed { inner, last, place }
    }

    /// The question that a change is about, if it is about one that is still there: as it was when the change was read, or, where
    /// it is too large to be kept at hand, as it is now.
    pub async fn approval_of(&self, changed: &FeedEvent) -> Result<Option<Approval>, LedgerError> {
        match (&changed.approval, &changed.summary) {
            (Some(approval), _) => Ok(Some(approval.clone())),
            (None, Some(about)) => self.inner.ports.ledger.approval(about.id).await,
            (None, None) => Ok(None),
        }
    }

    /// How many changes came after one of them; none where they are not all at hand.
    pub fn events_since(&self, seq: u64) -> Option<u64> {
        self.inner.hub.since(seq)
    }
}

impl Feed {
    /// The next thing to know. Safe to drop and call again.
    pub async fn next(&mut self) -> Result<Update, LedgerError> {
        if let Some(changed) = self.next_event().await? {
            return Ok(Update::Event(changed));
        }
        // What happens while this is read comes after it, or is in it already.
        let snapshot = self.inner.ports.ledger.snapshot().await?;
        self.place = Some(snapshot.seq);
        Ok(Update::Snapshot(Arc::new(snapshot)))
    }

    /// The next change; none: first it has to be told how things stand. For those who have a snapshot that many share,
    /// and [`Feed::go_on`] from there.
    pub async fn next_event(&mut self) -> Result<Option<Arc<FeedEvent>>, LedgerError> {
        loop {
            let Some(place) = self.place else { return Ok(None) };
            self.last.borrow_and_update();
            match self.inner.hub.after(place) {
                NextEvent::Ready(changed) => {
                    self.place = Some(changed.event.seq);
                    return Ok(Some(changed));
                }
                NextEvent::Missed => self.place = None,
                NextEvent::NotYet => {
                    if self.last.changed().await.is_err() {
                        return Err(LedgerError::permanent("the gate is closed"));
                    }
                }
            }
        }
    }

    /// Goes on after this event: the last that a snapshot reflects, which was told.
    pub fn resume_after(&mut self, seq: u64) {
        self.place = Some(seq);
    }
}
