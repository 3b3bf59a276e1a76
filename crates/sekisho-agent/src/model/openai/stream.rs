//! Reads the chunks of a streamed chat completion.

use serde_json::Value;

use super::call_pieces::CallPieces;
use super::error::chunk_failure;
use crate::conversation::AssistantPart;
use crate::model::call_ids::CallIds;
use crate::model::failure::{Failure, quote, shortened};
use crate::model::streaming_client::{Progress, ReplyReader};
use crate::model::{ModelErrorCode, ModelReply, ModelRequest, ReplyPiece, StopReason, Usage};

/// A reply that is being received. Reasoning is left out: most servers do not want it back. Text is never
/// searched for calls.
#[derive(Debug)]
pub(super) struct ChunkReader {
    text: String,
    refusal: String,
    calls: CallPieces,
    finish_reason: Option<String>,
    usage: Usage,
}

impl ChunkReader {
    pub(super) fn new(request: &ModelRequest) -> ChunkReader {
        ChunkReader {
            text: String::new(),
            refusal: String::new(),
            calls: CallPieces::new(CallIds::new(request)),
            finish_reason: None,
            usage: Usage::default(),
        }
    }

    fn take_choice(&mut self, choice: &Value, pieces: &mut Vec<ReplyPiece>) -> Result<(), Failure> {
        for (so_far, pointer) in [(&mut self.text, "/delta/content"), (&mut self.refusal, "/delta/refusal")] {
            let more = choice.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            if !more.is_empty() {
                so_far.push_str(more);
                pieces.push(ReplyPiece::Text(more.to_owned()));
            }
        }
        for entry in choice.pointer("/delta/tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.calls.take(entry, pieces)?;
        }
        match choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            Some("error") => {
                return Err(Failure::retryable(
                    ModelErrorCode::ProviderFailed,
                    "The provider failed while it replied, and does not say why.",
                ));
            }
            Some(reason) if self.finish_reason.is_none() => self.finish_reason = Some(reason.to_owned()),
            _ => {}
        }
        Ok(())
    }

    /// Takes the newest counts. Servers that count in every chunk count from the beginning.
    fn take_usage(&mut self, usage: &Value) {
        let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        for (field, pointer) in [
            (&mut self.usage.input, "/prompt_tokens"),
            (&mut self.usage.output, "/completion_tokens"),
            (&mut self.usage.cache_read, "/prompt_tokens_details/cached_tokens"),
            (&mut self.usage.cache_write, "/prompt_tokens_details/cache_write_tokens"),
        ] {
            *field = count(pointer).unwrap_or(*field);
        }
    }
}

impl ReplyReader for ChunkReader {
    fn take(&mut self, data: &str, pieces: &mut Vec<ReplyPiece>) -> Result<Progress, Failure> {
        if data.trim() == "[DONE]" {
            return Ok(Progress::Complete);
        }
        let chunk: Value = serde_json::from_str(data)
            .map_err(|error| Failure::bad_reply(format!("a chunk is not JSON: {error}")))?;
        if let Some(failure) = chunk_failure(&chunk) {
            return Err(failure);
        }
        if let Some(usage) = chunk.get("usage") {
            self.take_usage(usage);
        }
        let choices = chunk.get("choices").and_then(Value::as_array).into_iter().flatten();
        // Only one reply was asked for.
        for choice in choices.filter(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0) {
            self.take_choice(choice, pieces)?;
        }
        Ok(Progress::More)
    }

    fn finish(self: Box<Self>) -> Result<ModelReply, Failure> {
        let Some(reason) = self.finish_reason else {
            return Err(Failure::cut("the stream ended without a reason"));
        };
        let texts = [self.text, self.refusal.clone()].into_iter().filter(|text| !text.is_empty());
        let mut parts: Vec<AssistantPart> = texts.map(|text| AssistantPart::Text { text }).collect();
        let before = parts.len();
        parts.extend(self.calls.finish().map(AssistantPart::Call));
        let has_calls = parts.len() > before;
        let stop = match !self.refusal.is_empty() && reason != "length" {
            true => StopReason::Refusal,
            false => stop_reason(&reason, has_calls),
        };
        Ok(ModelReply { parts, stop, usage: self.usage })
    }
}

/// Calls count also where the reason is `stop`: some servers send it for every reply.
fn stop_reason(reason: &str, has_calls: bool) -> StopReason {
    match reason {
        "length" => StopReason::Length,
        "content_filter" => StopReason::Refusal,
        "stop" | "tool_calls" | "function_call" if has_calls => StopReason::ToolCalls,
        "stop" => StopReason::EndTurn,
        _ => StopReason::Other(shortened(&quote(reason))),
    }
}
