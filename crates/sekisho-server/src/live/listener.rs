//! One who listens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sekisho_gate::feed::Feed;
use sekisho_gate::ledger::LedgerError;

use super::frame::{Frame, is_told};
use crate::app::App;
use crate::auth::Identity;
use crate::error::Fault;

/// How long after a failure the ledger is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// One listener's place in the stream, and what it may be told.
pub(crate) struct Listener {
    app: App,
    who: Identity,
    feed: Feed,
}

impl Listener {
    /// One that has heard everything up to an event, or nothing yet.
    pub(crate) fn new(app: &App, who: &Identity, from: Option<u64>) -> Listener {
        Listener { app: app.clone(), who: who.clone(), feed: app.gate().subscribe(from) }
    }

    /// The next thing to tell. Safe to drop and call again.
    pub(crate) async fn next(&mut self) -> Result<Arc<Frame>, LedgerError> {
        let frames = &self.app.inner.frames;
        loop {
            if let Some(changed) = self.feed.change().await? {
                if is_told(&self.who, &changed)
                    && let Some(frame) = frames.change(&changed, self.who.role)
                {
                    return Ok(frame);
                }
                continue;
            }
            match frames.snapshot(self.app.gate()).await {
                Ok(snapshot) => {
                    self.feed.go_on(snapshot.seq);
                    return Ok(snapshot.for_whom(&self.who));
                }
                Err(error) if error.passing => tokio::time::sleep(AGAIN).await,
                Err(error) => return Err(error),
            }
        }
    }
}

/// How many streams each credential has open.
#[derive(Debug, Default)]
pub(crate) struct Listeners(Mutex<HashMap<String, usize>>);

/// One open stream. Dropping it is the end of it.
pub(crate) struct Present {
    app: App,
    credential: String,
}

impl Listeners {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Present {
    /// Comes in, unless there are too many of that credential already.
    pub(crate) fn enter(app: &App, who: &Identity) -> Result<Present, Fault> {
        let most = app.settings().limits.listeners;
        let mut counts = app.inner.listeners.counts();
        let count = counts.entry(who.credential.clone()).or_default();
        if *count >= most {
            let message = format!("`{}` listens {most} times already", who.name);
            return Err(Fault::too_many(message).hint("close a stream of events that nobody reads"));
        }
        *count += 1;
        drop(counts);
        Ok(Present { app: app.clone(), credential: who.credential.clone() })
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        let mut counts = self.app.inner.listeners.counts();
        if let Some(count) = counts.get_mut(&self.credential) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.credential);
            }
        }
    }
}
