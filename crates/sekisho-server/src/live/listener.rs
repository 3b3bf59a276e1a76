//! One who listens.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::answer::Role;
use sekisho_gate::feed::{Changed, Feed};
use sekisho_gate::ledger::LedgerError;

use super::frame::{Frame, is_told};
use crate::app::App;
use crate::at_once::One;
use crate::auth::Identity;
use crate::error::Fault;

/// How long after a failure the ledger is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// One listener's place in the stream, and what it may be told.
pub(crate) struct Listener {
    app: App,
    who: Identity,
    feed: Feed,
    /// What is next to tell, where there was no room for it.
    waiting: Option<Arc<Changed>>,
}

impl Listener {
    /// One that has heard everything up to an event, or nothing yet.
    pub(crate) fn new(app: &App, who: &Identity, from: Option<u64>) -> Listener {
        Listener { app: app.clone(), who: who.clone(), feed: app.gate().subscribe(from), waiting: None }
    }

    /// The next thing to tell. Safe to drop and call again.
    pub(crate) async fn next(&mut self) -> Result<Arc<Frame>, LedgerError> {
        let frames = &self.app.inner.frames;
        loop {
            let changed = match self.waiting.take() {
                Some(changed) => Some(changed),
                None => self.feed.change().await?,
            };
            let (frame, seq) = match &changed {
                Some(changed) if !is_told(&self.who, changed) => continue,
                Some(change) => {
                    let read = self.app.gate().question(change);
                    match frames.change(change, self.who.role, read).await {
                        Ok(Some(frame)) => (frame, None),
                        Ok(None) => continue,
                        Err(error) if error.passing => {
                            self.waiting = changed;
                            tokio::time::sleep(AGAIN).await;
                            continue;
                        }
                        Err(error) => return Err(error),
                    }
                }
                None => match frames.snapshot(self.app.gate()).await {
                    Ok(snapshot) => (snapshot.for_whom(&self.who), Some(snapshot.seq)),
                    Err(error) if error.passing => {
                        tokio::time::sleep(AGAIN).await;
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            if self.has_room(&frame) {
                seq.into_iter().for_each(|seq| self.feed.go_on(seq));
                return Ok(frame);
            }
            // Others who listen with the same credential are slow to take what they were told before.
            self.waiting = changed;
            drop(frame);
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Whether there is room for what is written for this credential alone.
    fn has_room(&self, frame: &Frame) -> bool {
        self.who.role > Role::Agent || frame.takes(|| self.app.inner.room.of(&self.who.credential))
    }
}

/// Comes in, unless there are too many of that credential already.
pub(crate) fn enter(app: &App, who: &Identity) -> Result<One, Fault> {
    let most = app.settings().limits.listeners;
    app.inner.streams.one(&who.credential, most).ok_or_else(|| {
        let message = format!("`{}` listens {most} times already", who.name);
        Fault::too_many(message).hint("close a stream of events that nobody reads")
    })
}
