//! Reads the events of a streamed message.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::event_failure;
use crate::conversation::{AssistantPart, CallInput, Provider, ToolCall};
use crate::model::call_ids::CallIds;
use crate::model::call_input::InputReader;
use crate::model::failure::{Failure, quote, shortened};
use crate::model::reply_limits::{check_call, count_opaque};
use crate::model::streaming_client::{Progress, ReplyReader};
use crate::model::{ModelReply, ModelRequest, ReplyPiece, StopReason, Usage};

/// The most blocks of a message.
const MAX_BLOCKS: usize = 1000;

/// A message that is being received. Events and blocks of unknown kinds are fine; events in a wrong order are
/// not.
#[derive(Debug)]
pub(super) struct MessageReader {
    ids: CallIds,
    blocks: BTreeMap<u64, Block>,
    counts: Counts,
    /// The bytes of all parts that are sent back as they came.
    opaque: usize,
    stop_reason: Option<String>,
    has_started: bool,
    is_complete: bool,
}

/// A block of the message.
#[derive(Debug)]
struct Block {
    content: Content,
    is_open: bool,
}

#[derive(Debug)]
enum Content {
    Text(String),
    Call {
        id: String,
        name: String,
        input: String,
    },
    /// A block that is sent back as it came, and the JSON text of its input.
    Opaque {
        value: Value,
        input: String,
    },
}

/// The newest value of each count: later ones replace earlier ones.
#[derive(Debug, Default)]
struct Counts {
    uncached_input: u64,
    cache_write: u64,
    cache_read: u64,
    output: u64,
}

impl MessageReader {
    pub(super) fn new(request: &ModelRequest) -> MessageReader {
        MessageReader {
            ids: CallIds::new(request),
            blocks: BTreeMap::new(),
            counts: Counts::default(),
            opaque: 0,
            stop_reason: None,
            has_started: false,
            is_complete: false,
        }
    }

    fn start(&mut self, event: &Value) -> Result<(), Failure> {
        if std::mem::replace(&mut self.has_started, true) {
            return Err(Failure::bad_reply("a second message starts inside the first"));
        }
        self.counts.update(event.pointer("/message/usage"));
        Ok(())
    }

    fn start_block(&mut self, event: &Value, pieces: &mut Vec<ReplyPiece>) -> Result<(), Failure> {
        let index = index(event)?;
        if !self.has_started || self.blocks.contains_key(&index) || self.blocks.len() >= MAX_BLOCKS {
            return Err(Failure::bad_reply(format!("block {index} starts at a wrong place")));
        }
        let block = event.get("content_block").unwrap_or(&Value::Null);
        let content = match text(block, "type") {
            "" => return Err(Failure::bad_reply(format!("block {index} has no type"))),
            "text" => {
                let text = text(block, "text").to_owned();
                add_text(&text, pieces);
                Content::Text(text)
            }
            "tool_use" => self.start_call(block, pieces)?,
            _ => {
                count_opaque(&mut self.opaque, block.to_string().len())?;
                Content::Opaque { value: block.clone(), input: String::new() }
            }
        };
        self.blocks.insert(index, Block { content, is_open: true });
        Ok(())
    }

    fn start_call(&mut self, block: &Value, pieces: &mut Vec<ReplyPiece>) -> Result<Content, Failure> {
        let (name, given_id) = (text(block, "name"), block.get("id").and_then(Value::as_str));
        if name.is_empty() {
            return Err(Failure::bad_reply("a tool call has no name"));
        }
        check_call(name, given_id)?;
        let (name, id) = (name.to_owned(), self.ids.next(given_id));
        pieces.push(ReplyPiece::CallStarted { id: id.clone(), name: name.clone() });
        // Compatible servers send the whole input here; Anthropic sends an empty object and then pieces.
        let input = match block.get("input") {
            Some(Value::Object(input)) if !input.is_empty() => Value::Object(input.clone()).to_string(),
            _ => String::new(),
        };
        add_input(&id, &input, pieces);
        Ok(Content::Call { id, name, input })
    }

    fn continue_block(&mut self, event: &Value, pieces: &mut Vec<ReplyPiece>) -> Result<(), Failure> {
        let delta = event.get("delta").unwrap_or(&Value::Null);
        let mut opaque = self.opaque;
        let block = self.open_block(event)?;
        if matches!(block.content, Content::Opaque { .. }) {
            let added = ["partial_json", "thinking", "signature"].map(|name| text(delta, name).len());
            count_opaque(&mut opaque, added.into_iter().sum())?;
        }
        match (&mut block.content, text(delta, "type")) {
            (Content::Text(so_far), "text_delta") => {
                let more = text(delta, "text");
                so_far.push_str(more);
                add_text(more, pieces);
            }
            (Content::Call { id, input, .. }, "input_json_delta") => {
                let more = text(delta, "partial_json");
                input.push_str(more);
                add_input(id, more, pieces);
            }
            (Content::Opaque { input, .. }, "input_json_delta") => {
                input.push_str(text(delta, "partial_json"))
            }
            (Content::Opaque { value, .. }, "thinking_delta") => {
                if let Some(so_far) = text_mut(value, "thinking") {
                    so_far.push_str(text(delta, "thinking"));
                }
            }
            (Content::Opaque { value, .. }, "signature_delta") => {
                if let Some(signature) = text_mut(value, "signature") {
                    *signature = text(delta, "signature").to_owned();
                }
            }
            (_, "text_delta" | "input_json_delta" | "thinking_delta" | "signature_delta") => {
                return Err(Failure::bad_reply("a block continues as another kind of block"));
            }
            // Citations, and whatever will be added.
            _ => {}
        }
        self.opaque = opaque;
        Ok(())
    }

