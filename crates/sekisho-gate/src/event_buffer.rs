//! The latest events, in memory, shared by all feeds.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::approval::Approval;
use crate::caller::IdempotencyKey;
use crate::ids::ApprovalId;
use crate::memory_size::{json_size, structure_size};
use crate::record::Event;

/// How many events are buffered.
const RECENT: usize = 1024;
/// The memory limit of the buffer in bytes. The newest event is always kept.
const RECENT_BYTES: usize = 4 << 20;

/// An approval larger than this, in bytes of memory, is not buffered. The ledger has it.
const MAX_BUFFERED_APPROVAL: usize = 64 << 10;

/// An event, with its approval as it was when the event was read.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedEvent {
    /// The event with its number.
    pub event: Event,
    /// What is always known about the approval, if the event is about one.
    pub summary: Option<ApprovalSummary>,
    /// The approval itself. None if it is too large; read it with
    /// [`Gate::approval_of`](crate::Gate::approval_of).
    pub approval: Option<Approval>,
}

/// What is known about an approval without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalSummary {
    /// Its id.
    pub id: ApprovalId,
    /// The credential of the caller.
    pub credential: String,
    /// The key by which repeated requests for the same call are recognised.
    pub key: Option<IdempotencyKey>,
    /// The memory it takes once read, in bytes
    /// ([`ApprovalRequest::memory_size`](crate::approval::ApprovalRequest::memory_size)).
    pub memory_size: usize,
    /// Whether it was still pending when the event was read.
    pub pending: bool,
}

impl FeedEvent {
    /// An event and its approval, if it is about one.
    pub fn new(event: Event, approval: Option<Approval>) -> FeedEvent {
        let about = approval.as_ref().map(ApprovalSummary::of);
        let approval = approval.filter(|approval| {
            let request_size = about.as_ref().map_or(0, |about| about.memory_size);
            request_size.saturating_add(progress_size(approval)) <= MAX_BUFFERED_APPROVAL
        });
        FeedEvent { event, summary: about, approval }
    }
}

impl ApprovalSummary {
    fn of(approval: &Approval) -> ApprovalSummary {
        ApprovalSummary {
            id: approval.id,
            credential: approval.asked.asker.credential.clone(),
            key: approval.asked.idempotency_key(),
            memory_size: approval.asked.memory_size(),
            pending: approval.is_pending(),
        }
    }
}

/// An answer can contain an input of its own.
fn progress_size(approval: &Approval) -> usize {
    let answered = approval.fate.state.answered();
    let input = answered.and_then(|answered| answered.answer.updated_input.as_ref());
    json_size(&approval.fate, MAX_BUFFERED_APPROVAL).saturating_add(input.map_or(0, structure_size))
}

/// The latest events, shared by all feeds.
pub(crate) struct EventBuffer {
    recent: Mutex<Recent>,
    last: watch::Sender<u64>,
}

#[derive(Default)]
struct Recent {
    /// The number of the event before the first buffered one. None until the ledger is being read.
    before: Option<u64>,
    changes: VecDeque<SizedEvent>,
    weight: usize,
}

struct SizedEvent {
    changed: Arc<FeedEvent>,
    weight: usize,
}

impl Recent {
    fn push(&mut self, changed: FeedEvent) {
        let at_hand = changed.approval.as_ref();
        let request_size =
            changed.summary.as_ref().filter(|_| at_hand.is_some()).map_or(0, |about| about.memory_size);
        let rest = json_size(&changed.event, RECENT_BYTES).saturating_add(at_hand.map_or(0, progress_size));
        let weight = rest.saturating_add(request_size);
        self.weight = self.weight.saturating_add(weight);
        self.changes.push_back(SizedEvent { changed: Arc::new(changed), weight });
        while self.changes.len() > RECENT || (self.weight > RECENT_BYTES && self.changes.len() > 1) {
            let Some(gone) = self.changes.pop_front() else { return };
            self.weight = self.weight.saturating_sub(gone.weight);
            self.before = Some(gone.changed.event.seq);
        }
    }
}

impl Default for EventBuffer {
    fn default() -> EventBuffer {
        EventBuffer { recent: Mutex::default(), last: watch::Sender::new(0) }
    }
}

impl EventBuffer {
    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies of each new event by its number.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    /// Starts the buffer: every event after this one will be published.
    pub(crate) fn begin(&self, seq: u64) {
        self.recent().before = Some(seq);
        self.last.send_replace(seq);
    }

    /// Adds the next event.
    pub(crate) fn publish(&self, changed: FeedEvent) {
        let seq = changed.event.seq;
        self.recent().push(changed);
        self.last.send_replace(seq);
    }

    /// The event after the given one.
    pub(crate) fn after(&self, seq: u64) -> NextEvent {
        let recent = self.recent();
        let Some(before) = recent.before else { return NextEvent::NotYet };
        let Some(index) = seq.checked_sub(before) else { return NextEvent::Missed };
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        recent
            .changes
            .get(index)
            .map_or(NextEvent::NotYet, |found| NextEvent::Ready(Arc::clone(&found.changed)))
    }

    /// How many events came after the given one. None if they are not all buffered.
    pub(crate) fn since(&self, seq: u64) -> Option<u64> {
        let before = self.recent().before?;
        let since = self.last.borrow().checked_sub(seq)?;
        (seq >= before).then_some(since)
    }
}

pub(crate) enum NextEvent {
    Ready(Arc<FeedEvent>),
    NotYet,
    Missed,
}
