//! Writes a request for chat completions.

use serde_json::{Map, Value, json};

use crate::conversation::{AssistantPart, CallResult};
use crate::model::call_input::{is_tool_name, repeated, repeated_name};
use crate::model::failure::Failure;
use crate::model::turns::{Turn, turns};
use crate::model::{ModelErrorCode, ModelRequest};

/// The maximum number of tools in a request.
const MAX_TOOLS: usize = 128;

/// Which field of a request contains the maximum number of tokens of the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxTokensField {
    /// `max_tokens`, which every server reads.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models need.
    MaxCompletionTokens,
}

impl MaxTokensField {
    /// What a host reads, as far as is known.
    pub(super) fn for_host(host: &str) -> MaxTokensField {
        match host {
            "api.openai.com" => MaxTokensField::MaxCompletionTokens,
            _ => MaxTokensField::MaxTokens,
        }
    }

    fn name(self) -> &'static str {
        match self {
            MaxTokensField::MaxTokens => "max_tokens",
            MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// The body of a request.
pub(super) fn body(request: &ModelRequest, max_tokens_field: MaxTokensField) -> Result<Value, Failure> {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    body.insert(max_tokens_field.name().into(), json!(request.max_tokens));
    body.insert("stream".into(), json!(true));
    body.insert("stream_options".into(), json!({ "include_usage": true }));
    if let Some(temperature) = request.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    let tools = tools(request)?;
    if !tools.is_empty() {
        body.insert("tools".into(), Value::Array(tools));
    }
    body.insert("messages".into(), Value::Array(messages(request)));
    Ok(Value::Object(body))
}

/// Removes or renames a field that the model rejected: reasoning models have a fixed temperature, and accept
/// the token limit only under its newer name. Returns whether the body has changed.
pub(super) fn remove_field(body: &mut Value, field: &str) -> bool {
    let Some(body) = body.as_object_mut() else { return false };
    match field {
        "temperature" => body.remove("temperature").is_some(),
        "max_tokens" => match body.remove("max_tokens") {
            Some(limit) => body.insert("max_completion_tokens".into(), limit).is_none(),
            None => false,
        },
        _ => false,
    }
}

fn tools(request: &ModelRequest) -> Result<Vec<Value>, Failure> {
    let refuse = |message: String| Err(Failure::permanent(ModelErrorCode::BadRequest, message));
    if request.tools.len() > MAX_TOOLS {
        let count = request.tools.len();
        return refuse(format!("{count} tools are more than the {MAX_TOOLS} that the model may be offered."));
    }
    let mut tools = Vec::with_capacity(request.tools.len());
    for tool in &request.tools {
        if !is_tool_name(&tool.name) {
            return refuse(format!(
                "The tool `{}` cannot be offered to the model: names have 1 to 64 letters, digits, `_` and `-`.",
                tool.name
            ));
        }
        let (name, description, schema) = (&tool.name, &tool.description, &tool.input_schema);
        let function = json!({ "name": name, "description": description, "parameters": schema });
        tools.push(json!({ "type": "function", "function": function }));
    }
    Ok(tools)
}

fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut messages = Vec::new();
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for turn in turns(&request.messages) {
        match turn {
            Turn::User { results, texts } => {
                messages.extend(results.iter().map(result_message));
                if !texts.is_empty() {
                    messages.push(json!({ "role": "user", "content": texts.join("\n\n") }));
                }
            }
            Turn::Assistant(parts) => messages.extend(assistant_message(&parts)),
        }
    }
    messages
}

/// The message with a result. There is no field for errors, so the text says it.
fn result_message(result: &CallResult) -> Value {
    let content = match result.is_error {
        true => format!("Error: {}", result.content),
        false => result.content.clone(),
    };
    json!({ "role": "tool", "tool_call_id": result.call_id, "content": content })
}

/// The message of a reply. `None` if nothing of it can be sent back.
fn assistant_message(parts: &[AssistantPart]) -> Option<Value> {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in parts {
        match part {
            AssistantPart::Text { text: more } => text.push_str(more),
            AssistantPart::Call(call) => {
                let name = repeated_name(&call.name);
                let function = json!({ "name": name, "arguments": repeated(&call.input).to_string() });
                calls.push(json!({ "id": call.id, "type": "function", "function": function }));
            }
            AssistantPart::Opaque { .. } => {}
        }
    }
    let mut message = Map::new();
    message.insert("role".into(), json!("assistant"));
    let has_text = !text.trim().is_empty();
    message.insert("content".into(), if has_text { json!(text) } else { Value::Null });
    if !calls.is_empty() {
        message.insert("tool_calls".into(), Value::Array(calls));
    } else if !has_text {
        return None;
    }
    Some(Value::Object(message))
}
