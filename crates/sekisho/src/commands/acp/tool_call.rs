//! What policy judges about an ACP tool call.
//!
//! ACP says what a call does in `kind`, and what exactly in fields that each agent fills differently. A call becomes a
//! call of a known tool only if every field of its input is known, so that nothing is left that could change its
//! meaning. Everything else is a tool that policy does not know, which is a question unless a rule names it; paths,
//! commands and addresses that were found in it are claimed, so that deny rules still match.
//!
//! The title is written by the agent for people. It is shown, and never judged.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use sekisho_policy::paths::{join, normalise_lexically};
use sekisho_policy::{DescriptorKind, UncheckedDescriptor, tools};
use serde_json::{Map, Value};

use super::call_fields::UNKNOWN_FIELDS;
use super::history_expansion::expands_history;
use super::shell_directories::{ShellCommand, ShellDirectories};

/// A call as the server judges it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JudgedCall {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    pub(super) descriptor: Option<UncheckedDescriptor>,
    /// The directory that it runs in.
    pub(super) cwd: String,
}

/// What a request asks about.
#[derive(Debug, PartialEq)]
pub(super) struct AskedCall {
    /// What it may be. The strictest judgement counts. The first is what it seems to be.
    pub(super) meanings: Vec<JudgedCall>,
    pub(super) command: ShellCommand,
}

/// The beginning of the names of unknown calls.
const PREFIX: &str = "acp_";

const KINDS: &[&str] =
    &["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];

/// Fields that hold the one path of a file tool.
const PATHS: &[&str] = &["path", "file_path", "filePath", "absolute_path", "target_file", "notebook_path"];
/// Fields that hold a command.
const COMMANDS: &[&str] = &["command", "cmd"];
/// Fields that hold variables for a command.
const ENVIRONMENTS: &[&str] = &["env", "environment"];
/// Fields that other tools may run, or that go on with a command.
const SCRIPTS: &[&str] = &[
    "args",
    "arguments",
    "argv",
    "bash",
    "chars",
    "code",
    "commandLine",
    "command_line",
    "commands",
    "input",
    "keys",
    "keystrokes",
    "script",
    "shell",
    "stdin",
];
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
/// Those of them that name the directory.
const DIRECTORIES: &[&str] =
    &["cwd", "dir_path", "directory", "workdir", "workingDirectory", "working_dir", "working_directory"];
/// Fields of a tool that reads a file, besides its path.
const READ_FIELDS: &[&str] =
    &["description", "end_line", "explanation", "limit", "line", "offset", "pages", "start_line"];
/// Fields with what is written to a file.
const NEW_TEXTS: &[&str] = &["content", "newString", "new_source", "new_str", "new_string"];
/// Fields with what is replaced in a file.
const OLD_TEXTS: &[&str] = &["oldString", "old_str", "old_string"];
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
/// How often a word of a command is compared with a file that the call names.
const MOST_COMPARISONS: usize = 20_000;

/// What the server is asked about a tool call. `cwd` is the directory of the session, `shell` where its shell may be.
///
/// The error says why it cannot be judged.
pub(super) fn asked_call(
    call: &Map<String, Value>,
    cwd: &str,
    shell: &ShellDirectories,
) -> Result<AskedCall, &'static str> {
    let call = AcpCall { call, cwd, shell };
    if call.diffs().count() + call.list("locations").len() > MOST_PLACES {
        return Err("it names too many files");
    }
    let known = match call.kind() {
        _ if !call.has_plain_lists() || call.has_unknown_fields() => Vec::new(),
        "execute" => call.shell(),
        "read" => call.everywhere(call.read().into_iter().collect()),
        "edit" => call.everywhere(call.edit().unwrap_or_default()),
        "delete" => call.everywhere(call.delete().into_iter().collect()),
        "fetch" => call.fetch().into_iter().collect(),
        _ => Vec::new(),
    };
    // A name that says something else counts more than the shape.
    let mut meanings: Vec<JudgedCall> =
        known.into_iter().filter(|known| call.is_named_like(&known.tool)).collect();
    if meanings.is_empty() {
        meanings.push(call.unknown());
    }
    Ok(AskedCall { meanings, command: call.command() })
}

/// What a call has run about which nobody was asked. One that does not tell its command counts as having run none.
pub(super) fn unasked_command(call: &Map<String, Value>, cwd: &str) -> ShellCommand {
    let call = AcpCall { call, cwd, shell: &ShellDirectories::default() };
    let raw = call.raw().unwrap_or_default();
    let fields: &[&[&str]] = if call.kind() == "execute" { &[COMMANDS, SCRIPTS] } else { &[COMMANDS] };
    match fields.iter().any(|list| list.iter().any(|field| raw.contains_key(*field))) {
        true => call.command(),
        false => ShellCommand::Nothing,
    }
}

