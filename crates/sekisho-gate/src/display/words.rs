//! The one line that says what a call is about.

use sekisho_policy::tools::ToolKind;
use sekisho_policy::{Call, CallTool, PlaceKind, normalise, shell_text};
use serde_json::Value;

use super::{Layout, patch, visible};

/// The longest message; the form shows the rest.
const LONGEST: usize = 4096;

/// The tool and its main input: the normalised command, the path, the address; else the input itself.
pub(super) fn message(call: &Call) -> String {
    let name = match &call.server {
        Some(server) => format!("{}/{}", server.id, call.tool),
        None => call.tool.clone(),
    };
    let main = match shell_text(call) {
        Some(text) => Some(normalise(&text)),
        // Of several commands none is the main one: all of the input is.
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
    if main.len() <= LONGEST {
        return format!("{name}: {main}");
    }
    let (shown, rest) = main.split_at(main.floor_char_boundary(LONGEST));
    format!("{name}: {shown} … and {} bytes more", rest.len())
}

/// What the first filled place of the input says.
fn main_input(tool: &CallTool<'_>, input: &Value) -> Option<String> {
    let mut values = tool.values(input).into_iter();
    // The fields of a described tool count all alike; of the table's, those of other agents are empty.
    if tool.in_table().is_none() {
        let texts: Option<Vec<String>> = values.map(|(_, value)| listed(value)).collect();
        return texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join(", "));
    }
    values.find_map(|(kind, value)| match kind {
        PlaceKind::Patch => {
            let sections = patch::read(patch::text(value)?).ok()?;
            let paths: Vec<&str> = sections.iter().map(|section| section.path.as_str()).collect();
            (!paths.is_empty()).then(|| paths.join(", "))
        }
        PlaceKind::Values | PlaceKind::Glob | PlaceKind::Filter | PlaceKind::Prose => listed(value),
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
