//! The last events, kept at hand for everyone who listens.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::approval::Approval;
use crate::asker::Key;
use crate::ids::ApprovalId;
use crate::record::Event;
use crate::weight::{structure, weight};

/// How many events are kept at hand.
const RECENT: usize = 1024;
/// What they may weigh together; the newest is kept in any case.
const RECENT_BYTES: usize = 4 << 20;

/// A question that takes more memory than this is not kept at hand. The ledger has it.
const LIGHT: usize = 64 << 10;

/// A change, with the question it is about as it was when the change was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The change and its place.
    pub event: Event,
    /// What is always known of the question, for changes that are about one.
    pub about: Option<About>,
    /// The question itself; none where it is large: [`Gate::question`](crate::Gate::question) reads it.
    pub approval: Option<Approval>,
}

/// What is known of a question without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Its id.
    pub id: ApprovalId,
    /// The credential that asked it.
    pub credential: String,
    /// What makes its asking the same as another.
    pub key: Option<Key>,
    /// How many bytes of memory it takes when it is read ([`Asked::weight`](crate::approval::Asked::weight)).
    pub weight: usize,
    /// Whether nobody had answered when the change was read.
    pub pending: bool,
}

impl Changed {
    /// A change and the question it is about, if it is about one.
    pub fn new(event: Event, approval: Option<Approval>) -> Changed {
        let about = approval.as_ref().map(About::of);
        let approval = approval.filter(|approval| {
            let asked = about.as_ref().map_or(0, |about| about.weight);
            asked.saturating_add(weight_of_fate(approval)) <= LIGHT
        });
        Changed { event, about, approval }
    }
}

impl About {
    fn of(approval: &Approval) -> About {
        About {
            id: approval.id,
            credential: approval.asked.asker.credential.clone(),
            key: approval.asked.key(),
            weight: approval.asked.weight(),
            pending: approval.is_pending(),
        }
    }
}

/// An answer may have an input of its own.
fn weight_of_fate(approval: &Approval) -> usize {
    let answered = approval.fate.state.answered();
    let input = answered.and_then(|answered| answered.answer.updated_input.as_ref());
    weight(&approval.fate, LIGHT).saturating_add(input.map_or(0, structure))
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
        let at_hand = changed.approval.as_ref();
        let asked = changed.about.as_ref().filter(|_| at_hand.is_some()).map_or(0, |about| about.weight);
        let rest = weight(&changed.event, RECENT_BYTES).saturating_add(at_hand.map_or(0, weight_of_fate));
        let weight = rest.saturating_add(asked);
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
    pub(crate) fn publish(&self, changed: Changed) {
        let seq = changed.event.seq;
        self.recent().push(changed);
        self.last.send_replace(seq);
    }

    /// The event after one of them.
    pub(crate) fn after(&self, seq: u64) -> After {
        let recent = self.recent();
        let Some(before) = recent.before else { return After::NotYet };
        let Some(place) = seq.checked_sub(before) else { return After::Lost };
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        recent.changes.get(place).map_or(After::NotYet, |found| After::Here(Arc::clone(&found.changed)))
    }

    /// How many events came after one of them; none where they are not all at hand.
    pub(crate) fn since(&self, seq: u64) -> Option<u64> {
        let before = self.recent().before?;
        let since = self.last.borrow().checked_sub(seq)?;
        (seq >= before).then_some(since)
    }
}

pub(crate) enum After {
    Here(Arc<Changed>),
    NotYet,
    Lost,
}
