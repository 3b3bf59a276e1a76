//! What a call acts on: the command, paths, hosts or skill its input names.

use std::borrow::Cow;

use serde_json::Value;

use crate::call::Call;
use crate::hosts::HostTarget;
use crate::paths;
use crate::surroundings::{Facts, Need};
use crate::tools::{Place, Tool, ToolKind};

/// A path a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathTarget {
    /// An absolute path.
    Known {
        /// Normalised by text.
        lexical: String,
        /// As the kernel would walk it, where `..` makes that another path than the normalised one.
        walked: Option<String>,
        /// The tool may or may not read it this way (`~/x`): good enough to deny, not to allow.
        doubtful: bool,
    },
    /// A path is there, or must be, but cannot be told.
    Unknown,
}

impl PathTarget {
    fn of(base: Option<&str>, home: Option<&str>, text: &str) -> PathTarget {
        let (text, doubtful) = match (text.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => (Cow::Owned(format!("{home}/{rest}")), true),
            _ => (Cow::Borrowed(text), text.starts_with('~') || text.chars().any(char::is_control)),
        };
        let joined = paths::join(base, &text);
        match joined.as_deref().and_then(paths::lexical) {
            Some(lexical) if !text.is_empty() => {
                let climbs = text.split('/').any(|segment| segment == "..");
                PathTarget::Known { lexical, walked: joined.filter(|_| climbs), doubtful }
            }
            _ => PathTarget::Unknown,
        }
    }

    /// The facts to look up about it.
    pub(crate) fn needs(&self) -> impl Iterator<Item = Need> {
        let (lexical, walked) = match self {
            PathTarget::Known { lexical, walked, .. } => (Some(lexical), walked.as_ref()),
            PathTarget::Unknown => (None, None),
        };
        lexical.into_iter().chain(walked).map(|path| Need::Resolve(path.clone()))
    }

    /// Every path it may turn out to be, `None` for one that is unknown: as written, and where links lead.
    pub(crate) fn readings<'a>(&'a self, facts: &'a Facts) -> impl Iterator<Item = Option<&'a str>> {
        let (lexical, walked, doubtful) = match self {
            PathTarget::Known { lexical, walked, doubtful } => (Some(lexical), walked.as_ref(), *doubtful),
            PathTarget::Unknown => (None, None, true),
        };
        let written = lexical.map(|path| Some(path.as_str()));
        let resolved = lexical.into_iter().chain(walked).map(|path| facts.resolved(path));
        written.into_iter().chain(resolved).chain(doubtful.then_some(None))
    }
}

/// The paths a call to `tool` names. Never empty for a file tool: what is missing is unknown.
pub(crate) fn paths_of(tool: &Tool, call: &Call, home: Option<&str>) -> Vec<PathTarget> {
    let cwd = call.cwd.as_deref();
    let mut targets = Vec::new();
    // A glob is relative to the directory named beside it.
    let base = tool.places.iter().find_map(|place| match place {
        Place::Field(field) if tool.kind == ToolKind::Search => call.input.get(field)?.as_str(),
        _ => None,
    });
    let base = base.map_or(cwd.map(Cow::Borrowed), |dir| paths::join(cwd, dir).map(Cow::Owned));
    for place in tool.places {
        match place {
            Place::Field(field) => {
                each_string(call.input.get(field), &mut |text| {
                    targets.push(text.map_or(PathTarget::Unknown, |text| PathTarget::of(cwd, home, text)));
                });
            }
            Place::Glob(field) => each_string(call.input.get(field), &mut |text| {
                let start = text.and_then(glob_start);
                targets.push(
                    start.map_or(PathTarget::Unknown, |dir| PathTarget::of(base.as_deref(), home, dir)),
                );
            }),
            Place::Patch(field) => {
                if let Some(text) = call.input.get(field) {
                    patch_paths(text, &mut |path| {
                        targets
                            .push(path.map_or(PathTarget::Unknown, |path| PathTarget::of(cwd, home, path)));
                    });
                }
            }
            Place::Prose(_) => {}
        }
    }
    if targets.is_empty() {
        // A search without a path starts where the agent is.
        let here = (tool.kind == ToolKind::Search).then_some(cwd).flatten();
        targets.push(here.map_or(PathTarget::Unknown, |cwd| PathTarget::of(None, None, cwd)));
    }
    targets
}

/// Calls `found` with every string of a value that is a string or a list of strings, and with `None` for anything else.
fn each_string<'a>(value: Option<&'a Value>, found: &mut dyn FnMut(Option<&'a str>)) {
    match value {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => found(Some(text)),
        Some(Value::Array(elements)) => elements.iter().for_each(|element| found(element.as_str())),
        Some(_) => found(None),
    }
}

/// The directory a glob starts from. `None` if it can climb out of it.
fn glob_start(glob: &str) -> Option<&str> {
    let wild = glob.find(['*', '?', '[', '{']).unwrap_or(glob.len());
    let (fixed, rest) = glob.split_at_checked(wild)?;
    if rest.split('/').any(|segment| segment == "..") || rest.contains("..") && rest.contains('{') {
        return None;
    }
    match fixed.rfind('/') {
        Some(0) => Some("/"),
        Some(slash) => fixed.get(..slash),
        None => Some("."),
    }
}

