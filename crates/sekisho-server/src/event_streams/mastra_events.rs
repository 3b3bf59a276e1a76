//! The chunks of a run as clients of Mastra read them: what is stored, and the pieces of a reply while it arrives.

use sekisho_agent::model::ReplyPiece;
use sekisho_agent::runs::StoredChunk;
use serde_json::json;
use uuid::Uuid;

use super::run_stream::RunEncoding;
use crate::wire::mastra::chunk::WireChunk;
use crate::wire::mastra::encoder::{Encoder, Placed};
use crate::wire::mastra::position::Position;
use crate::wire::mastra::reply::{
    Reply, ReplyPart, WireCall, input_delta, input_start, step_start, text_delta, text_start,
};

/// How many stored chunks before a place are read again, for what later ones refer to: the calls of the open step.
const CONTEXT: u64 = 1024;

/// Writes the chunks of a run, after what the client has.
#[derive(Debug)]
pub(crate) struct MastraEvents {
    run: Uuid,
    encoder: Encoder,
    /// What the client has.
    sent: Position,
    /// The number of the last stored chunk that was read.
    read: u64,
    live: Option<LiveReply>,
}

/// The number of the stored chunk after which to read, for a client that has everything up to a place.
pub(crate) fn read_after(sent: Position) -> u64 {
    sent.seq.saturating_sub(CONTEXT)
}

impl MastraEvents {
    /// For a run of an agent.
    pub(crate) fn new(run: Uuid, agent: &str, sent: Position) -> MastraEvents {
        MastraEvents { run, encoder: Encoder::new(run, agent), sent, read: 0, live: None }
    }

    fn frames(&self, placed: Placed) -> String {
        placed.into_iter().map(|(position, chunk)| chunk.frame(self.run, position)).collect()
    }

    /// What was sent of a reply before it was stored counts if the stored reply begins with it.
    fn settle_live(&mut self, stored: &Reply) {
        let Some(live) = self.live.take() else { return };
        let part = if live.begins(stored) { live.sent() } else { 0 };
        if live.has_sent {
            self.sent = self.sent.max(Position { seq: stored.seq, part });
        }
    }
}

impl RunEncoding for MastraEvents {
    fn stored(&mut self, chunk: StoredChunk) -> String {
        self.read = chunk.seq;
        let mut text = String::new();
        if self.encoder.ends_reply(&chunk.chunk) {
            text = self.all_stored();
        }
        let placed = self.encoder.take(chunk, self.sent);
        text.push_str(&self.frames(placed));
        text
    }

    fn all_stored(&mut self) -> String {
        if let Some(stored) = self.encoder.open_reply().cloned() {
            self.settle_live(&stored);
        }
        let placed = self.encoder.flush(self.sent);
        self.frames(placed)
    }

    fn asked(&mut self) {
        self.live = Some(LiveReply::default());
    }

    fn piece(&mut self, piece: ReplyPiece) -> String {
        let Some(live) = &mut self.live else { return String::new() };
        let seq = self.read.saturating_add(1);
        let message = self.encoder.message_id();
        let placed = live.take(piece, seq, message);
        self.frames(placed)
    }

    fn lose_pieces(&mut self) {
        // Nothing further is sent of this reply before it is stored.
        if let Some(live) = &mut self.live {
            live.is_lost = true;
        }
    }
}

/// The part of a reply that was sent before it was stored.
#[derive(Debug, Default)]
struct LiveReply {
    reply: Reply,
    has_sent: bool,
    /// Whether pieces are missing.
    is_lost: bool,
}

impl LiveReply {
    fn take(&mut self, piece: ReplyPiece, seq: u64, message: &str) -> Placed {
        if self.is_lost {
            return Placed::new();
        }
        let mut chunks = Vec::new();
        if !std::mem::replace(&mut self.has_sent, true) {
            chunks.push((Some(Position { seq, part: 1 }), step_start(message)));
        }
        match piece {
            ReplyPiece::Text(text) => self.add_text(&text, seq, &mut chunks),
            ReplyPiece::CallStarted { id, name } => {
                chunks.push((None, input_start(&id, &name)));
                self.reply.parts.push(ReplyPart::Call(WireCall { id, name, args: json!({}) }));
            }
            ReplyPiece::CallInput { id, text } => match self.reply.parts.last() {
                Some(ReplyPart::Call(call)) if call.id == id => chunks.push((None, input_delta(call, &text))),
                // Inputs that come in turns are sent when they are stored.
                _ => self.is_lost = true,
            },
        }
        chunks
    }

    fn add_text(&mut self, text: &str, seq: u64, chunks: &mut Vec<(Option<Position>, WireChunk)>) {
        let is_text = |part: &ReplyPart| matches!(part, ReplyPart::Text(_));
        let before = self.reply.parts.iter().filter(|part| is_text(part)).count();
        let continues = self.reply.parts.last().is_some_and(is_text);
        let number = if continues { before.saturating_sub(1) } else { before };
        if !continues {
            let part = self.sent().saturating_add(1);
            chunks.push((Some(Position { seq, part }), text_start(number)));
        }
        self.reply.add_text(text);
        chunks.push((Some(Position { seq, part: self.sent() }), text_delta(number, text)));
    }

    /// How many parts of the reply were sent whole.
    fn sent(&self) -> u64 {
        let parts = self.reply.parts.iter().map(|part| match part {
            ReplyPart::Text(text) => 1 + text.chars().count() as u64,
            ReplyPart::Call(_) => 1,
        });
        let last_is_cut = self.is_lost && matches!(self.reply.parts.last(), Some(ReplyPart::Call(_)));
        (1 + parts.sum::<u64>()).saturating_sub(u64::from(last_is_cut))
    }

    /// Whether a reply begins with what was sent.
    fn begins(&self, stored: &Reply) -> bool {
        let sent = &self.reply.parts;
        let same = |(at, (sent, stored)): (usize, (&ReplyPart, &ReplyPart))| match (sent, stored) {
            (ReplyPart::Text(sent), ReplyPart::Text(stored)) if at + 1 == self.reply.parts.len() => {
                stored.starts_with(sent.as_str())
            }
            (ReplyPart::Text(sent), ReplyPart::Text(stored)) => sent == stored,
            (ReplyPart::Call(sent), ReplyPart::Call(stored)) => sent.id == stored.id,
            (ReplyPart::Text(_), ReplyPart::Call(_)) | (ReplyPart::Call(_), ReplyPart::Text(_)) => false,
        };
        sent.len() <= stored.parts.len() && sent.iter().zip(&stored.parts).enumerate().all(same)
    }
}
