//! The one-line message of a call.

use sekisho_policy::tools::ToolKind;
use sekisho_policy::whole_words::whole_values;
use sekisho_policy::{Call, CallTool, TargetFieldKind, normalise, shell_text};
use serde_json::Value;

use super::{Layout, patch, visible};

/// The maximum length of the message in bytes. The form shows the rest.
const MAX_LENGTH: usize = 4096;

/// The tool and its main input: the normalised command, the path or the address; otherwise the whole
/// input.
pub(super) fn message(call: &Call) -> String {
    let name = match &call.server {
        Some(server) => format!("{}/{}", server.id, call.tool),
        None => call.tool.clone(),
    };
    let main = match shell_text(call) {
        Some(text) => Some(normalise(&text)),
        // With several commands there is no main one, so the whole input is shown.
        None => CallTool::of(call)
            .filter(|tool| tool.kind() != ToolKind::Shell)
            .and_then(|tool| main_input(&tool, &call.input)),
    };
    let main = main.unwrap_or_else(|| match &call.input {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        input => input.to_string(),
    });
    let name = visible(&name, Layout::Line);
    let main = visible(&main, Layout::Text);
    if main.is_empty() {
        return name.into_owned();
    }
    if main.len() <= MAX_LENGTH {
        return format!("{name}: {main}");
    }
    let (shown, rest) = main.split_at(whole_values(&main, MAX_LENGTH).len());
    format!("{name}: {shown} … and {} more bytes", rest.len())
}

/// The content of the first input field that is set.
fn main_input(tool: &CallTool<'_>, input: &Value) -> Option<String> {
    let mut values = tool.values(input).into_iter();
    // All fields of a described tool are equally important. For tools in the table, fields of other
    // agents are empty.
    if tool.in_table().is_none() {
        let texts: Option<Vec<String>> = values.map(|(_, value)| listed(value)).collect();
        return texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join(", "));
    }
    values.find_map(|(kind, value)| match kind {
        TargetFieldKind::Patch => {
            let sections = patch::read(patch::text(value)?).ok()?;
            let paths: Vec<&str> = sections.iter().map(|section| section.path.as_str()).collect();
            (!paths.is_empty()).then(|| paths.join(", "))
        }
        TargetFieldKind::Values
        | TargetFieldKind::Glob
        | TargetFieldKind::Filter
        | TargetFieldKind::Prose => listed(value),
    })
}

/// A text, or the texts of a list.
fn listed(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => {
            let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
            texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join(", "))
        }
        _ => None,
    }
}
