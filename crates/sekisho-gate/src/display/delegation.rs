//! A call that makes or starts a sub-agent: what the sub-agent gets, beside what its parent has.
//!
//! Our own runs add both to the input. The same field in the input of another agent's tool proves nothing and is not
//! used.

use std::collections::BTreeSet;

use sekisho_policy::{Call, DescriptorKind};
use serde_json::{Map, Value};

use super::call_view::{DelegationItem, DelegationRow, Form};
use super::hidden_characters::{Layout, visible};
use super::size_limit::SizeLimit;
use crate::display_notes::LeftOut;

/// The form of such a call. None for any other.
pub(super) fn form(call: &Call, limit: &mut SizeLimit) -> Option<Form> {
    let is_own = call.proven_descriptor().is_some_and(|tool| tool.kind() == DescriptorKind::SubAgents);
    let added = call.input.get("delegation").filter(|_| is_own)?;
    let (agent, parent) = (added.get("sub_agent")?.as_object()?, added.get("parent")?.as_object()?);
    let mut shown = |field: &str, text: &str, layout: Layout| {
        let text = visible(text, layout);
        limit.text(&text, |bytes| LeftOut::Field { bytes, field: field.to_owned() })
    };
    let prompt = shown("system_prompt", text_of(agent, "system_prompt"), Layout::Text);
    let task = call.input.get("input").and_then(Value::as_str).map(|task| shown("input", task, Layout::Text));
    let mut rows = Vec::new();
    for (item, field) in [(DelegationItem::Model, "model"), (DelegationItem::Workspace, "workspace")] {
        let value = |of: &Map<String, Value>| of.get(field).and_then(Value::as_str).map(str::to_owned);
        rows.push((item, String::new(), value(agent), value(parent)));
    }
    for (item, field) in [(DelegationItem::Tool, "tools"), (DelegationItem::Limit, "limits")] {
        let (own, theirs) =
            (agent.get(field).and_then(Value::as_object), parent.get(field).and_then(Value::as_object));
        let names: BTreeSet<&String> = own.into_iter().chain(theirs).flat_map(Map::keys).collect();
        for name in names {
            let value = |of: Option<&Map<String, Value>>| of.and_then(|of| of.get(name)).map(settings);
            rows.push((item, name.clone(), value(own), value(theirs)));
        }
    }
    let rows = rows.into_iter().map(|(item, name, own, theirs)| DelegationRow {
        item,
        agent: own.map(|text| shown(&name, &text, Layout::Line)),
        parent: theirs.map(|text| shown(&name, &text, Layout::Line)),
        name: visible(&name, Layout::Line).into_owned(),
    });
    let rows = rows.collect();
    let name = |of: &Map<String, Value>| visible(text_of(of, "name"), Layout::Line).into_owned();
    Some(Form::Delegation { agent: name(agent), parent: name(parent), prompt, task, rows })
}

fn text_of<'a>(of: &'a Map<String, Value>, field: &str) -> &'a str {
    of.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The settings of a tool on one line, or a limit.
fn settings(value: &Value) -> String {
    let Some(fields) = value.as_object() else { return plain(value) };
    let each = fields.iter().map(|(name, value)| format!("{name}: {}", plain(value)));
    each.collect::<Vec<_>>().join("; ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".into(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
