//! Events and snapshots as text, written once and shared by all subscribers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use sekisho_gate::Gate;
use sekisho_gate::answer::Role;
use sekisho_gate::approval::Approval;
use sekisho_gate::feed::FeedEvent;
use sekisho_gate::ledger::LedgerError;

use super::frame::Frame;
use super::snapshot::SnapshotFrames;

/// How many events are kept as text. A subscriber that is further behind gets a text of its own.
const KEPT: usize = 256;
/// How many bytes of them are kept; the newest is always kept.
const KEPT_BYTES: usize = 16 << 20;
/// A snapshot that is at most this many events old is sent as it is, followed by those events: that is less
/// work than reading all open approvals again.
const NEAR: u64 = 64;

/// How many bytes of earlier snapshots may still be in flight to slow subscribers. Beyond that, sending the
/// oldest stops.
const SENT_BYTES: usize = 128 << 20;

/// An event as text, written by the first subscriber that needs it; the others wait for it.
type Once = tokio::sync::Mutex<Option<CachedFrame>>;

/// A cached event text.
enum CachedFrame {
    /// No subscriber sees this event.
    Nothing,
    /// Kept in memory.
    Small(Arc<Frame>),
    /// Kept only while it is being sent. After that it is written again from the ledger.
    Large(Weak<Frame>),
}

/// An event as people see it, and as the agent it concerns sees it.
#[derive(Default)]
struct FrameVariants {
    whole: Once,
    own: Once,
}

impl FrameVariants {
    fn size(&self) -> usize {
        let size = |once: &Once| match once.try_lock().as_deref() {
            Ok(Some(CachedFrame::Small(frame))) => frame.text().len(),
            _ => 0,
        };
        size(&self.whole).saturating_add(size(&self.own))
    }
}

/// Events and the current snapshot, as text.
#[derive(Default)]
pub(crate) struct FrameCache {
    changes: Mutex<VecDeque<(u64, Arc<FrameVariants>)>>,
    snapshot: tokio::sync::Mutex<Option<Arc<SnapshotFrames>>>,
    sent: Mutex<SnapshotsInFlight>,
}

/// The snapshots for people, oldest first, while they are being sent.
#[derive(Default)]
struct SnapshotsInFlight(VecDeque<Weak<Frame>>);

impl SnapshotsInFlight {
    /// Adds a snapshot. Of those that have a newer version, at most `most` bytes continue to be sent.
    fn push(&mut self, frame: &Arc<Frame>, most: usize) {
        self.0.retain(|sent| sent.strong_count() > 0);
        let earlier: Vec<Arc<Frame>> = self.0.iter().filter_map(Weak::upgrade).collect();
        let mut bytes = 0usize;
        for frame in earlier.iter().rev() {
            bytes = bytes.saturating_add(frame.text().len());
            if bytes > most {
                frame.cancel();
            }
        }
        self.0.push_back(Arc::downgrade(frame));
    }
}

impl FrameCache {
    /// An event as text; `None` for events that nobody sees. An agent sees less of it. `read` provides the
    /// approval it is about.
    pub(crate) async fn change(
        &self,
        changed: &FeedEvent,
        role: Role,
        read: impl Future<Output = Result<Option<Approval>, LedgerError>>,
    ) -> Result<Option<Arc<Frame>>, LedgerError> {
        let texts = self.texts(changed.event.seq);
        let mut text = if role == Role::Agent { texts.own.lock().await } else { texts.whole.lock().await };
        let made = match &*text {
            Some(CachedFrame::Nothing) => return Ok(None),
            Some(CachedFrame::Small(frame)) => Some(Arc::clone(frame)),
            Some(CachedFrame::Large(frame)) => frame.upgrade(),
            None => None,
        };
        if made.is_some() {
            return Ok(made);
        }
        let frame = Frame::of(changed, read.await?.as_ref(), role).map(Arc::new);
        *text = Some(match &frame {
            None => CachedFrame::Nothing,
            Some(frame) if frame.is_large() => CachedFrame::Large(Arc::downgrade(frame)),
            Some(frame) => CachedFrame::Small(Arc::clone(frame)),
        });
        Ok(frame)
    }

