//! Sends the events of a run: what is stored, and the text of a reply while it arrives.

use bytes::Bytes;
use sekisho_agent::driver::{LivePiece, Watcher};
use sekisho_agent::machine::Chunk;
use sekisho_agent::model::ReplyPiece;
use sekisho_agent::runs::StoredChunk;
use sekisho_agent::service::WaitUntil;
use sekisho_gate::ledger::LedgerError;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::server_sent_events::{COMMENT, send};
use super::stream_end::StreamEnd;
use crate::app::App;
use crate::wire::run_event::{DONE, event_of, frame};

/// How many stored events are read at a time.
const PAGE: usize = 64;
/// How often a run is read that another process may drive.
const POLL: std::time::Duration = std::time::Duration::from_millis(500);

/// Sends the events of a run after a number, until the run has ended or waits.
pub(crate) async fn send_run_events(
    app: &App,
    pieces: &mpsc::Sender<Bytes>,
    run: Uuid,
    after: u64,
    until: WaitUntil,
) -> StreamEnd {
    // Watch before reading, so that nothing in between is missed.
    let watcher = app.agents().driver().watch(run);
    let mut stream = RunStream { app, pieces, run, after, watcher, live: LiveText::default() };
    match stream.send_all(until).await {
        Ok(()) => StreamEnd::Finished,
        Err(Stop::End(end)) => end,
        Err(Stop::Ledger(error)) => {
            tracing::warn!(%error, "cannot send the events of a run any more");
            StreamEnd::LedgerDamaged
        }
    }
}

enum Stop {
    End(StreamEnd),
    Ledger(LedgerError),
}

impl From<LedgerError> for Stop {
    fn from(error: LedgerError) -> Stop {
        Stop::Ledger(error)
    }
}

struct RunStream<'a> {
    app: &'a App,
    pieces: &'a mpsc::Sender<Bytes>,
    run: Uuid,
    after: u64,
    watcher: Watcher,
    live: LiveText,
}

impl RunStream<'_> {
    async fn send_all(&mut self, until: WaitUntil) -> Result<(), Stop> {
        let service = self.app.agents();
        loop {
            // The state is read first: what was stored with it is then among the chunks.
            let Some(run) = service.runs().run(self.run).await? else { return Ok(()) };
            let is_over = service.has_reached(&run, until).await?;
            while self.send_stored().await? == PAGE {}
            if is_over {
                return self.send(DONE.to_owned()).await;
            }
            self.wait_for_step().await?;
        }
    }

    /// Sends the next stored events. Returns how many there were.
    async fn send_stored(&mut self) -> Result<usize, Stop> {
        let chunks = self.app.agents().runs().chunks(self.run, self.after, PAGE).await?;
        let count = chunks.len();
        for StoredChunk { seq, chunk } in chunks {
            let mut text = String::new();
            if let Chunk::Text { text: whole } = &chunk {
                for event in self.live.finish(whole) {
                    text.push_str(&frame(self.run, None, &event));
                }
            }
            text.push_str(&frame(self.run, Some(seq), &event_of(&chunk)));
            self.send(text).await?;
            self.after = seq;
        }
        Ok(count)
    }

    /// Sends the text of a reply while it arrives, until a step is stored.
    async fn wait_for_step(&mut self) -> Result<(), Stop> {
        let poll = Instant::now() + POLL;
        let comment = self.app.settings().limits.stream_timing.comment_interval;
        loop {
            let piece = tokio::select! {
                piece = self.watcher.recv() => piece,
                () = tokio::time::sleep_until(poll) => return Ok(()),
                () = sleep(comment) => return self.send(COMMENT.to_owned()).await,
            };
            let events = match piece {
                Ok(LivePiece::Stored) => return Ok(()),
                Ok(LivePiece::Piece(ReplyPiece::Text(text))) => self.live.add(text),
                Ok(LivePiece::Piece(_)) => Vec::new(),
                Ok(LivePiece::Restarted) | Err(RecvError::Lagged(_)) => {
                    self.live.lose();
                    Vec::new()
                }
                Err(RecvError::Closed) => return Ok(()),
            };
            for event in events {
                self.send(frame(self.run, None, &event)).await?;
            }
        }
    }

    async fn send(&self, text: String) -> Result<(), Stop> {
        let timeout = self.app.settings().limits.stream_timing.send_timeout;
        send(self.pieces, text.into(), timeout, || true).await.map_err(Stop::End)
    }
}

/// The text of a reply that was sent before it was stored.
#[derive(Debug, Default)]
struct LiveText {
    sent: String,
    /// Whether a `text-start` was sent whose text is not stored yet.
    is_open: bool,
}

impl LiveText {
    /// The events for more text.
    fn add(&mut self, text: String) -> Vec<(&'static str, Value)> {
        let mut events = self.open();
        self.sent.push_str(&text);
        events.push(("text-delta", json!({ "text": text })));
        events
    }

    /// What was sent does not count: the next text begins anew.
    fn lose(&mut self) {
        self.sent.clear();
        self.is_open = false;
    }

    /// The events before the end of a text that is stored now: what of it was not sent.
    fn finish(&mut self, whole: &str) -> Vec<(&'static str, Value)> {
        if let Some(rest) = self.sent.strip_prefix(whole).map(str::to_owned) {
            // The rest belongs to the next text of the same reply.
            let events = self.open();
            (self.sent, self.is_open) = (rest, false);
            return events;
        }
        if !whole.starts_with(&self.sent) {
            self.lose();
        }
        let mut events = self.open();
        if let Some(rest) = whole.strip_prefix(self.sent.as_str()).filter(|rest| !rest.is_empty()) {
            events.push(("text-delta", json!({ "text": rest })));
        }
        self.lose();
        events
    }

    fn open(&mut self) -> Vec<(&'static str, Value)> {
        match std::mem::replace(&mut self.is_open, true) {
            true => Vec::new(),
            false => vec![("text-start", json!({}))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that a client has after all events.
    fn read(events: &[(&'static str, Value)]) -> String {
        let mut text = String::new();
        for (kind, payload) in events {
            match *kind {
                "text-start" => text.clear(),
                _ => text.push_str(payload["text"].as_str().unwrap_or_default()),
            }
        }
        text
    }

    #[test]
    fn client_ends_with_the_stored_text() {
        let check = |pieces: &[&str], lost: bool, whole: &str| {
            let mut live = LiveText::default();
            let mut events: Vec<_> = pieces.iter().flat_map(|piece| live.add((*piece).into())).collect();
            if lost {
                live.lose();
            }
            events.extend(live.finish(whole));
            assert_eq!(read(&events), whole, "{events:?}");
            assert!(live.sent.is_empty() && !live.is_open);
        };
        check(&[], false, "all");
        check(&["a", "ll"], false, "all");
        check(&["a"], false, "all");
        check(&["ll"], false, "all");
        check(&["al"], true, "all");
    }

    #[test]
    fn text_of_a_later_part_is_not_sent_twice() {
        let mut live = LiveText::default();
        live.add("one".into());
        live.add("two".into());
        assert_eq!(live.finish("one"), []);
        let events = live.finish("two");
        assert_eq!(events.len(), 1, "{events:?}");
    }
}
