//! Writes a request for the Messages API.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::conversation::{AssistantPart, CallResult, Message, Provider};
use crate::model::call_input::{is_tool_name, repeated, repeated_name};
use crate::model::failure::Failure;
use crate::model::turns::{Turn, turns};
use crate::model::{ModelErrorCode, ModelRequest};

/// The body of a request.
///
/// It marks four places for the prompt cache: the last tool, the system prompt, and the ends of the last two
/// user turns. The second to last is where the request before this one ended, so it is found again even if
/// more blocks came since than the provider looks back.
pub(super) fn body(request: &ModelRequest) -> Result<Value, Failure> {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    body.insert("max_tokens".into(), json!(request.max_tokens));
    body.insert("stream".into(), json!(true));
    if let Some(temperature) = request.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        let mut block = json!({ "type": "text", "text": system });
        mark_for_cache(&mut block);
        body.insert("system".into(), json!([block]));
    }
    let mut tools = tools(request)?;
    if tools.is_empty() {
        tools = called_tools(request);
        if !tools.is_empty() {
            body.insert("tool_choice".into(), json!({ "type": "none" }));
        }
    }
    if !tools.is_empty() {
        body.insert("tools".into(), Value::Array(tools));
    }
    body.insert("messages".into(), Value::Array(messages(request)));
    Ok(Value::Object(body))
}

/// The tools that the conversation has called. The API refuses calls without any tools, so these stand in for
/// them where none may be called any more.
fn called_tools(request: &ModelRequest) -> Vec<Value> {
    let parts = request.messages.iter().filter_map(|message| match message {
        Message::Assistant { parts } => Some(parts),
        Message::User { .. } | Message::Tools { .. } => None,
    });
    let names: BTreeSet<String> = parts
        .flatten()
        .filter_map(|part| match part {
            AssistantPart::Call(call) => Some(repeated_name(&call.name)),
            AssistantPart::Text { .. } | AssistantPart::Opaque { .. } => None,
        })
        .collect();
    let schema = json!({ "type": "object" });
    names.into_iter().map(|name| json!({ "name": name, "input_schema": schema })).collect()
}

fn tools(request: &ModelRequest) -> Result<Vec<Value>, Failure> {
    let mut tools = Vec::with_capacity(request.tools.len());
    for tool in &request.tools {
        if !is_tool_name(&tool.name) {
            return Err(Failure::permanent(
                ModelErrorCode::BadRequest,
                format!(
                    "The tool `{}` cannot be offered to the model: names have 1 to 64 letters, digits, `_` and `-`.",
                    tool.name
                ),
            ));
        }
        let (name, description, schema) = (&tool.name, &tool.description, &tool.input_schema);
        tools.push(json!({ "name": name, "description": description, "input_schema": schema }));
    }
    if let Some(last) = tools.last_mut() {
        mark_for_cache(last);
    }
    Ok(tools)
}

fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in turns(&request.messages) {
        let (role, blocks) = match turn {
            Turn::User { results, texts } => ("user", user_blocks(&results, &texts)),
            Turn::Assistant(parts) => ("assistant", parts.iter().filter_map(assistant_block).collect()),
        };
        if !blocks.is_empty() {
            messages.push((role, blocks));
        }
    }
    let user_turns = messages.iter_mut().rev().filter(|(role, _)| *role == "user").take(2);
    user_turns.filter_map(|(_, blocks)| blocks.last_mut()).for_each(mark_for_cache);
    messages.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn user_blocks(results: &[CallResult], texts: &[String]) -> Vec<Value> {
    let results = results.iter().map(|result| {
        let mut block = Map::new();
        block.insert("type".into(), json!("tool_result"));
        block.insert("tool_use_id".into(), json!(repeated_id(&result.call_id)));
        block.insert("content".into(), json!(result.content));
        if result.is_error {
            block.insert("is_error".into(), json!(true));
        }
        Value::Object(block)
    });
    results.chain(texts.iter().map(|text| json!({ "type": "text", "text": text }))).collect()
}

/// A part as it is sent back. The API refuses empty texts, and parts of other providers mean nothing to it.
fn assistant_block(part: &AssistantPart) -> Option<Value> {
    match part {
        AssistantPart::Text { text } if text.trim().is_empty() => None,
        AssistantPart::Text { text } => Some(json!({ "type": "text", "text": text })),
        AssistantPart::Call(call) => Some(json!({
            "type": "tool_use",
            "id": repeated_id(&call.id),
            "name": repeated_name(&call.name),
            "input": repeated(&call.input),
        })),
        AssistantPart::Opaque { provider: Provider::Anthropic, value } => Some(value.clone()),
        AssistantPart::Opaque { .. } => None,
    }
}

/// The id of a call, which another provider may have given in its own form.
fn repeated_id(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

fn mark_for_cache(block: &mut Value) {
    if let Some(block) = block.as_object_mut() {
        block.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    }
}
