//! Edits the text of a config without disturbing its comments, order or layout.

use sekisho_policy::jsonc::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use sekisho_policy::jsonc::{Dialect, input, value_of};
use sekisho_policy::{Effect, Layer, LayerRule, Rule};
use serde::Serialize;
use serde_json::Value;

use crate::error::HostError;

/// A config without rules.
const EMPTY: &str = "{\n  \"version\": 1\n}\n";

/// The position of a rule: its list and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The list.
    pub effect: Effect,
    /// The index, from 0.
    pub index: usize,
}

/// The rule of a layer that covers a line.
pub fn rule_at_line(layer: &Layer, line: u32) -> Option<(Position, &LayerRule)> {
    let covers = |stated: &LayerRule| {
        let text = layer.text.get(stated.range.0 as usize..stated.range.1 as usize).unwrap_or("");
        let lines = u32::try_from(text.matches('\n').count()).unwrap_or(0);
        (stated.line..=stated.line + lines).contains(&line)
    };
    let at = layer.rules.iter().position(covers)?;
    position(layer, at)
}

/// The rule of a layer with an id.
pub fn rule_with_id(layer: &Layer, id: uuid::Uuid) -> Option<(Position, &LayerRule)> {
    let at = layer.rules.iter().position(|stated| stated.rule.id == Some(id))?;
    position(layer, at)
}

/// Where a rule stands that begins at a line and says exactly this; nothing where the file says otherwise.
pub fn as_shown(layer: &Layer, line: u32, effect: Effect, rule: &Rule) -> Option<Position> {
    let same = |stated: &LayerRule| stated.line == line && stated.effect == effect && stated.rule == *rule;
    let at = layer.rules.iter().position(same)?;
    position(layer, at).map(|(position, _)| position)
}

fn position(layer: &Layer, at: usize) -> Option<(Position, &LayerRule)> {
    let stated = layer.rules.get(at)?;
    let index = layer.rules.iter().take(at).filter(|earlier| earlier.effect == stated.effect).count();
    Some((Position { effect: stated.effect, index }, stated))
}

/// The text with a rule at the end of its list. Without a text, a new config is created.
pub fn add(text: Option<&str>, effect: Effect, rule: &Rule) -> Result<String, HostError> {
    let root = parse(text.unwrap_or(EMPTY))?;
    let list =
        root.object_value_or_set().object_value_or_set("permissions").array_value_or_set(effect.name());
    let is_first = list.elements().is_empty();
    let mark = mark(&root);
    list.append(CstInputValue::String(mark.clone()));
    if is_first {
        list.ensure_multiline();
    }
    Ok(fill(&root, &mark, &in_order(rule)))
}

/// The text with a preset switched on or off. Without a text, a new config is created.
pub fn set_preset(text: Option<&str>, preset: &str, on: bool) -> Result<String, HostError> {
    let root = parse(text.unwrap_or(EMPTY))?;
    let list = match root.object_value().and_then(|object| object.array_value("presets")) {
        Some(list) => list,
        None if on => root.object_value_or_set().array_value_or_set("presets"),
        None => return Ok(root.to_string()),
    };
    let names_it = |node: &CstNode| {
        node.as_string_lit().and_then(|text| text.decoded_value().ok()).is_some_and(|text| text == preset)
    };
    let found: Vec<CstNode> = list.elements().into_iter().filter(names_it).collect();
    if on && found.is_empty() {
        list.append(CstInputValue::String(preset.to_owned()));
    }
    for node in found.into_iter().filter(|_| !on) {
        node.remove();
    }
    Ok(root.to_string())
}

/// The text without a rule.
pub fn remove(text: &str, position: Position) -> Result<String, HostError> {
    let root = parse(text)?;
    element(&root, position)?.remove();
    Ok(root.to_string())
}

/// The text with some fields of a rule changed; `None` removes a field.
pub fn update(text: &str, position: Position, fields: &[(&str, Option<Value>)]) -> Result<String, HostError> {
    let root = parse(text)?;
    let element = element(&root, position)?;
    let object = element.as_object().ok_or_else(|| missing(position))?;
    let written = object.to_string();
    let on_one_line = !written.contains('\n') && !written.contains("/*");
    if on_one_line {
        let mark = mark(&root);
        let rule = merged(&object, fields);
        object.replace_with(CstInputValue::String(mark.clone()));
        return Ok(fill(&root, &mark, &rule));
    }
    for (name, value) in fields {
        match (object.get(name), value) {
            (Some(property), Some(value)) => property.set_value(input(value)),
            (Some(property), None) => property.remove(),
            (None, Some(value)) => drop(object.append(name, input(value))),
            (None, None) => {}
        }
    }
    Ok(root.to_string())
}