    fn texts(&self, seq: u64) -> Arc<FrameVariants> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(index) = changes.binary_search_by_key(&seq, |(other, _)| *other)
            && let Some((_, texts)) = changes.get(index)
        {
            return Arc::clone(texts);
        }
        let texts = Arc::<FrameVariants>::default();
        if changes.back().is_none_or(|(last, _)| *last < seq) {
            let size = |(_, texts): &(u64, Arc<FrameVariants>)| texts.size();
            let mut bytes: usize = changes.iter().map(size).sum();
            while changes.len() >= KEPT || bytes > KEPT_BYTES {
                let Some(oldest) = changes.pop_front() else { break };
                bytes = bytes.saturating_sub(size(&oldest));
            }
            changes.push_back((seq, Arc::clone(&texts)));
            drop(changes);
            self.drop_old_snapshot(seq);
        }
        texts
    }

    /// Drops the snapshot when it is too old to be sent.
    fn drop_old_snapshot(&self, seq: u64) {
        if let Ok(mut cached) = self.snapshot.try_lock() {
            cached.take_if(|snapshot| seq.saturating_sub(snapshot.seq) > NEAR);
        }
    }

    /// The current snapshot. The ledger is read once, however many subscribers ask at the same time.
    pub(crate) async fn snapshot(&self, gate: &Gate) -> Result<Arc<SnapshotFrames>, LedgerError> {
        let mut cached = self.snapshot.lock().await;
        let near = |snapshot: &&Arc<SnapshotFrames>| {
            gate.events_since(snapshot.seq).is_some_and(|changes| changes <= NEAR)
        };
        if let Some(snapshot) = cached.as_ref().filter(near) {
            return Ok(Arc::clone(snapshot));
        }
        // An event during this read comes after the snapshot, or is already in it.
        let read = gate.ledger().snapshot().await?;
        let snapshot = Arc::new(SnapshotFrames::of(&read).await);
        *cached = Some(Arc::clone(&snapshot));
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).push(&snapshot.whole, SENT_BYTES);
        Ok(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use sekisho_gate::answer::Role;
    use sekisho_gate::approval::Approval;
    use sekisho_gate::caller::Caller;
    use sekisho_gate::feed::FeedEvent;
    use sekisho_gate::record::{Event, EventPayload};
    use sekisho_testkit::{block_on, fixtures};

    use super::{Frame, FrameCache, KEPT, SnapshotsInFlight};

    fn changed(seq: u64, change: EventPayload) -> FeedEvent {
        FeedEvent::new(Event { seq, at: Timestamp::UNIX_EPOCH, change }, None)
    }

    fn text(frames: &FrameCache, changed: &FeedEvent, role: Role) -> Option<Arc<Frame>> {
        block_on(frames.change(changed, role, async { Ok(None) })).unwrap()
    }

    #[test]
    fn event_text_is_written_once() {
        let frames = FrameCache::default();
        let first = text(&frames, &changed(1, EventPayload::RulesChanged), Role::Admin).unwrap();
        let again = text(&frames, &changed(1, EventPayload::RulesChanged), Role::Admin).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(&first.text()[..], br#"{"type":"rules_changed","data":{},"seq":1}"#);
        assert_eq!(first.sse_parts().concat(), b"id: 1\nevent: rules_changed\ndata: {}\n\n");
        let own = text(&frames, &changed(1, EventPayload::RulesChanged), Role::Agent).unwrap();
        assert!(Arc::ptr_eq(
            &own,
            &text(&frames, &changed(1, EventPayload::RulesChanged), Role::Agent).unwrap()
        ));
        assert!(text(&frames, &changed(2, EventPayload::TokensChanged), Role::Admin).is_none());
    }

    #[test]
    fn large_text_is_kept_only_while_it_is_sent() {
        let frames = FrameCache::default();
        let question = |size: usize| {
            let mut call = fixtures::call("c");
            call.input = serde_json::json!({ "text": "x".repeat(size) });
            fixtures::pending_approval(call, Caller::remote("token:x"), Timestamp::UNIX_EPOCH, None)
        };
        let frame_of = |seq, question: &Approval| {
            let changed = changed(seq, EventPayload::Opened { id: question.id });
            let read = async { Ok(Some(question.clone())) };
            block_on(frames.change(&changed, Role::Admin, read)).unwrap().unwrap()
        };
        for (seq, size, kept) in [(1, 1000, true), (2, 100_000, false)] {
            let question = question(size);
            let first = frame_of(seq, &question);
            assert!(Arc::ptr_eq(&first, &frame_of(seq, &question)));
            let weak = Arc::downgrade(&first);
            drop(first);
            assert_eq!(weak.upgrade().is_some(), kept, "{size}");
            assert!(frame_of(seq, &question).text().len() > size);
        }
    }

    #[test]
    fn cache_is_bounded_and_old_events_can_still_be_sent() {
        let frames = FrameCache::default();
        let many = 3 * u64::try_from(KEPT).unwrap();
        for seq in 1..=many {
            text(&frames, &changed(seq, EventPayload::RulesChanged), Role::Admin).unwrap();
        }
        assert_eq!(frames.changes.lock().unwrap().len(), KEPT);
        let old = text(&frames, &changed(1, EventPayload::RulesChanged), Role::Admin).unwrap();
        assert_eq!(&old.sse_parts().concat()[..6], b"id: 1\n");
        assert_eq!(frames.changes.lock().unwrap().len(), KEPT);
    }

    #[test]
    fn oldest_snapshots_in_flight_are_cancelled() {
        let frame = |seq, size| Arc::new(Frame::from_text(seq, "snapshot", "x".repeat(size)));
        let mut sent = SnapshotsInFlight::default();
        let mut all: Vec<Arc<Frame>> = (0..4).map(|seq| frame(seq, 1000)).collect();
        let push = |sent: &mut SnapshotsInFlight, all: &[Arc<Frame>]| {
            all.iter().for_each(|one| sent.push(one, 3500))
        };
        push(&mut sent, &all);
        let goes_on = |all: &[Arc<Frame>]| all.iter().map(|one| one.is_active()).collect::<Vec<_>>();
        assert_eq!(goes_on(&all), [true; 4]);
        all.push(frame(4, 1000));
        push(&mut sent, &all[4..]);
        assert_eq!(goes_on(&all), [false, true, true, true, true]);
        // Snapshots that are no longer being sent do not count.
        all.drain(..4);
        push(&mut sent, &[frame(5, 10)]);
        assert_eq!((goes_on(&all), sent.0.len()), (vec![true], 2));
    }
}
