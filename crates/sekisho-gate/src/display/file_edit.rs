//! The file edit that a write tool's input requests, for the tools of all agents.

use sekisho_policy::tools::{TargetField, Tool};
use sekisho_policy::{Call, CallTool};
use serde_json::Value;

use super::patch;

/// A requested edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileEdit<'a> {
    /// The new content of the file.
    Write { path: &'a str, content: &'a str },
    /// Text to append to the file.
    Append { path: &'a str, content: &'a str },
    /// Replacements in the file, applied in order.
    Replace { path: &'a str, edits: Vec<Replacement<'a>> },
    /// Files to delete.
    Delete { paths: Vec<&'a str> },
    /// A patch.
    Patch { text: &'a str },
    /// A sketch of the change, which the tool merges into the file in its own way.
    Sketch { path: &'a str, text: &'a str },
}

/// One replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Replacement<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) times: Occurrences,
}

/// How often the old text must occur in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occurrences {
    /// Exactly once.
    Once,
    /// Any number of times; all are replaced.
    All,
    /// Exactly this often.
    Exactly(u64),
}

/// The edit that a call requests. None if its input has no known form. Notebooks have none, because
/// cells are not lines.
pub(super) fn read(call: &Call) -> Option<FileEdit<'_>> {
    // What a described tool writes to its files is unknown.
    let tool = CallTool::of(call)?.in_table()?;
    let input = &call.input;
    if input.get("notebook_path").is_some() || input.get("target_notebook").is_some() {
        return None;
    }
    match tool.name {
        "write" => {
            let content = one_of(input, CONTENT)?;
            let path = path(tool, input)?;
            // Only our own tool is known to have a mode. What another tool does with one is unknown.
            match (input.get("mode"), input.get("append")) {
                (None, None) => Some(FileEdit::Write { path, content }),
                (Some(mode), None) if call.tool == "file_write" => match mode.as_str()? {
                    "create" | "overwrite" => Some(FileEdit::Write { path, content }),
                    "append" => Some(FileEdit::Append { path, content }),
                    _ => None,
                },
                _ => None,
            }
        }
        "delete" => {
            let paths = match input.get("paths") {
                Some(Value::Array(_)) if names_path(tool, input) => return None,
                Some(Value::Array(paths)) => paths.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?,
                _ => vec![path(tool, input)?],
            };
            Some(FileEdit::Delete { paths })
        }
        "edit" => edit(tool, input),
        _ => None,
    }
}

/// The fields of the forms an edit can have. A tool reads the fields of its own form and ignores the
/// others, so an input with fields of two forms means one thing to a person and another to the tool.
const OLD: &[&str] = &["old_string", "oldString", "old_str", "old_text"];
const NEW: &[&str] = &["new_string", "newString", "new_str", "new_text"];
const CONTENT: &[&str] = &["content", "contents", "file_text", "text", "new_content"];
const ALL: &[&str] = &["replace_all", "replaceAll", "allow_multiple"];
/// The other fields that a diff is made from.
const REST: &[&str] = &["edits", "code_edit", "expected_replacements", "mode", "append"];

/// Whether a diff shows the content of a field.
pub(super) fn shows(field: &str) -> bool {
    [OLD, NEW, CONTENT, ALL, REST].iter().any(|fields| fields.contains(&field))
}

fn edit<'a>(tool: &Tool, input: &'a Value) -> Option<FileEdit<'a>> {
    let has =
        |fields: &[&str]| fields.iter().any(|field| input.get(field).is_some_and(|value| !value.is_null()));
    let patched =
        tool.target_fields.iter().any(|target| matches!(target, TargetField::Patch(field) if has(&[field])));
    let forms = [
        patched,
        has(&["edits"]),
        has(&["code_edit"]),
        has(OLD) || has(NEW),
        has(&["content", "contents", "file_text"]),
    ];
    if forms.iter().filter(|there| **there).count() != 1 || (patched && names_path(tool, input)) {
        return None;
    }
    let patches = tool.target_fields.iter().filter_map(|target| match target {
        TargetField::Patch(field) => input.get(field),
        _ => None,
    });
    if let Some(text) = common_value(patches.filter_map(patch::text)) {
        return Some(FileEdit::Patch { text });
    }
    let path = path(tool, input)?;
    if let Some(Value::Array(edits)) = input.get("edits") {
        let edits = edits.iter().map(replacement).collect::<Option<Vec<_>>>()?;
        return Some(FileEdit::Replace { path, edits });
    }
    if let Some(text) = one_of(input, &["code_edit"]) {
        return Some(FileEdit::Sketch { path, text });
    }
    Some(FileEdit::Replace { path, edits: vec![replacement(input)?] })
}

fn replacement(input: &Value) -> Option<Replacement<'_>> {
    let old = one_of(input, OLD)?;
    let new = one_of(input, NEW)?;
    let all = ALL.iter().any(|field| input.get(field).and_then(Value::as_bool) == Some(true));
    let expected = input.get("expected_replacements").and_then(Value::as_u64);
    let times = match expected {
        Some(times) => Occurrences::Exactly(times),
        None if all => Occurrences::All,
        None => Occurrences::Once,
    };
    Some(Replacement { old, new, times })
}

/// Whether a field other than `paths` names a path.
fn names_path(tool: &Tool, input: &Value) -> bool {
    let field = |target: &TargetField| match target {
        TargetField::Field(field) if *field != "paths" => {
            input.get(field).is_some_and(|value| !value.is_null())
        }
        _ => false,
    };
    tool.target_fields.iter().any(field)
}

/// The path the input names. None if two fields disagree.
fn path<'a>(tool: &Tool, input: &'a Value) -> Option<&'a str> {
    let fields = tool.target_fields.iter().filter_map(|target| match target {
        TargetField::Field(field) => input.get(field).filter(|value| !value.is_null()),
        _ => None,
    });
    common_value(fields.map(|value| value.as_str().unwrap_or_default())).filter(|path| !path.is_empty())
}

/// The text of the only field that is present.
fn one_of<'a>(input: &'a Value, fields: &[&str]) -> Option<&'a str> {
    common_value(fields.iter().filter_map(|field| input.get(field)).filter_map(Value::as_str))
}

/// The common value of several texts. None if there are none, or if they differ.
fn common_value<'a>(mut texts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let first = texts.next()?;
    texts.all(|text| text == first).then_some(first)
}