/// The text with another rule in the place of one. In the same list it stays where it is, with the comments between its
/// fields; one with another effect goes to the end of the other list.
pub fn replace(text: &str, position: Position, effect: Effect, rule: &Rule) -> Result<String, HostError> {
    if effect != position.effect {
        return add(Some(&remove(text, position)?), effect, rule);
    }
    let Fields(mut said) = in_order(rule);
    let mut fields: Vec<(&str, Option<Value>)> = Vec::with_capacity(ORDER.len());
    for name in ORDER {
        let at = said.iter().position(|(said, _)| said == name);
        fields.push((name, at.map(|at| said.swap_remove(at).1)));
    }
    update(text, position, &fields)
}

fn parse(text: &str) -> Result<CstRootNode, HostError> {
    let root = Dialect::JSONC.edit(text);
    root.map_err(|error| HostError::file("config", error.to_string().to_lowercase()))
}

fn missing(position: Position) -> HostError {
    let named = format!("{}[{}]", position.effect, position.index);
    HostError::NoSuchRule { named, path: "config".into() }
}

fn list(root: &CstRootNode, effect: Effect) -> Option<CstArray> {
    root.object_value()?.object_value("permissions")?.array_value(effect.name())
}

fn element(root: &CstRootNode, position: Position) -> Result<CstNode, HostError> {
    list(root, position.effect)
        .and_then(|list| list.elements().into_iter().nth(position.index))
        .ok_or_else(|| missing(position))
}

/// A string that does not occur in the text: the placeholder of a rule until the rule is written.
///
/// The syntax tree spreads every object it inserts over several lines; rules read best on one line.
fn mark(root: &CstRootNode) -> String {
    let text = root.to_string();
    let mut mark = String::from("a-rule-goes-here");
    while text.contains(&mark) {
        mark.push('-');
    }
    mark
}

fn fill(root: &CstRootNode, mark: &str, rule: &impl Serialize) -> String {
    root.to_string().replacen(&format!("\"{mark}\""), &one_line(rule), 1)
}

/// The fields of a rule in their current order, with the changes.
fn merged(object: &CstObject, fields: &[(&str, Option<Value>)]) -> Fields {
    let mut merged: Vec<(String, Value)> = object
        .properties()
        .iter()
        .filter_map(|property| Some((property.decoded_name()?, value_of(&property.value()?)?)))
        .collect();
    for (name, value) in fields {
        let at = merged.iter().position(|(other, _)| other == name);
        match (at, value) {
            (Some(at), Some(value)) => {
                if let Some(slot) = merged.get_mut(at) {
                    slot.1 = value.clone();
                }
            }
            (Some(at), None) => drop(merged.remove(at)),
            (None, Some(value)) => merged.push(((*name).into(), value.clone())),
            (None, None) => {}
        }
    }
    Fields(merged)
}

/// The usual order of a rule's fields.
const ORDER: &[&str] = &[
    "id",
    "tool",
    "tool_pattern",
    "server",
    "agent",
    "command",
    "command_glob",
    "path",
    "host",
    "skill_name",
    "input",
    "unrestricted",
    "priority",
    "timeout_s",
    "on_timeout",
    "expires_at",
    "note",
    "examples",
];

/// The fields of a rule that are set, in the usual order.
fn in_order(rule: &Rule) -> Fields {
    let Ok(Value::Object(mut set)) = serde_json::to_value(rule) else { return Fields(Vec::new()) };
    let mut fields: Vec<(String, Value)> = ORDER.iter().filter_map(|name| set.remove_entry(*name)).collect();
    fields.extend(set);
    Fields(fields)
}

/// Fields in a chosen order.
struct Fields(Vec<(String, Value)>);

impl Serialize for Fields {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A value as rules are written: on one line, with spaces.
pub fn one_line(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, SpacedFormatter);
    // Rules contain nothing that JSON cannot express, and writing to a vector does not fail.
    let _ = value.serialize(&mut serializer);
    String::from_utf8(bytes).unwrap_or_default()
}

/// JSON on one line with spaces after `{`, `:`, `,` and before `}`.
struct SpacedFormatter;

impl serde_json::ser::Formatter for SpacedFormatter {
    fn begin_object<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b"{ ")
    }
    fn end_object<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b" }")
    }
    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }
    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }
}
