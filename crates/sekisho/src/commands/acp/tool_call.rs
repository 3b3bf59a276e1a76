//! What policy judges about an ACP tool call.
//!
//! ACP says what a call does in `kind`, and what exactly in fields that each agent fills differently. A call becomes a
//! call of a known tool only if every field of its input is known, so that nothing is left that could change its
//! meaning. Everything else is a tool that policy does not know, which is a question unless a rule names it; paths,
//! commands and addresses that were found in it are claimed, so that deny rules still match.
//!
//! The title is written by the agent for people. It is shown, and never judged.

use std::collections::BTreeSet;
use std::path::Path;

use sekisho_policy::{DescriptorKind, UncheckedDescriptor, tools};
use serde_json::{Map, Value};

use super::call_fields::UNKNOWN_FIELDS;

/// A call as the server judges it.
#[derive(Debug, PartialEq)]
pub(super) struct JudgedCall {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    pub(super) descriptor: Option<UncheckedDescriptor>,
}

/// The beginning of the names of unknown calls.
const PREFIX: &str = "acp_";

const KINDS: &[&str] =
    &["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];

/// Fields that hold the one path of a file tool.
const PATHS: &[&str] = &["path", "file_path", "filePath", "absolute_path", "target_file", "notebook_path"];
/// Fields that hold a command.
const COMMANDS: &[&str] = &["command", "cmd"];
/// Fields of a shell tool besides its command. Policy itself reads those that change what the command does.
const SHELL_FIELDS: &[&str] = &[
    "background",
    "call_id",
    "cwd",
    "dangerouslyDisableSandbox",
    "description",
    "dir_path",
    "directory",
    "env",
    "environment",
    "explanation",
    "interpreter",
    "is_background",
    "parsed_cmd",
    "reason",
    "run_in_background",
    "sandbox_permissions",
    "shell",
    "stdin",
    "timeout",
    "timeoutMs",
    "timeout_ms",
    "turn_id",
    "user",
    "with_escalated_permissions",
    "workdir",
    "workingDirectory",
    "working_dir",
    "working_directory",
];
/// Fields of a tool that reads a file, besides its path.
const READ_FIELDS: &[&str] =
    &["description", "end_line", "explanation", "limit", "line", "offset", "pages", "start_line"];
/// Fields with what is written to a file.
const NEW_TEXTS: &[&str] = &["content", "newString", "new_source", "new_str", "new_string"];
/// Other fields of a tool that writes a file.
const EDIT_FIELDS: &[&str] = &[
    "cell_id",
    "cell_type",
    "description",
    "edit_mode",
    "expected_replacements",
    "explanation",
    "instruction",
    "oldString",
    "old_str",
    "old_string",
    "replaceAll",
    "replace_all",
];
const DELETE_FIELDS: &[&str] = &["description", "explanation"];
/// Fields of a tool that fetches `url`.
const FETCH_FIELDS: &[&str] =
    &["description", "explanation", "format", "max_length", "prompt", "timeout", "url"];

/// The longest name of a tool that the server accepts, in characters.
const LONGEST_NAME: usize = 256;
/// How many files a call may name besides its input: each is claimed as read and as written, and the server takes 32
/// claims.
const MOST_PLACES: usize = 12;

/// What the server is asked about a tool call. `cwd` is the directory of the session.
///
/// The error says why it cannot be judged.
pub(super) fn judged_call(call: &Map<String, Value>, cwd: &str) -> Result<JudgedCall, &'static str> {
    let call = AcpCall { call, cwd };
    if call.diffs().count() + call.list("locations").len() > MOST_PLACES {
        return Err("it names too many files");
    }
    let known = match call.kind() {
        _ if !call.has_plain_lists() || call.has_unknown_fields() => None,
        "execute" => call.shell(),
        "read" => call.read(),
        "edit" => call.edit(),
        "delete" => call.delete(),
        "fetch" => call.fetch(),
        _ => None,
    };
    // A name that says something else counts more than the shape.
    let known = known.filter(|(tool, _)| call.is_named_like(tool));
    Ok(known.map_or_else(
        || call.unknown(),
        |(tool, input)| JudgedCall { tool: tool.to_owned(), input, descriptor: None },
    ))
}

#[derive(Clone, Copy)]
struct AcpCall<'a> {
    call: &'a Map<String, Value>,
    cwd: &'a str,
}