#[derive(Clone, Copy)]
struct AcpCall<'a> {
    call: &'a Map<String, Value>,
    cwd: &'a str,
    shell: &'a ShellDirectories,
}

impl<'a> AcpCall<'a> {
    /// A call of a known tool in the directory of the session.
    fn known(self, tool: &str, input: Map<String, Value>) -> JudgedCall {
        JudgedCall { tool: tool.to_owned(), input, descriptor: None, cwd: self.cwd.to_owned() }
    }

    /// Calls with a relative path, wherever the shell may be: some tools begin there.
    fn everywhere(self, calls: Vec<JudgedCall>) -> Vec<JudgedCall> {
        let is_relative = |call: &JudgedCall| {
            PATHS.iter().any(|field| {
                call.input.get(*field).and_then(Value::as_str).is_some_and(|path| !path.starts_with('/'))
            })
        };
        let Some(all) = self.shell.possible(self.cwd, "") else {
            return calls.into_iter().filter(|call| !is_relative(call)).collect();
        };
        let elsewhere = all.iter().skip(1);
        let moved: Vec<JudgedCall> = calls
            .iter()
            .filter(|call| is_relative(call))
            .flat_map(|call| elsewhere.clone().map(|cwd| JudgedCall { cwd: cwd.clone(), ..call.clone() }))
            .collect();
        calls.into_iter().chain(moved).collect()
    }

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

    /// What the call may run in a shell.
    fn command(self) -> ShellCommand {
        let raw = self.raw().unwrap_or_default();
        let text_of = |value: &Value| match value {
            Value::Array(words) => {
                let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
                words.map(|words| words.join(" "))
            }
            value => value.as_str().map(str::to_owned),
        };
        let texts: Option<Vec<String>> =
            COMMANDS.iter().filter_map(|field| raw.get(*field)).map(text_of).collect();
        let moves_elsewhere = ENVIRONMENTS.iter().filter_map(|field| raw.get(*field)).any(sets_directories);
        match texts {
            _ if moves_elsewhere || self.expands_history() => ShellCommand::Unknown,
            _ if SCRIPTS.iter().any(|field| raw.get(*field).is_some_and(has_text)) => ShellCommand::Unknown,
            Some(texts) if !texts.is_empty() => {
                let directories = DIRECTORIES.iter().filter_map(|field| raw.get(*field)?.as_str());
                ShellCommand::starting_in(directories, &texts.join("\n"))
            }
            Some(_) if self.kind() != "execute" => ShellCommand::Nothing,
            _ => ShellCommand::Unknown,
        }
    }

    /// A command, in every directory in which it may start. None if that is not known.
    fn shell(self) -> Vec<JudgedCall> {
        let Some(raw) = self.raw_with(&[COMMANDS, SHELL_FIELDS]) else { return Vec::new() };
        let commands = COMMANDS.iter().filter(|field| raw.contains_key(**field)).count();
        let command = COMMANDS.iter().find_map(|field| raw.get(*field)?.as_str());
        let is_clear = commands == 1 && self.diffs().next().is_none() && !self.expands_history();
        let Some(command) = command.filter(|_| is_clear) else { return Vec::new() };
        let has_own_directory = DIRECTORIES
            .iter()
            .any(|field| raw.get(*field).and_then(Value::as_str).is_some_and(|path| path.starts_with('/')));
        // `cd` brings a kept shell there, if it is still `cd`.
        let directories = match has_own_directory && self.shell.knows_cd() {
            true => Some(vec![self.cwd.to_owned()]),
            false => self.shell.possible(self.cwd, command),
        };
        let is_clear = self.are_in(command);
        let directories = directories.filter(|_| is_clear).unwrap_or_default();
        directories.into_iter().map(|cwd| JudgedCall { cwd, ..self.known("bash", raw.clone()) }).collect()
    }

    /// Whether a shell that the agent types into may run another command than the one that the call tells.
    fn expands_history(self) -> bool {
        let raw = self.raw().unwrap_or_default();
        COMMANDS.iter().filter_map(|field| raw.get(*field)?.as_str()).any(expands_history)
    }

