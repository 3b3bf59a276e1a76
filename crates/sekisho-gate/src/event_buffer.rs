//! The last events, kept at hand for everyone who listens.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::approval::Approval;
use crate::caller::IdempotencyKey;
use crate::ids::ApprovalId;
use crate::record::Event;
use crate::memory_size::{structure_size, json_size};

/// How many events are kept at hand.
const RECENT: usize = 1024;
/// What they may weigh together; the newest is kept in any case.
const RECENT_BYTES: usize = 4 << 20;

/// A question that takes more memory than this is not kept at hand. The ledger has it.
const MAX_BUFFERED_APPROVAL: usize = 64 << 10;

/// A change, with the question it is about as it was when the change was read.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedEvent {
    /// The change and its place.
    pub event: Event,
    /// What is always known of the question, for changes that are about one.
    pub summary: Option<ApprovalSummary>,
    /// The question itself; none where it is large: [`Gate::question`](crate::Gate::question) reads it.
    pub approval: Option<Approval>,
}

/// What is known of a question without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalSummary {
    /// Its id.
    pub id: ApprovalId,
    /// The credential that asked it.
    pub credential: String,
    /// What makes its asking the same as another.
    pub key: Option<IdempotencyKey>,
    /// How many bytes of memory it takes when it is read ([`Asked::weight`](crate::approval::Asked::weight)).
    pub memory_size: usize,
    /// Whether nobody had answered when the change was read.
    pub pending: bool,
}

impl FeedEvent {
    /// A change and the question it is about, if it is about one.
    pub fn new(event: Event, approval: Option<Approval>) -> FeedEvent {
        let about = approval.as_ref().map(ApprovalSummary::of);
        let approval = approval.filter(|approval| {
            let asked = about.as_ref().map_or(0, |about| about.memory_size);
            asked.saturating_add(weight_of_fate(approval)) <= MAX_BUFFERED_APPROVAL
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

/// An answer may have an input of its own.
fn weight_of_fate(approval: &Approval) -> usize {
    let answered = approval.fate.state.answered();
    let input = answered.and_then(|answered| answered.answer.updated_input.as_ref());
    json_size(&approval.fate, MAX_BUFFERED_APPROVAL).saturating_add(input.map_or(0, structure_size))
}

/// The last events, shared by all listeners.
pub(crate) struct EventBuffer {
    recent: Mutex<Recent>,
    last: watch::Sender<u64>,
}

#[derive(Default)]
struct Recent {
    /// The event before the first one here; none: nobody reads the ledger yet.
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
        let asked = changed.summary.as_ref().filter(|_| at_hand.is_some()).map_or(0, |about| about.memory_size);
        let rest = json_size(&changed.event, RECENT_BYTES).saturating_add(at_hand.map_or(0, weight_of_fate));
        let weight = rest.saturating_add(asked);
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

    /// Hears of each new event, by its number.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    /// From now on every event after this one is told.
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

    /// The event after one of them.
    pub(crate) fn after(&self, seq: u64) -> NextEvent {
        let recent = self.recent();
        let Some(before) = recent.before else { return NextEvent::NotYet };
        let Some(place) = seq.checked_sub(before) else { return NextEvent::Missed };
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        recent.changes.get(place).map_or(NextEvent::NotYet, |found| NextEvent::Ready(Arc::clone(&found.changed)))
    }

    /// How many events came after one of them; none where they are not all at hand.
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