    fn end_block(&mut self, event: &Value) -> Result<(), Failure> {
        self.open_block(event)?.is_open = false;
        Ok(())
    }

    fn open_block(&mut self, event: &Value) -> Result<&mut Block, Failure> {
        let index = index(event)?;
        let block = self.blocks.get_mut(&index).filter(|block| block.is_open);
        block.ok_or_else(|| Failure::bad_reply(format!("block {index} goes on, but is not open")))
    }

    fn change_message(&mut self, event: &Value) -> Result<(), Failure> {
        if !self.has_started {
            return Err(Failure::bad_reply("a message changes before it starts"));
        }
        self.counts.update(event.get("usage"));
        if let Some(reason) = event.pointer("/delta/stop_reason").and_then(Value::as_str) {
            self.stop_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    fn end(&mut self) -> Result<Progress, Failure> {
        if self.stop_reason.is_none() {
            return Err(Failure::bad_reply("the message ends without a reason"));
        }
        if self.blocks.values().any(|block| block.is_open) {
            return Err(Failure::bad_reply("the message ends inside a block"));
        }
        self.is_complete = true;
        Ok(Progress::Complete)
    }
}

impl ReplyReader for MessageReader {
    fn take(&mut self, data: &str, pieces: &mut Vec<ReplyPiece>) -> Result<Progress, Failure> {
        let event: Value = serde_json::from_str(data)
            .map_err(|error| Failure::bad_reply(format!("an event is not JSON: {error}")))?;
        match text(&event, "type") {
            "message_start" => self.start(&event)?,
            "content_block_start" => self.start_block(&event, pieces)?,
            "content_block_delta" => self.continue_block(&event, pieces)?,
            "content_block_stop" => self.end_block(&event)?,
            "message_delta" => self.change_message(&event)?,
            "message_stop" => return self.end(),
            "error" => return Err(event_failure(event.get("error").unwrap_or(&Value::Null))),
            // Pings, and whatever will be added.
            _ => {}
        }
        Ok(Progress::More)
    }

    fn finish(self: Box<Self>) -> Result<ModelReply, Failure> {
        let Some(reason) = self.stop_reason.filter(|_| self.is_complete) else {
            return Err(Failure::cut("the stream ended before the message"));
        };
        let mut inputs = InputReader::default();
        let parts = self.blocks.into_values().filter_map(|block| block.content.part(&mut inputs).transpose());
        let parts = parts.collect::<Result<Vec<AssistantPart>, Failure>>()?;
        let has_calls = parts.iter().any(|part| matches!(part, AssistantPart::Call(_)));
        Ok(ModelReply { stop: stop_reason(reason, has_calls), usage: self.counts.usage(), parts })
    }
}

impl Content {
    /// The part of the reply. Empty texts are left out: nobody can send them back.
    fn part(self, inputs: &mut InputReader) -> Result<Option<AssistantPart>, Failure> {
        Ok(match self {
            Content::Text(text) if text.is_empty() => None,
            Content::Text(text) => Some(AssistantPart::Text { text }),
            Content::Call { id, name, input } => {
                Some(AssistantPart::Call(ToolCall { id, name, input: inputs.read(&input) }))
            }
            Content::Opaque { mut value, input } => {
                if !input.is_empty() {
                    let CallInput::Object(input) = inputs.read(&input) else {
                        return Err(Failure::bad_reply("the input of a server's tool is not a JSON object"));
                    };
                    if let Some(block) = value.as_object_mut() {
                        block.insert("input".into(), input);
                    }
                }
                Some(AssistantPart::Opaque { provider: Provider::Anthropic, value })
            }
        })
    }
}

impl Counts {
    fn update(&mut self, usage: Option<&Value>) {
        let count = |name: &str| usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
        for (field, name) in [
            (&mut self.uncached_input, "input_tokens"),
            (&mut self.cache_write, "cache_creation_input_tokens"),
            (&mut self.cache_read, "cache_read_input_tokens"),
            (&mut self.output, "output_tokens"),
        ] {
            *field = count(name).unwrap_or(*field);
        }
    }

    fn usage(&self) -> Usage {
        let cached = self.cache_write.saturating_add(self.cache_read);
        Usage {
            input: self.uncached_input.saturating_add(cached),
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
        }
    }
}

/// A reason that promises calls must have some, and calls that came whole are calls.
fn stop_reason(reason: String, has_calls: bool) -> StopReason {
    match reason.as_str() {
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "refusal" => StopReason::Refusal,
        "pause_turn" => StopReason::Paused,
        "tool_use" | "end_turn" | "stop_sequence" if has_calls => StopReason::ToolCalls,
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        _ => StopReason::Other(shortened(&quote(&reason))),
    }
}

fn index(event: &Value) -> Result<u64, Failure> {
    let index = event.get("index").and_then(Value::as_u64);
    index.ok_or_else(|| Failure::bad_reply("an event of a block has no index"))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A text field of a block, which is made if it is missing.
fn text_mut<'a>(block: &'a mut Value, name: &str) -> Option<&'a mut String> {
    match block.as_object_mut()?.entry(name).or_insert_with(|| Value::String(String::new())) {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn add_text(text: &str, pieces: &mut Vec<ReplyPiece>) {
    if !text.is_empty() {
        pieces.push(ReplyPiece::Text(text.to_owned()));
    }
}

fn add_input(id: &str, text: &str, pieces: &mut Vec<ReplyPiece>) {
    if !text.is_empty() {
        pieces.push(ReplyPiece::CallInput { id: id.to_owned(), text: text.to_owned() });
    }
}
