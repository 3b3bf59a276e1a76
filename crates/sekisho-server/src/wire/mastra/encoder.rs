//! Turns the stored chunks of a run into those of Mastra's wire.

use sekisho_agent::machine::{Chunk, FinishReason};
use sekisho_agent::model::Usage;
use sekisho_agent::runs::StoredChunk;
use serde_json::{Value, json};
use uuid::Uuid;

use super::chunk::WireChunk;
use super::payload;
use super::position::Position;
use super::reply::{Reply, ReplyPart, WireCall, called, step_start};

/// Chunks with their positions.
pub(crate) type Placed = Vec<(Option<Position>, WireChunk)>;

/// Turns the stored chunks of a run, in their order, into those of Mastra's wire.
#[derive(Debug)]
pub(crate) struct Encoder {
    agent: String,
    message_id: String,
    /// The reply that is being read: its chunks are stored together.
    open: Option<Reply>,
    /// The reply whose calls are under way.
    last: Reply,
    /// Whether the step of the last reply is under way.
    in_step: bool,
    /// The tokens of the last step, which is sent with the end of the run.
    last_step: Usage,
}

impl Encoder {
    /// For a run of an agent.
    pub(crate) fn new(run: Uuid, agent: &str) -> Encoder {
        Encoder {
            agent: agent.to_owned(),
            message_id: format!("msg-{run}"),
            open: None,
            last: Reply::default(),
            in_step: false,
            last_step: Usage::default(),
        }
    }

    /// The id of the message that the run writes.
    pub(crate) fn message_id(&self) -> &str {
        &self.message_id
    }

    /// The reply that is being read.
    pub(crate) fn open_reply(&self) -> Option<&Reply> {
        self.open.as_ref()
    }

    /// Whether a chunk ends the reply that is being read.
    pub(crate) fn ends_reply(&self, chunk: &Chunk) -> bool {
        self.open.is_some() && !matches!(chunk, Chunk::Text { .. } | Chunk::ToolCall { .. })
    }

    /// Takes the next stored chunk. `sent` are the parts that the client has of the reply or chunk that begins at a
    /// number. A reply is complete when something else follows, or [`Encoder::flush`] says that nothing does.
    pub(crate) fn take(&mut self, stored: StoredChunk, sent: Position) -> Placed {
        let StoredChunk { seq, chunk } = stored;
        match chunk {
            Chunk::Text { text } => {
                self.reply_at(seq).add_text(&text);
                return Placed::new();
            }
            Chunk::ToolCall { tool_call_id: id, tool_name: name, args } => {
                self.reply_at(seq).parts.push(ReplyPart::Call(WireCall { id, name, args }));
                return Placed::new();
            }
            _ => {}
        }
        let mut placed = self.flush(sent);
        let chunks = self.others(seq, chunk);
        for (chunk, part) in chunks.into_iter().zip(1..) {
            let position = Position { seq, part };
            if position > sent {
                placed.push((Some(position), chunk));
            }
        }
        placed
    }

    /// Ends the reply that is being read, if any.
    pub(crate) fn flush(&mut self, sent: Position) -> Placed {
        let Some(reply) = self.open.take() else { return Placed::new() };
        let known = match reply.seq.cmp(&sent.seq) {
            std::cmp::Ordering::Less => u64::MAX,
            std::cmp::Ordering::Equal => sent.part,
            std::cmp::Ordering::Greater => 0,
        };
        let chunks = reply.chunks(&self.message_id, known);
        (self.last, self.in_step) = (reply, true);
        chunks
    }

    fn reply_at(&mut self, seq: u64) -> &mut Reply {
        self.open.get_or_insert_with(|| Reply { seq, parts: Vec::new() })
    }

    fn others(&mut self, seq: u64, chunk: Chunk) -> Vec<WireChunk> {
        match chunk {
            Chunk::Text { .. } | Chunk::ToolCall { .. } => Vec::new(),
            Chunk::UserMessage { .. } if seq == 1 => {
                vec![WireChunk::new("start", json!({ "id": self.agent, "messageId": self.message_id }))]
            }
            // Mastra has no such chunk.
            Chunk::UserMessage { .. } | Chunk::Folded { .. } => Vec::new(),
            Chunk::ToolCallApproval { tool_call_id: id, tool_name: name, args, .. } => {
                let mut payload = called(&WireCall { id, name, args });
                if let Some(fields) = payload.as_object_mut() {
                    fields.insert("resumeSchema".into(), payload::RESUME_SCHEMA.into());
                }
                vec![WireChunk::new("tool-call-approval", payload)]
            }
            Chunk::ToolEnded { tool_call_id: id, tool_name: name, result } => {
                let known = self.last.calls().find(|call| call.id == id).cloned();
                let call = known.unwrap_or(WireCall { id, name, args: json!({}) });
                vec![payload::ended(&call, &result)]
            }
            Chunk::StepFinished { usage, continues: true } => {
                self.in_step = false;
                let has_calls = self.last.calls().next().is_some();
                let names = if has_calls { ("tool-calls", "tool_calls") } else { ("stop", "stop") };
                vec![self.end("step-finish", names, true, usage)]
            }
            // Why it does not continue is known with the end of the run, which is stored together with it.
            Chunk::StepFinished { usage, continues: false } => {
                self.last_step = usage;
                Vec::new()
            }
            Chunk::Finished { reason, usage } => self.finished(&reason, usage),
        }
    }

    fn finished(&mut self, reason: &FinishReason, usage: Usage) -> Vec<WireChunk> {
        let names = payload::finish_names(reason);
        let mut chunks = Vec::new();
        if let FinishReason::Error { error } = reason {
            // The model was asked, and no reply came.
            (self.last, self.in_step) = (Reply::default(), true);
            chunks.push(step_start(&self.message_id));
            let error = json!({ "name": "Error", "message": error.message, "code": error.code });
            chunks.push(WireChunk::new("error", json!({ "type": "error", "error": error })));
        }
        let last_step = std::mem::take(&mut self.last_step);
        if std::mem::take(&mut self.in_step) {
            chunks.push(self.end("step-finish", names, false, last_step));
        }
        if let FinishReason::Aborted { why } = reason {
            chunks.push(WireChunk::new("abort", json!({ "reason": why })));
        }
        chunks.push(self.end("finish", names, false, usage));
        chunks
    }

    /// The end of a step or a run.
    fn end(
        &self,
        kind: &'static str,
        (reason, raw): (&str, &str),
        continues: bool,
        usage: Usage,
    ) -> WireChunk {
        let calls: Vec<Value> = self.last.calls().map(called).collect();
        let payload = json!({
            "messageId": self.message_id,
            "stepResult": { "reason": reason, "rawReason": raw, "isContinued": continues },
            "output": { "text": self.last.text(), "toolCalls": calls, "usage": payload::usage(usage) },
        });
        WireChunk::new(kind, payload)
    }
}
