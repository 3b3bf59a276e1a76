//! A model whose replies come from a script, for demos and tests.
//!
//! A script is a JSON list. The reply to a request is the entry with the number of replies that the
//! conversation has so far, so a script needs no memory and goes on after a restart. An entry is a step, or a
//! list of steps of which the first is taken whose `when` fits. After the last entry the model only says that
//! the script has ended.
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
//! Other fields of a step: `stop`, `delay_ms`, `expect: { "contains": "…" }`, which fails the request if the last
//! message does not contain the text, and `error: { "code": "overloaded", "message": "…" }`. An `input` may also
//! be a string: the text as a model would write it, which need not be valid.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use sekisho_gate::ledger::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::call_input;
use super::failure::{Failure, quote, shortened};
use super::{
    Model, ModelError, ModelErrorCode, ModelReply, ModelRequest, PieceSink, ReplyPiece, StopReason, Usage,
};
use crate::conversation::{AssistantPart, CallInput, Message, ToolCall};

/// What the model says after its last step.
pub const LAST_WORDS: &str = "The script has ended.";
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
        let wrong = |why: String| ScriptError(format!("Script `{}`: {why}", quote(&path.to_string_lossy())));
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

    fn step(&self, request: &ModelRequest) -> Result<Option<(usize, &Step)>, ModelError> {
        let replies =
            request.messages.iter().filter(|message| matches!(message, Message::Assistant { .. })).count();
        let number = replies + 1;
        let Some(entry) = self.entries.get(replies) else { return Ok(None) };
        let last = last_text(request);
        let fits = |step: &&Step| step.when.as_ref().is_none_or(|when| last.contains(&when.last_contains));
        let Some(step) = entry.iter().find(fits) else {
            return Err(mismatch(number, "has no variant for the last message", &last));
        };
        match &step.expect {
            Some(expect) if !last.contains(&expect.contains) => {
                Err(mismatch(number, &format!("expects `{}` in the last message", expect.contains), &last))
            }
            _ => Ok(Some((number, step))),
        }
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
            let (number, step) = self.step(request)?.unwrap_or((0, &ending));
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
            Ok(step.reply(number, pieces))
        })
    }
}

impl Step {
    fn reply(&self, number: usize, pieces: &dyn PieceSink) -> ModelReply {
        let mut parts = Vec::new();
        if let Some(text) = &self.text {
            text.split_inclusive(' ').for_each(|word| pieces.take(ReplyPiece::Text(word.to_owned())));
            parts.push(AssistantPart::Text { text: text.clone() });
        }
        for (place, call) in self.calls.iter().enumerate() {
            let id = call.id_in(number, place);
            pieces.take(ReplyPiece::CallStarted { id: id.clone(), name: call.name.clone() });
            let input = match &call.input {
                ScriptedInput::Object(input) => CallInput::Object(Value::Object(input.clone())),
                ScriptedInput::Raw(text) => call_input::read(text),
            };
            let text = match &input {
                CallInput::Object(input) => input.to_string(),
                CallInput::Unreadable(text) => text.clone(),
            };
            pieces.take(ReplyPiece::CallInput { id: id.clone(), text });
            parts.push(AssistantPart::Call(ToolCall { id, name: call.name.clone(), input }));
        }
        let usual = if self.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolCalls };
        ModelReply { parts, stop: self.stop.clone().unwrap_or(usual), usage: self.usage }
    }
}

impl ScriptedCall {
    fn id_in(&self, number: usize, place: usize) -> String {
        self.id.clone().unwrap_or_else(|| format!("call_{number}_{}", place + 1))
    }
}

/// Reads the entries of a script. Errors name the place in it.
fn entries(script: Value) -> Result<Vec<Vec<Step>>, String> {
    let Value::Array(entries) = script else { return Err("it must be a list of steps".into()) };
    let numbered = entries.into_iter().zip(1..);
    numbered
        .map(|(entry, number)| match entry {
            Value::Array(variants) if variants.is_empty() => Err(format!("step {number} has no variants")),
            Value::Array(variants) => variants
                .into_iter()
                .zip(1..)
                .map(|(variant, place)| step(variant, number, &format!("step {number}, variant {place}")))
                .collect(),
            entry => Ok(vec![step(entry, number, &format!("step {number}"))?]),
        })
        .collect()
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

/// What the last message says.
fn last_text(request: &ModelRequest) -> String {
    match request.messages.last() {
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
