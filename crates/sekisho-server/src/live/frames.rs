//! Everything to tell, written once for all who listen.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sekisho_gate::Gate;
use sekisho_gate::answer::Role;
use sekisho_gate::feed::Changed;
use sekisho_gate::ledger::LedgerError;

use super::frame::Frame;
use super::snapshot::Snapshot;

/// How many changes are kept as text. One that is further behind than that has its text made for it alone.
const KEPT: usize = 256;
/// How many bytes of them; the newest is kept in any case.
const KEPT_BYTES: usize = 16 << 20;
/// How things stood this many changes ago is told as it is, with the changes after it: that is less work than reading all
/// open questions again.
const NEAR: u64 = 64;

/// A change as text, made by the first who needs it; the others wait for that moment.
type Once = OnceLock<Option<Arc<Frame>>>;

/// A change as people see it, and as the agent does that it is about.
#[derive(Default)]
struct Texts {
    whole: Once,
    own: Once,
}

impl Texts {
    fn size(&self) -> usize {
        let made = [&self.whole, &self.own].into_iter().filter_map(|once| once.get()?.as_ref());
        made.map(|frame| frame.text().len()).sum()
    }
}

/// Changes as text, and how things stand.
#[derive(Default)]
pub(crate) struct Frames {
    changes: Mutex<VecDeque<(u64, Arc<Texts>)>>,
    standing: tokio::sync::Mutex<Option<Arc<Snapshot>>>,
}

impl Frames {
    /// A change as text; none for those that nobody is told. An agent sees less of it, however often it listens.
    pub(crate) fn change(&self, changed: &Changed, role: Role) -> Option<Arc<Frame>> {
        let texts = self.texts(changed.event.seq);
        let once = if role == Role::Agent { &texts.own } else { &texts.whole };
        once.get_or_init(|| Frame::of(changed, role).map(Arc::new)).clone()
    }

    fn texts(&self, seq: u64) -> Arc<Texts> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(place) = changes.binary_search_by_key(&seq, |(other, _)| *other)
            && let Some((_, texts)) = changes.get(place)
        {
            return Arc::clone(texts);
        }
        let texts = Arc::<Texts>::default();
        if changes.back().is_none_or(|(last, _)| *last < seq) {
            let size = |(_, texts): &(u64, Arc<Texts>)| texts.size();
            let mut bytes: usize = changes.iter().map(size).sum();
            while changes.len() >= KEPT || bytes > KEPT_BYTES {
                let Some(oldest) = changes.pop_front() else { break };
                bytes = bytes.saturating_sub(size(&oldest));
            }
            changes.push_back((seq, Arc::clone(&texts)));
            drop(changes);
            self.let_go(seq);
        }
        texts
    }

    /// Lets go of how things stood when that is too long ago to be told.
    fn let_go(&self, seq: u64) {
        if let Ok(mut standing) = self.standing.try_lock() {
            standing.take_if(|snapshot| seq.saturating_sub(snapshot.seq) > NEAR);
        }
    }

    /// How things stand. However many ask at once, the ledger is read once.
    pub(crate) async fn snapshot(&self, gate: &Gate) -> Result<Arc<Snapshot>, LedgerError> {
        let mut standing = self.standing.lock().await;
        let near = |snapshot: &&Arc<Snapshot>| {
            gate.changes_since(snapshot.seq).is_some_and(|changes| changes <= NEAR)
        };
        if let Some(snapshot) = standing.as_ref().filter(near) {
            return Ok(Arc::clone(snapshot));
        }
        // What happens while this is read comes after it, or is in it already.
        let read = gate.ledger().snapshot().await?;
        let snapshot = Arc::new(Snapshot::of(&read).await);
        *standing = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use sekisho_gate::answer::Role;
    use sekisho_gate::feed::Changed;
    use sekisho_gate::record::{Change, Event};

    use super::{Frames, KEPT};

    fn changed(seq: u64, change: Change) -> Changed {
        Changed { event: Event { seq, at: Timestamp::UNIX_EPOCH, change }, approval: None }
    }

    #[test]
    fn a_change_is_written_once() {
        let frames = Frames::default();
        let first = frames.change(&changed(1, Change::RulesChanged), Role::Admin).unwrap();
        let again = frames.change(&changed(1, Change::RulesChanged), Role::Admin).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(&first.text()[..], br#"{"type":"rules_changed","data":{},"seq":1}"#);
        assert_eq!(first.event().concat(), b"id: 1\nevent: rules_changed\ndata: {}\n\n");
        let own = frames.change(&changed(1, Change::RulesChanged), Role::Agent).unwrap();
        assert!(Arc::ptr_eq(&own, &frames.change(&changed(1, Change::RulesChanged), Role::Agent).unwrap()));
        assert!(frames.change(&changed(2, Change::TokensChanged), Role::Admin).is_none());
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_old_can_still_be_told() {
        let frames = Frames::default();
        let many = 3 * u64::try_from(KEPT).unwrap();
        for seq in 1..=many {
            frames.change(&changed(seq, Change::RulesChanged), Role::Admin).unwrap();
        }
        assert_eq!(frames.changes.lock().unwrap().len(), KEPT);
        let old = frames.change(&changed(1, Change::RulesChanged), Role::Admin).unwrap();
        assert_eq!(&old.event().concat()[..6], b"id: 1\n");
        assert_eq!(frames.changes.lock().unwrap().len(), KEPT);
    }
}