/// The files a patch names in its headers; `None` where the text is no patch that names any.
fn patch_paths<'a>(value: &'a Value, found: &mut dyn FnMut(Option<&'a str>)) {
    // Codex sends the patch as the second word of a command, or as text.
    let text = match value {
        Value::Array(words) => words.last().and_then(Value::as_str),
        other => other.as_str(),
    };
    let headers = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let mut any = false;
    for line in text.unwrap_or("").lines() {
        let line = line.trim_start();
        if let Some(path) = headers.iter().find_map(|header| line.strip_prefix(header)) {
            any = true;
            found(Some(path.trim()));
        }
    }
    if !any {
        found(None);
    }
}

/// The hosts a call to a web tool names. Never empty.
pub(crate) fn hosts_of(tool: &Tool, input: &Value) -> Vec<HostTarget> {
    let mut targets = Vec::new();
    for place in tool.places {
        match place {
            Place::Field(field) => each_string(input.get(field), &mut |text| {
                targets.push(text.map_or(HostTarget::Unknown, HostTarget::of));
            }),
            Place::Prose(field) => {
                let text = input.get(field).and_then(Value::as_str).unwrap_or("");
                let words = text.split(|c: char| c.is_whitespace() || "<>()\"'`,".contains(c));
                targets.extend(words.filter(|word| word.contains("://")).map(HostTarget::of));
            }
            Place::Glob(_) | Place::Patch(_) => {}
        }
    }
    if targets.is_empty() {
        targets.push(HostTarget::Unknown);
    }
    targets
}

/// The one string the first filled place holds: a shell command or a skill's name. `None` if there is none, or if two
/// places disagree.
pub(crate) fn text_of<'a>(tool: &Tool, input: &'a Value) -> Option<Cow<'a, str>> {
    let mut found: Option<Cow<'a, str>> = None;
    for place in tool.places {
        let Place::Field(field) = place else { continue };
        let text = match input.get(field) {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
            Some(Value::Array(words)) => Cow::Owned(command_line(words)?),
            Some(_) => return None,
        };
        match &found {
            Some(earlier) if *earlier != text => return None,
            _ => found = Some(text),
        }
    }
    found
}

/// A command given as a list of words, as one shell text of the same meaning.
fn command_line(words: &[Value]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
    let quoted = words.iter().map(|word| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            Cow::Borrowed(*word)
        } else {
            Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
        }
    });
    Some(quoted.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{PathTarget, glob_start, paths_of, text_of};
    use crate::call::Call;
    use crate::tools::by_name;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(tool: &str, input: Value, expected: &[Option<&str>]) {
        let call = Call::new(tool, input.clone()).in_directory("/w");
        let found = paths_of(by_name(tool).unwrap(), &call, Some("/home/u"));
        let found: Vec<Option<&str>> = found
            .iter()
            .map(|target| match target {
                PathTarget::Known { lexical, .. } => Some(lexical.as_str()),
                PathTarget::Unknown => None,
            })
            .collect();
        assert_eq!(found, expected, "{tool} {input}");
    }

    #[test]
    fn paths_are_found_where_each_agent_puts_them() {
        check("Read", json!({"file_path": "/w/a"}), &[Some("/w/a")]);
        check("read", json!({"filePath": "a/../b"}), &[Some("/w/b")]);
        check("read_many_files", json!({"paths": ["a", "b"]}), &[Some("/w/a"), Some("/w/b")]);
        check("read_many_files", json!({"include": ["src/**/*.rs"]}), &[Some("/w/src")]);
        check("read", json!({"path": "~/x"}), &[Some("/home/u/x")]);
        check("read", json!({"path": 3}), &[None]);
        check("read", json!({"path": ""}), &[None]);
        check("read", json!({}), &[None]);
        check("Grep", json!({"pattern": "x"}), &[Some("/w")]);
        check("Glob", json!({"pattern": "**/*.rs"}), &[Some("/w")]);
        check("Glob", json!({"pattern": "../**/x", "path": "/w/a/b"}), &[Some("/w/a"), Some("/w/a/b")]);
        check("Glob", json!({"pattern": "/etc/*"}), &[Some("/etc")]);
        check("Glob", json!({"pattern": "*/../../etc/*"}), &[None]);
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n*** Move to: b.rs\n*** End Patch";
        check("apply_patch", json!({"input": patch}), &[Some("/w/a.rs"), Some("/w/b.rs")]);
        check("apply_patch", json!({"command": ["apply_patch", patch]}), &[Some("/w/a.rs"), Some("/w/b.rs")]);
        check("apply_patch", json!({"input": "nothing"}), &[None]);
    }

    #[test]
    fn a_glob_starts_where_its_wildcards_begin() {
        assert_eq!(glob_start("src/a*.rs"), Some("src"));
        assert_eq!(glob_start("*.rs"), Some("."));
        assert_eq!(glob_start("/*"), Some("/"));
        assert_eq!(glob_start("{..,a}/x"), None);
    }

    #[test]
    fn commands_come_as_text_or_as_words() {
        let text = |input| text_of(by_name("Bash").unwrap(), &input).map(|text| text.into_owned());
        assert_eq!(text(json!({"command": "ls -l"})).as_deref(), Some("ls -l"));
        assert_eq!(text(json!({"cmd": "ls"})).as_deref(), Some("ls"));
        assert_eq!(
            text(json!({"command": ["bash", "-lc", "a 'b'"]})).as_deref(),
            Some(r"bash -lc 'a '\''b'\'''")
        );
        assert_eq!(text(json!({"command": "a", "cmd": "b"})), None);
        assert_eq!(text(json!({"command": 1})), None);
        assert_eq!(text(json!({})), None);
    }
}
