//! The events of a run as our own clients read them: what is stored, and the text of a reply while it arrives.

use sekisho_agent::machine::Chunk;
use sekisho_agent::model::ReplyPiece;
use sekisho_agent::runs::StoredChunk;
use serde_json::{Value, json};
use uuid::Uuid;

use super::run_stream::RunEncoding;
use crate::wire::run_event::{event_of, frame};

/// Writes the events of a run.
#[derive(Debug)]
pub(crate) struct RunEvents {
    run: Uuid,
    live: LiveText,
}

impl RunEvents {
    /// For a run.
    pub(crate) fn new(run: Uuid) -> RunEvents {
        RunEvents { run, live: LiveText::default() }
    }

    fn frames(&self, events: &[(&'static str, Value)]) -> String {
        events.iter().map(|event| frame(self.run, None, event)).collect()
    }
}

impl RunEncoding for RunEvents {
    fn stored(&mut self, StoredChunk { seq, chunk }: StoredChunk) -> String {
        let mut text = String::new();
        if let Chunk::Text { text: whole } = &chunk {
            let events = self.live.finish(whole);
            text.push_str(&self.frames(&events));
        }
        text.push_str(&frame(self.run, Some(seq), &event_of(&chunk)));
        text
    }

    fn piece(&mut self, piece: ReplyPiece) -> String {
        let events = match piece {
            ReplyPiece::Text(text) => self.live.add(text),
            ReplyPiece::CallStarted { .. } | ReplyPiece::CallInput { .. } => Vec::new(),
        };
        self.frames(&events)
    }

    fn lose_pieces(&mut self) {
        self.live.lose();
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
