//! Reading a tool's input, and showing names from it.

use std::path::Path;

use sekisho_gate::display::{Layout, visible};
use serde_json::Value;

use crate::tool_result::ToolResult;

/// A required string.
pub(crate) fn required<'v>(input: &'v Value, name: &str) -> Result<&'v str, ToolResult> {
    match input.get(name) {
        Some(Value::String(text)) => Ok(text),
        None | Some(Value::Null) => Err(ToolResult::error(format!("Missing '{name}' parameter"))),
        Some(_) => Err(wrong_type(name, "a string")),
    }
}

/// An optional string.
pub(crate) fn optional<'v>(input: &'v Value, name: &str) -> Result<Option<&'v str>, ToolResult> {
    match input.get(name) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(wrong_type(name, "a string")),
    }
}

/// An optional whole number that is not negative.
pub(crate) fn number(input: &Value, name: &str) -> Result<Option<u64>, ToolResult> {
    match input.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            value.as_u64().map(Some).ok_or_else(|| wrong_type(name, "a whole number, 0 or greater"))
        }
    }
}

/// An optional boolean; `false` if it is missing.
pub(crate) fn flag(input: &Value, name: &str) -> Result<bool, ToolResult> {
    match input.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(_) => Err(wrong_type(name, "true or false")),
    }
}

pub(crate) fn wrong_type(name: &str, expected: &str) -> ToolResult {
    ToolResult::error(format!("Parameter '{name}' must be {expected}"))
}

/// A name on one line, with invisible characters escaped.
pub(crate) fn shown(text: &str) -> String {
    visible(text, Layout::Line).into_owned()
}

/// A path on one line, with invisible characters escaped.
pub(crate) fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}
