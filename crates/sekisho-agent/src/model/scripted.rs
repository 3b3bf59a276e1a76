//! A model whose replies come from a script, for demos and tests.
//!
//! A script is a JSON list. Each reply is the entry after that of the reply before, or the one that `next` names. The
//! place is found by going through the conversation again, so a script needs no memory and goes on after a restart.
//! An entry is a step, or a list of steps of which the first is taken whose `when` fits. After the last entry the
//! model only says that the script has ended.
//!
//! ```json
//! [
//!   { "text": "I will delete it.", "calls": [{ "name": "shell_exec", "input": { "command": "rm a" } }] },
//!   [
//!     { "when": { "last_contains": "denied" }, "text": "Then I leave it." },
//!     { "text": "Done.", "usage": { "input": 100, "output": 5 } }
//!   ]
//! ]
//! ```
//!
//! `{rest}` in the text of a step with `when` is what follows `last_contains` on its line in the last message, such as
//! the reason of a denial. A step with `"next": "again"` continues with the entry whose step has `"name": "again"`.
//! Other fields of a step: `stop`, `delay_ms`, `expect: { "contains": "…" }`, which fails the request if the last
//! message does not contain the text, and `error: { "code": "overloaded", "message": "…" }`. An `input` may also
//! be a string: the text as a model would write it, which need not be valid. A value `{{call_1_1.agent_id}}` in an
//! input stands for that field of the JSON result of that call.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use sekisho_gate::ledger::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::call_input::InputReader;
use super::failure::{Failure, quote, shortened};
use super::{
    Model, ModelError, ModelErrorCode, ModelReply, ModelRequest, PieceSink, ReplyPiece, StopReason, Usage,
};
use crate::conversation::{AssistantPart, CallInput, Message, ToolCall};

/// What the model says after its last step.
pub const LAST_WORDS: &str = "The script has ended.";
/// What stands for the text after the one that `when` looks for.
const REST: &str = "{rest}";
/// How many characters of that text are repeated.
const LONGEST_REST: usize = 300;
/// The longest delay in milliseconds.
const MAX_DELAY: u64 = 600_000;

/// A model that follows a script.
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    entries: Vec<Vec<Step>>,
}

/// One reply.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Step {
    /// The name of the entry, for `next`.
    name: Option<String>,
    /// The entry of the following reply, by its name. By default the one after this.
    next: Option<String>,
    /// Takes this step only if this holds. Without it, always.
    when: Option<When>,
    text: Option<String>,
    calls: Vec<ScriptedCall>,
    /// By default `tool_calls` if there are calls, else `end_turn`.
    stop: Option<StopReason>,
    usage: Usage,
    /// Fails the request if this does not hold.
    expect: Option<Expect>,
    /// Fails the request.
    error: Option<ScriptedError>,
    /// Waits before the reply.
    delay_ms: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct When {
    /// What the last message has to contain.
    last_contains: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// What the last message has to contain.
    contains: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedError {
    code: ModelErrorCode,
    message: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    /// By default made from the numbers of the step and the call.
    id: Option<String>,
    name: String,
    #[serde(default)]
    input: ScriptedInput,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a JSON object, or a string with the raw text of the input")]
enum ScriptedInput {
    Object(Map<String, Value>),
    /// The text of the input, as a model would write it. It may be broken.
    Raw(String),
}

impl Default for ScriptedInput {
    fn default() -> ScriptedInput {
        ScriptedInput::Object(Map::new())
    }
}

/// Why a script cannot be used: the place and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError(String);

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScriptError {}

impl ScriptedModel {
    /// Reads a script from a file.
    pub fn from_file(path: &Path) -> Result<ScriptedModel, ScriptError> {
        // Callers read this: they learn the name of the file, not where it is.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let wrong = |why: String| ScriptError(format!("Script `{}`: {why}", quote(&name)));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string().to_lowercase()))?;
        let value: Value =
            serde_json::from_str(&text).map_err(|error| wrong(format!("not JSON: {error}")))?;
        entries(value).map(|entries| ScriptedModel { entries }).map_err(wrong)
    }

    /// Reads a script.
    pub fn from_value(script: Value) -> Result<ScriptedModel, ScriptError> {
        let wrong = |why| ScriptError(format!("Script: {why}"));
        entries(script).map(|entries| ScriptedModel { entries }).map_err(wrong)
    }

    /// The step of the next reply. None after the last entry.
    fn step(&self, request: &ModelRequest) -> Result<Option<CurrentStep<'_>>, ModelError> {
        let place = self.place(&request.messages);
        let number = place + 1;
        let Some(entry) = self.entries.get(place) else { return Ok(None) };
        let last = last_text(&request.messages);
        let Some(step) = entry.iter().find(|step| step.fits(&last)) else {
            return Err(mismatch(number, "has no variant for the last message", &last));
        };
        match &step.expect {
            Some(expect) if !last.contains(&expect.contains) => {
                Err(mismatch(number, &format!("expects `{}` in the last message", expect.contains), &last))
            }
            _ => {
                Ok(Some(CurrentStep { reply: replies(&request.messages) + 1, step, rest: step.rest(&last) }))
            }
        }
    }

    /// The entry of the next reply: the steps of all earlier replies are gone through again.
    fn place(&self, messages: &[Message]) -> usize {
        let mut place = 0;
        for (at, message) in messages.iter().enumerate() {
            if !matches!(message, Message::Assistant { .. }) {
                continue;
            }
            let before = last_text(messages.get(..at).unwrap_or_default());
            let taken =
                self.entries.get(place).and_then(|entry| entry.iter().find(|step| step.fits(&before)));
            let next = taken.and_then(|step| step.next.as_deref()).and_then(|name| self.place_named(name));
            place = next.unwrap_or(place + 1);
        }
        place
    }

    fn place_named(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.iter().any(|step| step.name.as_deref() == Some(name)))
    }
}