type KnownCall = Option<(&'static str, Map<String, Value>)>;

impl<'a> AcpCall<'a> {
    fn text(self, field: &str) -> Option<&'a str> {
        self.call.get(field).and_then(Value::as_str)
    }

    /// The kind, if ACP has it.
    fn kind(self) -> &'a str {
        self.text("kind").filter(|kind| KINDS.contains(kind)).unwrap_or("other")
    }

    /// The input, or `None` if there is one that is not an object.
    fn raw(self) -> Option<Map<String, Value>> {
        match self.call.get("rawInput") {
            None | Some(Value::Null) => Some(Map::new()),
            Some(Value::Object(raw)) => Some(raw.clone()),
            Some(_) => None,
        }
    }

    /// The input, if it has no other fields than these.
    fn raw_with(self, fields: &[&[&str]]) -> Option<Map<String, Value>> {
        self.raw().filter(|raw| raw.keys().all(|key| fields.iter().any(|list| list.contains(&key.as_str()))))
    }

    /// Whether the lists of the call are lists, if they are there.
    fn has_lists(self) -> bool {
        let is_list =
            |field: &&str| matches!(self.call.get(*field), None | Some(Value::Null | Value::Array(_)));
        ["content", "locations"].iter().all(is_list)
    }

    /// Whether the lists hold nothing but what ACP describes, so that all files that they name are known.
    fn has_plain_lists(self) -> bool {
        let has_only = |value: &Value, fields: &[&str]| {
            value.as_object().is_some_and(|item| item.keys().all(|key| fields.contains(&key.as_str())))
        };
        let kind = |value: &Value| value.get("type").and_then(Value::as_str).map(str::to_owned);
        let is_content = |item: &Value| match kind(item).as_deref() {
            Some("diff") => has_only(item, &["type", "path", "oldText", "newText", "_meta"]),
            Some("terminal") => has_only(item, &["type", "terminalId", "_meta"]),
            Some("content") => {
                let inner = item.get("content").unwrap_or(&Value::Null);
                has_only(item, &["type", "content", "_meta"])
                    && kind(inner).as_deref() == Some("text")
                    && has_only(inner, &["type", "text", "_meta"])
            }
            _ => false,
        };
        self.has_lists()
            && self.list("content").iter().all(is_content)
            && self.list("locations").iter().all(|item| has_only(item, &["path", "line", "_meta"]))
    }

    /// Whether the call or its request has fields that ACP does not have.
    fn has_unknown_fields(self) -> bool {
        self.call.contains_key(UNKNOWN_FIELDS)
    }

    /// Whether the call has no name of its own, or one that means this tool.
    fn is_named_like(self, tool: &str) -> bool {
        match self.call.get("name") {
            None | Some(Value::Null) => true,
            Some(name) => {
                let named = name.as_str().and_then(tools::by_name).map(|named| named.name);
                named.is_some() && named == tools::by_name(tool).map(|known| known.name)
            }
        }
    }

    fn list(self, field: &str) -> &'a [Value] {
        self.call.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn diffs(self) -> impl Iterator<Item = (usize, &'a Value)> {
        let is_diff = |content: &Value| content.get("type").and_then(Value::as_str) == Some("diff");
        self.list("content").iter().enumerate().filter(move |(_, content)| is_diff(content))
    }

    /// The path of the only file that the call names anywhere, as it is spelled in `raw` if it is there.
    fn only_path(self, raw: &Map<String, Value>) -> Option<String> {
        let spelled: Vec<&Value> = PATHS.iter().filter_map(|field| raw.get(*field)).collect();
        let shown = self.diffs().map(|(_, diff)| diff).chain(self.list("locations"));
        let shown: Vec<&Value> = shown.map(|place| place.get("path").unwrap_or(&Value::Null)).collect();
        let mut all = spelled.iter().chain(&shown).map(|path| path.as_str());
        let first = all.clone().next().flatten()?;
        let absolute = |path: &str| Path::new(self.cwd).join(path);
        let same = all.all(|path| path.is_some_and(|path| absolute(path) == absolute(first)));
        same.then(|| first.to_owned())
    }

    fn names_no_files(self) -> bool {
        self.diffs().next().is_none() && self.list("locations").is_empty()
    }

    fn shell(self) -> KnownCall {
        let raw = self.raw_with(&[COMMANDS, SHELL_FIELDS])?;
        let commands = COMMANDS.iter().filter(|field| raw.contains_key(**field)).count();
        let command = COMMANDS.iter().find_map(|field| raw.get(*field)?.as_str());
        let is_plain = commands == 1 && self.diffs().next().is_none() && self.are_in(command);
        is_plain.then_some(("bash", raw))
    }

    /// Whether the command has the names of all files that the call shows as its places, so that policy sees them there.
    /// Claude Code shows the files that a command writes.
    fn are_in(self, command: Option<&str>) -> bool {
        self.list("locations").iter().all(|place| {
            let path = place.get("path").and_then(Value::as_str).map(Path::new);
            let name = path.and_then(Path::file_name).and_then(|name| name.to_str());
            name.zip(command).is_some_and(|(name, command)| command.contains(name))
        })
    }

    fn read(self) -> KnownCall {
        let raw = self.raw_with(&[PATHS, READ_FIELDS])?;
        if !PATHS.iter().any(|field| raw.contains_key(*field)) {
            return None;
        }
        let path = self.only_path(&raw).filter(|_| self.diffs().next().is_none())?;
        Some(("read", with_path(raw, path)))
    }

    fn edit(self) -> KnownCall {
        let mut raw = self.raw_with(&[PATHS, NEW_TEXTS, EDIT_FIELDS])?;
        let path = self.only_path(&raw)?;
        // What is written must be known, from the input or from the one change that is shown, and both must agree.
        let given: Vec<&Value> = NEW_TEXTS.iter().filter_map(|field| raw.get(*field)).collect();
        let mut diffs = self.diffs().map(|(_, diff)| diff);
        let (diff, None) = (diffs.next(), diffs.next()) else { return None };
        let shown = match diff {
            Some(diff) => Some(diff.get("newText").filter(|text| text.is_string())?),
            None => None,
        };
        match (given.as_slice(), shown) {
            ([Value::String(_)], None) => {}
            ([given @ Value::String(_)], Some(shown)) if *given == shown => {}
            ([], Some(shown)) if raw.is_empty() => {
                raw.insert("new_string".into(), shown.clone());
                let old = diff.and_then(|diff| diff.get("oldText")).cloned();
                raw.insert("old_string".into(), old.unwrap_or_default());
            }
            _ => return None,
        }
        // A rule may be about either.
        let is_write =
            raw.contains_key("content") && self.text("name").is_some() && self.is_named_like("write");
        Some((if is_write { "write" } else { "edit" }, with_path(raw, path)))
    }

    fn delete(self) -> KnownCall {
        let raw = self.raw_with(&[PATHS, DELETE_FIELDS])?;
        let path = self.only_path(&raw).filter(|_| self.diffs().next().is_none())?;
        Some(("delete", with_path(raw, path)))
    }

    fn fetch(self) -> KnownCall {
        let raw = self.raw_with(&[FETCH_FIELDS])?;
        (raw.get("url").is_some_and(Value::is_string) && self.names_no_files()).then_some(("web_fetch", raw))
    }

    /// A tool that policy does not know.
    fn unknown(self) -> JudgedCall {
        let usable = |name: &&str| {
            (1..=LONGEST_NAME).contains(&name.chars().count())
                && tools::by_name(name).is_none()
                && !name.to_lowercase().starts_with(PREFIX)
        };
        let tool = self.text("name").filter(usable).map(str::to_owned);
        // The title is renamed, so that nobody takes it for what the call does.
        let fields = [
            ("kind", "kind"),
            ("rawInput", "rawInput"),
            ("content", "content"),
            ("locations", "locations"),
            ("title", "titleByAgent"),
            (UNKNOWN_FIELDS, UNKNOWN_FIELDS),
        ];
        let shown = fields.iter().filter_map(|(field, shown)| {
            let value = self.call.get(*field).filter(|value| !value.is_null())?;
            Some(((*shown).to_owned(), value.clone()))
        });
        JudgedCall {
            tool: tool.unwrap_or_else(|| self.own_name()),
            input: shown.collect(),
            descriptor: self.claims(),
        }
    }

    /// The name of a call whose tool has none. A rule for calls whose texts are all claimed does not cover others.
    fn own_name(self) -> String {
        let unchecked = if self.has_unclaimed_text() { "_unchecked" } else { "" };
        format!("{PREFIX}{}{unchecked}", self.kind())
    }

    /// Whether the input has a text that deny rules do not see.
    fn has_unclaimed_text(self) -> bool {
        let Some(raw) = self.raw() else { return true };
        let is_claimed = |field: &str| PATHS.contains(&field) || COMMANDS.contains(&field) || field == "url";
        let is_word = |field: &str| {
            field.len() <= 32 && field.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        !self.has_plain_lists()
            || self.has_unknown_fields()
            || raw.iter().any(|(field, value)| match value {
                Value::String(_) => !is_claimed(field),
                value => has_text(value) || !is_word(field),
            })
    }

    /// Where the input of an unknown call holds commands, paths and addresses.
    fn claims(self) -> Option<UncheckedDescriptor> {
        let raw = self.raw().unwrap_or_default();
        let in_raw = |fields: &[&str]| -> Vec<String> {
            let there = fields.iter().filter(|field| raw.contains_key(**field));
            there.map(|field| format!("/rawInput/{field}")).collect()
        };
        let mut places: BTreeSet<String> = in_raw(PATHS).into_iter().collect();
        places.extend(self.diffs().map(|(at, _)| format!("/content/{at}/path")));
        places.extend((0..self.list("locations").len()).map(|at| format!("/locations/{at}/path")));
        let places: Vec<String> = places.into_iter().collect();
        let (mut reads, mut searches, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        match self.kind() {
            "read" => reads = places,
            "search" => searches = places,
            // A location may be a file that is read or one that is written.
            _ => (reads, writes) = (places.clone(), places),
        }
        let (commands, addresses) = (in_raw(COMMANDS), in_raw(&["url"]));
        let lists = [&commands, &addresses, &reads, &searches, &writes];
        lists.iter().any(|list| !list.is_empty()).then_some(UncheckedDescriptor {
            kind: DescriptorKind::Composite,
            commands,
            reads,
            searches,
            writes,
            addresses,
            read_only: false,
        })
    }
}

/// Whether there is a text anywhere in a value.
fn has_text(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(values) => values.iter().any(has_text),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The input with its path, if it has none.
fn with_path(mut raw: Map<String, Value>, path: String) -> Map<String, Value> {
    if !PATHS.iter().any(|field| raw.contains_key(*field)) {
        raw.insert("path".into(), path.into());
    }
    raw
}

#[cfg(test)]
mod tests;
