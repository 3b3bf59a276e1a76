//! One who listens.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::feed::Feed;
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

/// Comes in, unless there are too many of that credential already.
pub(crate) fn enter(app: &App, who: &Identity) -> Result<One, Fault> {
    let most = app.settings().limits.listeners;
    app.inner.streams.one(&who.credential, most).ok_or_else(|| {
        let message = format!("`{}` listens {most} times already", who.name);
        Fault::too_many(message).hint("close a stream of events that nobody reads")
    })
}