impl Model for ScriptedModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
        pieces: &'a dyn PieceSink,
        cancellation: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let cancelled =
                || Err(Failure::permanent(ModelErrorCode::Cancelled, "The request was cancelled.").error);
            if cancellation.is_cancelled() {
                return cancelled();
            }
            let ending = Step { text: Some(LAST_WORDS.into()), ..Step::default() };
            let ending = CurrentStep { reply: 0, step: &ending, rest: None };
            let current = self.step(request)?.unwrap_or(ending);
            let step = current.step;
            if step.delay_ms > 0 {
                tokio::select! {
                    biased;
                    () = cancellation.cancelled() => return cancelled(),
                    () = tokio::time::sleep(Duration::from_millis(step.delay_ms)) => {}
                }
            }
            if let Some(error) = &step.error {
                return Err(Failure::permanent(error.code, error.message.clone()).error);
            }
            Ok(current.reply(&request.messages, pieces))
        })
    }
}

impl Step {
    fn fits(&self, last: &str) -> bool {
        self.when.as_ref().is_none_or(|when| last.contains(&when.last_contains))
    }

    /// What follows the text that `when` looks for, on the same line. None without `when`.
    fn rest(&self, last: &str) -> Option<String> {
        let (_, after) = last.split_once(&self.when.as_ref()?.last_contains)?;
        Some(after.lines().next().unwrap_or_default().chars().take(LONGEST_REST).collect())
    }
}

/// The step of a reply.
struct CurrentStep<'a> {
    /// The number of the reply.
    reply: usize,
    step: &'a Step,
    rest: Option<String>,
}

impl CurrentStep<'_> {
    fn text(&self) -> Option<String> {
        let text = self.step.text.as_ref()?;
        Some(self.rest.as_ref().map_or_else(|| text.clone(), |rest| text.replace(REST, rest)))
    }

    fn reply(&self, messages: &[Message], pieces: &dyn PieceSink) -> ModelReply {
        let step = self.step;
        let mut parts = Vec::new();
        if let Some(text) = self.text() {
            text.split_inclusive(' ').for_each(|word| pieces.take(ReplyPiece::Text(word.to_owned())));
            parts.push(AssistantPart::Text { text });
        }
        for (place, call) in step.calls.iter().enumerate() {
            let id = call.id_in(self.reply, place);
            pieces.take(ReplyPiece::CallStarted { id: id.clone(), name: call.name.clone() });
            let input = match &call.input {
                ScriptedInput::Object(input) => {
                    CallInput::Object(filled(&Value::Object(input.clone()), messages))
                }
                ScriptedInput::Raw(text) => InputReader::default().read(text),
            };
            let text = match &input {
                CallInput::Object(input) => input.to_string(),
                CallInput::Unreadable(text) => text.clone(),
            };
            pieces.take(ReplyPiece::CallInput { id: id.clone(), text });
            parts.push(AssistantPart::Call(ToolCall { id, name: call.name.clone(), input }));
        }
        let usual = if step.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolCalls };
        ModelReply { parts, stop: step.stop.clone().unwrap_or(usual), usage: step.usage }
    }
}