    /// Whether the command has all files that the call shows as its places, so that policy sees them there. Claude Code
    /// shows the files that a command writes.
    fn are_in(self, command: &str) -> bool {
        let shown = self.list("locations");
        if shown.is_empty() {
            return true;
        }
        let ends = |c: char| c.is_whitespace() || ";|&()<>=".contains(c);
        let words = command.split(ends).map(|word| word.trim_matches(['\'', '"']));
        let words: HashSet<&str> = words.filter(|word| !word.is_empty()).collect();
        let directories = self.shell.within(self.cwd, command);
        if words.len() * directories.len() * shown.len() > MOST_COMPARISONS {
            return false;
        }
        shown.iter().all(|place| {
            let path = place.get("path").and_then(Value::as_str);
            let path = path.and_then(|path| normalise_lexically(&join(Some(self.cwd), path)?));
            let Some(path) = path else { return false };
            let name = path.rsplit('/').next().unwrap_or_default();
            let is_it = |directory: &String, word: &str| {
                join(Some(directory), word).and_then(|named| normalise_lexically(&named)).as_ref()
                    == Some(&path)
            };
            // Only a word that ends in the name of the file, or in dots or a slash, can be it.
            let mut likely = words.iter().filter(|word| word.ends_with(name) || word.ends_with(['.', '/']));
            likely.any(|word| directories.iter().any(|directory| is_it(directory, word)))
        })
    }

    fn read(self) -> Option<JudgedCall> {
        let raw = self.raw_with(&[PATHS, READ_FIELDS])?;
        if !PATHS.iter().any(|field| raw.contains_key(*field)) {
            return None;
        }
        let path = self.only_path(&raw).filter(|_| self.diffs().next().is_none())?;
        Some(self.known("read", with_path(raw, path)))
    }

    /// A change of a file. One that may replace the whole file is also judged as `write`, unless its name tells which it is:
    /// a rule may be about either.
    fn edit(self) -> Option<Vec<JudgedCall>> {
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
        let has_text =
            |value: Option<&Value>| value.is_some_and(|text| text.as_str() != Some("") && !text.is_null());
        let replaces = OLD_TEXTS.iter().any(|field| has_text(raw.get(*field)))
            || has_text(diff.and_then(|diff| diff.get("oldText")));
        let is_whole = raw.contains_key("content") || (!replaces && !raw.contains_key("new_source"));
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
        let input = with_path(raw, path);
        let mut tools = vec!["edit"];
        tools.extend(is_whole.then_some("write"));
        // The name decides between them.
        Some(tools.into_iter().map(|tool| self.known(tool, input.clone())).collect())
    }

    fn delete(self) -> Option<JudgedCall> {
        let raw = self.raw_with(&[PATHS, DELETE_FIELDS])?;
        let path = self.only_path(&raw).filter(|_| self.diffs().next().is_none())?;
        Some(self.known("delete", with_path(raw, path)))
    }

    fn fetch(self) -> Option<JudgedCall> {
        let raw = self.raw_with(&[FETCH_FIELDS])?;
        let is_plain = raw.get("url").is_some_and(Value::is_string) && self.names_no_files();
        is_plain.then(|| self.known("web_fetch", raw))
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
            cwd: self.cwd.to_owned(),
        }
    }

    /// The name of a call whose tool has none. A rule for calls whose texts are all claimed does not cover others.
    fn own_name(self) -> String {
        let is_unchecked =
            self.has_unclaimed_text() || !self.claims_what_it_does() || !self.is_where_it_seems();
        let is_unchecked = is_unchecked || self.expands_history();
        let unchecked = if is_unchecked { "_unchecked" } else { "" };
        format!("{PREFIX}{}{unchecked}", self.kind())
    }

    /// Whether deny rules see what the call is about: without that, they see nothing of what its title or its contents say.
    fn claims_what_it_does(self) -> bool {
        let raw = self.raw().unwrap_or_default();
        let is_told =
            |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
        let has = |fields: &[&str]| fields.iter().any(|field| is_told(raw.get(*field)));
        let mut files: Vec<&str> = PATHS.iter().filter_map(|field| raw.get(*field)?.as_str()).collect();
        let shown = self.diffs().map(|(_, diff)| diff).chain(self.list("locations"));
        files.extend(shown.filter_map(|place| place.get("path")?.as_str()));
        files.retain(|file| !file.trim().is_empty());
        match self.kind() {
            "execute" => has(COMMANDS),
            "fetch" => has(&["url"]),
            // From where, and to where.
            "move" => files.iter().collect::<HashSet<_>>().len() > 1,
            "read" | "edit" | "delete" | "search" => !files.is_empty(),
            _ => has(COMMANDS) || has(&["url"]) || !files.is_empty(),
        }
    }

    /// Whether a command runs where deny rules think it does.
    fn is_where_it_seems(self) -> bool {
        match self.command() {
            ShellCommand::Text(command) => {
                self.are_in(&command)
                    && self.shell.possible(self.cwd, &command).is_some_and(|all| all.len() == 1)
            }
            ShellCommand::Nothing | ShellCommand::Unknown => true,
        }
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

/// Whether variables in a value say where `cd` goes.
fn sets_directories(variables: &Value) -> bool {
    let text = variables.to_string();
    ["CDPATH", "HOME", "OLDPWD", "PROMPT_COMMAND"].iter().any(|name| text.contains(name))
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
