//! A model's reply as a sequence of chunks, in the order in which Mastra's server sends those of an OpenAI-compatible
//! model: texts and inputs as they come, then the end of each.

use serde_json::{Value, json};

use super::chunk::WireChunk;
use super::position::Position;

/// A call of a reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WireCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) args: Value,
}

/// A part of a reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ReplyPart {
    Text(String),
    Call(WireCall),
}

/// A reply, and the number of the first chunk that it is stored as.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reply {
    pub(crate) seq: u64,
    pub(crate) parts: Vec<ReplyPart>,
}

impl Reply {
    /// Appends text. Texts without a call between them are one.
    pub(crate) fn add_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(ReplyPart::Text(before)) => before.push_str(text),
            _ => self.parts.push(ReplyPart::Text(text.to_owned())),
        }
    }

    /// The calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &WireCall> {
        self.parts.iter().filter_map(|part| match part {
            ReplyPart::Call(call) => Some(call),
            ReplyPart::Text(_) => None,
        })
    }

    /// All text.
    pub(crate) fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            ReplyPart::Text(text) => Some(text.as_str()),
            ReplyPart::Call(_) => None,
        });
        texts.collect()
    }

    /// The chunks after a number of parts that were sent, each with its position.
    pub(crate) fn chunks(&self, message_id: &str, sent: u64) -> Vec<(Option<Position>, WireChunk)> {
        let mut rest = Rest { seq: self.seq, sent, part: 0, chunks: Vec::new() };
        rest.add(step_start(message_id));
        let mut texts = 0;
        for part in &self.parts {
            match part {
                ReplyPart::Text(text) => {
                    rest.add(text_start(texts));
                    rest.add_text(texts, text);
                    texts += 1;
                }
                ReplyPart::Call(call) => {
                    rest.add_input([
                        input_start(&call.id, &call.name),
                        input_delta(call, &call.args.to_string()),
                    ]);
                }
            }
        }
        for text in 0..texts {
            let id = text_id(text);
            rest.add(WireChunk::new("text-end", json!({ "type": "text-end", "id": id })));
        }
        for call in self.calls() {
            rest.add(WireChunk::new("tool-call-input-streaming-end", json!({ "toolCallId": call.id })));
            rest.add(WireChunk::new("tool-call", called(call)));
        }
        rest.chunks
    }
}

/// Collects what was not sent.
struct Rest {
    seq: u64,
    sent: u64,
    part: u64,
    chunks: Vec<(Option<Position>, WireChunk)>,
}

impl Rest {
    fn add(&mut self, chunk: WireChunk) {
        self.part += 1;
        if self.part > self.sent {
            self.chunks.push((Some(self.position()), chunk));
        }
    }

    fn add_text(&mut self, number: usize, text: &str) {
        let before = self.part;
        self.part += text.chars().count() as u64;
        if self.part <= self.sent {
            return;
        }
        let known = self.sent.saturating_sub(before);
        let rest: String = text.chars().skip(usize::try_from(known).unwrap_or(usize::MAX)).collect();
        self.chunks.push((Some(self.position()), text_delta(number, &rest)));
    }

    /// The input of a call. It is one part: a client that left in the middle of it gets it again from its beginning.
    fn add_input(&mut self, chunks: [WireChunk; 2]) {
        self.part += 1;
        if self.part > self.sent {
            let [start, delta] = chunks;
            self.chunks.push((None, start));
            self.chunks.push((Some(self.position()), delta));
        }
    }

    fn position(&self) -> Position {
        Position { seq: self.seq, part: self.part }
    }
}

/// What chunks say of a call.
pub(super) fn called(call: &WireCall) -> Value {
    json!({ "toolCallId": call.id, "toolName": call.name, "args": call.args })
}

pub(crate) fn step_start(message_id: &str) -> WireChunk {
    WireChunk::new("step-start", json!({ "warnings": [], "messageId": message_id, "request": {} }))
}

pub(crate) fn text_start(number: usize) -> WireChunk {
    WireChunk::new("text-start", json!({ "id": text_id(number) }))
}

pub(crate) fn text_delta(number: usize, text: &str) -> WireChunk {
    WireChunk::new("text-delta", json!({ "id": text_id(number), "text": text }))
}

pub(crate) fn input_start(id: &str, name: &str) -> WireChunk {
    WireChunk::new("tool-call-input-streaming-start", json!({ "toolCallId": id, "toolName": name }))
}

pub(crate) fn input_delta(call: &WireCall, text: &str) -> WireChunk {
    let payload = json!({ "argsTextDelta": text, "toolCallId": call.id, "toolName": call.name });
    WireChunk::new("tool-call-delta", payload)
}

fn text_id(number: usize) -> String {
    format!("txt-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply() -> Reply {
        let mut reply = Reply { seq: 2, parts: Vec::new() };
        reply.add_text("I will ");
        reply.add_text("write é.");
        let args = json!({ "text": "abc" });
        reply.parts.push(ReplyPart::Call(WireCall { id: "c1".into(), name: "note".into(), args }));
        reply
    }

    fn kinds(chunks: &[(Option<Position>, WireChunk)]) -> Vec<&'static str> {
        chunks.iter().map(|(_, chunk)| chunk.kind).collect()
    }

    #[test]
    fn ends_follow_all_content() {
        let chunks = reply().chunks("m", 0);
        let expected = [
            "step-start",
            "text-start",
            "text-delta",
            "tool-call-input-streaming-start",
            "tool-call-delta",
            "text-end",
            "tool-call-input-streaming-end",
            "tool-call",
        ];
        assert_eq!(kinds(&chunks), expected);
    }

    #[test]
    fn any_place_continues_without_loss_or_repetition() {
        let whole = reply().chunks("m", 0);
        let text = |chunks: &[(Option<Position>, WireChunk)]| -> String {
            let deltas = chunks.iter().filter(|(_, chunk)| chunk.kind == "text-delta");
            deltas.map(|(_, chunk)| chunk.payload["text"].as_str().unwrap()).collect()
        };
        let last = whole.last().unwrap().0.unwrap().part;
        for sent in 0..=last {
            let rest = reply().chunks("m", sent);
            let known = whole.iter().filter(|(position, _)| position.is_some_and(|at| at.part <= sent));
            let structure = |(_, chunk): &&(Option<Position>, WireChunk)| chunk.kind != "text-delta";
            let with_place = rest.iter().filter(|(position, _)| position.is_some());
            let count = known.filter(structure).count() + with_place.filter(structure).count();
            assert_eq!(count, 7 - 1, "structure after {sent}");
            // Parts 1 and 2 come before the text.
            let read: String = "I will write é.".chars().take(sent.saturating_sub(2) as usize).collect();
            assert_eq!(read + &text(&rest), "I will write é.", "text after {sent}");
        }
        assert_eq!(reply().chunks("m", u64::MAX), []);
    }
}