impl ScriptedCall {
    fn id_in(&self, number: usize, place: usize) -> String {
        self.id.clone().unwrap_or_else(|| format!("call_{number}_{}", place + 1))
    }
}

/// A value whose placeholders are replaced by what earlier results say. One that nothing is known for stays.
fn filled(value: &Value, messages: &[Message]) -> Value {
    match value {
        Value::String(text) => {
            let named = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}"));
            let found = named.and_then(|named| named.rsplit_once('.'));
            found.and_then(|(call, field)| field_of(call, field, messages)).unwrap_or_else(|| value.clone())
        }
        Value::Array(items) => items.iter().map(|item| filled(item, messages)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), filled(value, messages))).collect()
        }
        other => other.clone(),
    }
}

/// A field of the JSON result of a call.
fn field_of(call: &str, field: &str, messages: &[Message]) -> Option<Value> {
    let results = messages.iter().filter_map(|message| match message {
        Message::Tools { results } => Some(results),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    let result = results.flatten().find(|result| result.call_id == call)?;
    serde_json::from_str::<Value>(&result.content).ok()?.get(field).cloned()
}

/// Reads the entries of a script. Errors name the place in it.
fn entries(script: Value) -> Result<Vec<Vec<Step>>, String> {
    let Value::Array(entries) = script else { return Err("it must be a list of steps".into()) };
    let numbered = entries.into_iter().zip(1..);
    let entries: Vec<Vec<Step>> = numbered
        .map(|(entry, number)| match entry {
            Value::Array(variants) if variants.is_empty() => Err(format!("step {number} has no variants")),
            Value::Array(variants) => variants
                .into_iter()
                .zip(1..)
                .map(|(variant, place)| step(variant, number, &format!("step {number}, variant {place}")))
                .collect(),
            entry => Ok(vec![step(entry, number, &format!("step {number}"))?]),
        })
        .collect::<Result<_, String>>()?;
    check_names(&entries)?;
    Ok(entries)
}

/// Each name belongs to one entry, and each `next` names one.
fn check_names(entries: &[Vec<Step>]) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for (entry, number) in entries.iter().zip(1..) {
        let own: BTreeSet<&str> = entry.iter().filter_map(|step| step.name.as_deref()).collect();
        if let Some(name) = own.into_iter().find(|name| !names.insert(*name)) {
            return Err(format!("step {number}, `name`: another step is called `{}`", quote(name)));
        }
    }
    for (entry, number) in entries.iter().zip(1..) {
        let mut nexts = entry.iter().filter_map(|step| step.next.as_deref());
        if let Some(next) = nexts.find(|next| !names.contains(next)) {
            return Err(format!("step {number}, `next`: no step is called `{}`", quote(next)));
        }
    }
    Ok(())
}

fn step(value: Value, number: usize, place: &str) -> Result<Step, String> {
    let step: Step =
        serde_path_to_error::deserialize(value).map_err(|error| match error.path().to_string().as_str() {
            "." => format!("{place}: {}", error.inner()),
            path => format!("{place}, `{path}`: {}", error.inner()),
        })?;
    if step.delay_ms > MAX_DELAY {
        return Err(format!("{place}, `delay_ms`: {} is more than {MAX_DELAY}", step.delay_ms));
    }
    let mut ids = BTreeSet::new();
    for (index, call) in step.calls.iter().enumerate() {
        if !ids.insert(call.id_in(number, index)) {
            return Err(format!("{place}, `calls[{index}].id`: another call has the same id"));
        }
    }
    Ok(step)
}

/// How many replies a conversation has.
fn replies(messages: &[Message]) -> usize {
    messages.iter().filter(|message| matches!(message, Message::Assistant { .. })).count()
}

/// What the last message says.
fn last_text(messages: &[Message]) -> String {
    match messages.last() {
        None => String::new(),
        Some(Message::User { text }) => text.clone(),
        Some(Message::Assistant { parts }) => {
            let texts = parts.iter().filter_map(|part| match part {
                AssistantPart::Text { text } => Some(text.as_str()),
                AssistantPart::Call(_) | AssistantPart::Opaque { .. } => None,
            });
            texts.collect()
        }
        Some(Message::Tools { results }) => {
            results.iter().map(|result| result.content.as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}

fn mismatch(number: usize, why: &str, last: &str) -> ModelError {
    let message = format!("Step {number} of the script {why}, but it is `{}`", shortened(&quote(last)));
    Failure::permanent(ModelErrorCode::BadReply, message).error
}
