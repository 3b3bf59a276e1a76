//! One subscriber of the event feed.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::answer::Role;
use sekisho_gate::feed::{Feed, FeedEvent};
use sekisho_gate::ledger::LedgerError;

use super::frame::{Frame, may_see_change};
use crate::app::App;
use crate::auth::Identity;
use crate::concurrency_limit::ConcurrencySlot;
use crate::error::ApiError;

/// How long to wait before reading the ledger again after a failure.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// A subscriber's position in the feed, and what it may see.
pub(crate) struct Subscriber {
    app: App,
    who: Identity,
    feed: Feed,
    /// The next event, if there was no memory for it yet.
    waiting: Option<Arc<FeedEvent>>,
}

impl Subscriber {
    /// A subscriber that has received everything up to an event, or nothing yet.
    pub(crate) fn new(app: &App, who: &Identity, from: Option<u64>) -> Subscriber {
        Subscriber { app: app.clone(), who: who.clone(), feed: app.gate().subscribe(from), waiting: None }
    }

    /// The next frame to send. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Result<Arc<Frame>, LedgerError> {
        let frames = &self.app.inner.frame_cache;
        loop {
            let changed = match self.waiting.take() {
                Some(changed) => Some(changed),
                None => self.feed.next_event().await?,
            };
            let (frame, seq) = match &changed {
                Some(changed) if !may_see_change(&self.who, changed) => continue,
                Some(change) => {
                    let read = self.app.gate().approval_of(change);
                    match frames.change(change, self.who.role, read).await {
                        Ok(Some(frame)) => (frame, None),
                        Ok(None) => continue,
                        Err(error) if error.transient => {
                            self.waiting = changed;
                            tokio::time::sleep(RETRY_DELAY).await;
                            continue;
                        }
                        Err(error) => return Err(error),
                    }
                }
                None => match frames.snapshot(self.app.gate()).await {
                    Ok(snapshot) => (snapshot.frame_for(&self.who), Some(snapshot.seq)),
                    Err(error) if error.transient => {
                        tokio::time::sleep(RETRY_DELAY).await;
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            if self.has_room(&frame) {
                seq.into_iter().for_each(|seq| self.feed.resume_after(seq));
                return Ok(frame);
            }
            // Other streams of the same credential are still slow to read earlier frames.
            self.waiting = changed;
            drop(frame);
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    /// Whether there is memory for a frame that is written for this credential alone.
    fn has_room(&self, frame: &Frame) -> bool {
        self.who.role > Role::Agent
            || frame.reserve(|| self.app.inner.memory_budget.reservation_for(&self.who.credential))
    }
}

/// Takes a stream slot, unless the credential has too many streams already.
pub(crate) fn acquire_stream_slot(app: &App, who: &Identity) -> Result<ConcurrencySlot, ApiError> {
    let most = app.settings().limits.listeners;
    app.inner.streams.acquire(&who.credential, most).ok_or_else(|| {
        let message = format!("`{}` has {most} event streams open already", who.name);
        ApiError::rate_limited(message).with_hint("close an event stream that is not in use")
    })
}
