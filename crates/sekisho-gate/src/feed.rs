//! The stream of gate events: first a snapshot, then every event in order.
//!
//! There is one stream, the ledger's events. The background task reads them once and buffers the last
//! few hundred: fewer if they are large, and without large approvals. Each feed has its own position in
//! the buffer. A feed that falls behind gets a new snapshot and delays nobody else.

use std::sync::Arc;

use tokio::sync::watch;

use crate::approval::Approval;
use crate::event_buffer::NextEvent;
use crate::gate::{Gate, Inner};
use crate::ledger::{LedgerError, Snapshot};

pub use crate::event_buffer::{ApprovalSummary, FeedEvent};

/// An item of a feed.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// The current state. It replaces everything received before.
    Snapshot(Arc<Snapshot>),
    /// One event.
    Event(Arc<FeedEvent>),
}

/// One subscriber's position in the stream.
pub struct Feed {
    inner: Arc<Inner>,
    last: watch::Receiver<u64>,
    /// The number of the last event delivered. None means that a snapshot comes first.
    position: Option<u64>,
}

impl Gate {
    /// Subscribes. With the number of the last event received, delivers the events since then if they
    /// are still buffered. Otherwise a snapshot comes first.
    #[must_use]
    pub fn subscribe(&self, from: Option<u64>) -> Feed {
        let inner = Arc::clone(&self.inner);
        let last = inner.event_buffer.subscribe();
        let position = from.filter(|from| inner.event_buffer.since(*from).is_some());
        Feed { inner, last, position }
    }

    /// The approval an event is about, if it still exists: as it was when the event was read, or, if it
    /// is too large to be buffered, as it is now.
    pub async fn approval_of(&self, changed: &FeedEvent) -> Result<Option<Approval>, LedgerError> {
        match (&changed.approval, &changed.summary) {
            (Some(approval), _) => Ok(Some(approval.clone())),
            (None, Some(about)) => self.inner.ports.ledger.approval(about.id).await,
            (None, None) => Ok(None),
        }
    }

    /// How many events came after the given one. None if they are not all buffered.
    pub fn events_since(&self, seq: u64) -> Option<u64> {
        self.inner.event_buffer.since(seq)
    }
}

impl Feed {
    /// The next item. Cancel-safe.
    pub async fn next(&mut self) -> Result<Update, LedgerError> {
        if let Some(changed) = self.next_event().await? {
            return Ok(Update::Event(changed));
        }
        // Events that occur while this is read come after it or are already in it.
        let snapshot = self.inner.ports.ledger.snapshot().await?;
        self.position = Some(snapshot.seq);
        Ok(Update::Snapshot(Arc::new(snapshot)))
    }

    /// The next event, or `None` if a snapshot is needed first. For subscribers that share a snapshot
    /// and continue with [`Feed::resume_after`].
    pub async fn next_event(&mut self) -> Result<Option<Arc<FeedEvent>>, LedgerError> {
        loop {
            let Some(position) = self.position else { return Ok(None) };
            self.last.borrow_and_update();
            match self.inner.event_buffer.after(position) {
                NextEvent::Ready(changed) => {
                    self.position = Some(changed.event.seq);
                    return Ok(Some(changed));
                }
                NextEvent::Missed => self.position = None,
                NextEvent::NotYet => {
                    if self.last.changed().await.is_err() {
                        return Err(LedgerError::permanent("the gate is closed"));
                    }
                }
            }
        }
    }

    /// Continues after this event: the last one reflected in a snapshot that was delivered.
    pub fn resume_after(&mut self, seq: u64) {
        self.position = Some(seq);
    }
}
