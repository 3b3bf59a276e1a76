//! One chunk of a stream, as Mastra's server sends it.

use serde_json::{Value, json};
use uuid::Uuid;

use super::position::Position;

/// A chunk of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WireChunk {
    /// Its type.
    pub(crate) kind: &'static str,
    /// What it says.
    pub(crate) payload: Value,
}

impl WireChunk {
    /// A chunk.
    pub(crate) fn new(kind: &'static str, payload: Value) -> WireChunk {
        WireChunk { kind, payload }
    }

    /// The whole chunk.
    pub(crate) fn json(&self, run: Uuid) -> Value {
        json!({ "type": self.kind, "runId": run, "from": "AGENT", "payload": self.payload })
    }

    /// The chunk as a server-sent event. Mastra's client reads only events of a single line, so the position follows
    /// as an event without data, which sets the last event id and nothing else.
    pub(crate) fn frame(&self, run: Uuid, position: Option<Position>) -> String {
        let data = self.json(run);
        match position {
            Some(position) => format!("data: {data}\n\nid: {position}\n\n"),
            None => format!("data: {data}\n\n"),
        }
    }
}
