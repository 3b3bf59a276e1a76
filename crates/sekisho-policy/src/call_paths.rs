//! The paths that a call names in its input.

use std::borrow::Cow;

use serde_json::Value;
use smallvec::{SmallVec, smallvec};
use url::Url;

use crate::call::Call;
use crate::facts::{FactQuery, Facts};
use crate::hosts::BREAKS;
use crate::input_strings::each_string;
use crate::paths;
use crate::similar_fields::similar_fields;
use crate::tool_globs::{self, filters};
use crate::tools::{TargetField, Tool, ToolKind};

/// A path that a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathTarget {
    /// An absolute path.
    Known {
        /// Normalised by text.
        lexical: String,
        /// As the kernel would resolve it, if `..` makes this differ from the normalised path.
        walked: Option<String>,
        /// The tool may or may not read it this way (`~/x`): enough to deny, not to allow.
        doubtful: bool,
    },
    /// There is a path, or must be, but it is unknown.
    Unknown,
}

impl PathTarget {
    fn of(base: Option<&str>, home: Option<&str>, text: &str) -> PathTarget {
        let (text, doubtful) = match (text.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => (Cow::Owned(format!("{home}/{rest}")), true),
            _ => (Cow::Borrowed(text), has_two_readings(text)),
        };
        let joined = paths::join(base, &text);
        match joined.as_deref().and_then(paths::normalise_lexically) {
            Some(lexical) if !text.is_empty() => {
                let walked = joined.filter(|path| paths::climbs(path));
                PathTarget::Known { lexical, walked, doubtful }
            }
            _ => PathTarget::Unknown,
        }
    }

    /// The facts to look up about it.
    pub(crate) fn queries(&self) -> impl Iterator<Item = FactQuery> {
        let (lexical, walked) = match self {
            PathTarget::Known { lexical, walked, .. } => (Some(lexical), walked.as_ref()),
            PathTarget::Unknown => (None, None),
        };
        lexical.into_iter().chain(walked).map(|path| FactQuery::Resolve(path.clone()))
    }

    /// The paths as written.
    pub(crate) fn known(&self) -> Option<impl Iterator<Item = &str>> {
        match self {
            PathTarget::Known { lexical, walked, .. } => {
                Some(std::iter::once(lexical.as_str()).chain(walked.as_deref()))
            }
            PathTarget::Unknown => None,
        }
    }

    /// Every path it may refer to, as written and with links followed. `None` for an unknown one.
    pub(crate) fn readings<'a>(&'a self, facts: &'a Facts) -> impl Iterator<Item = Option<&'a str>> {
        let (lexical, walked, doubtful) = match self {
            PathTarget::Known { lexical, walked, doubtful } => (Some(lexical), walked.as_ref(), *doubtful),
            PathTarget::Unknown => (None, None, true),
        };
        let written = lexical.map(|path| Some(path.as_str()));
        let resolved = lexical.into_iter().chain(walked).map(|path| facts.resolved(path));
        written.into_iter().chain(resolved).chain(doubtful.then_some(None))
    }

    /// The [`readings`](PathTarget::readings) without the path as written: only with links followed.
    pub(crate) fn link_targets<'a>(&'a self, facts: &'a Facts) -> impl Iterator<Item = Option<&'a str>> {
        self.readings(facts).skip(usize::from(*self != PathTarget::Unknown))
    }
}

/// Whether tools could disagree about the file: some expand `~`, some trim, some accept URLs.
fn has_two_readings(text: &str) -> bool {
    text.starts_with('~')
        || text.trim().len() != text.len()
        || text.contains("://")
        || text.chars().any(char::is_control)
}

/// The paths that a call to `tool` names. Never empty for a file tool: a missing path is unknown.
pub(crate) fn paths_of(tool: &Tool, call: &Call, home: Option<&str>) -> Vec<PathTarget> {
    let mut finding = PathCollector::new(call, home);
    for place in tool.target_fields {
        if let TargetField::Field(field) = place {
            let plural = *field == "paths" && tool.kind == ToolKind::Read;
            each_string(call.input.get(field), &mut |text| {
                finding.path(text, tool.kind == ToolKind::Search);
                // Some tools that take a list accept globs in it.
                if plural && text.is_some_and(|text| text.contains(['*', '?', '[', '{'])) {
                    finding.targets.push(PathTarget::Unknown);
                }
            });
        }
    }
    finding.other_fields(tool, &call.input);
    for place in tool.target_fields {
        match place {
            TargetField::Glob(field) => each_string(call.input.get(field), &mut |text| {
                finding.glob(text);
                // A glob of files to read may match any file below its base directory.
                if tool.kind == ToolKind::Read {
                    finding.targets.push(PathTarget::Unknown);
                }
            }),
            TargetField::Filter(field) => {
                each_string(call.input.get(field), &mut |text| finding.filter(text))
            }
            TargetField::Patch(field) => {
                if let Some(text) = call.input.get(field) {
                    patch_paths(text, &mut |path| finding.path(path, false));
                }
            }
            TargetField::Field(_) | TargetField::Prose(_) => {}
        }
    }
    for like in similar_fields(tool, &call.input) {
        if let TargetField::Patch(_) = like.place {
            patch_paths(like.value, &mut |path| finding.path(path, false));
        }
        // Names that end like a path field have been found among the other fields.
        if !(matches!(like.place, TargetField::Field(_)) && ends_like_a_path(like.key)) {
            finding.targets.push(PathTarget::Unknown);
        }
    }
    let mut targets = finding.targets;
    if targets.is_empty() {
        // A search without a path starts in the agent's directory.
        let plain = call.input.is_object() || call.input.is_null();
        let here = call.cwd.as_deref().filter(|_| tool.kind == ToolKind::Search && plain);
        targets.push(here.map_or(PathTarget::Unknown, |cwd| PathTarget::of(None, None, cwd)));
    }
    targets
}

/// The paths, absolute and normalised. `None` if one of them is unknown or ambiguous.
pub(crate) fn certain_paths(targets: Vec<PathTarget>) -> Option<Vec<String>> {
    let paths = targets.into_iter().map(|target| match target {
        PathTarget::Known { lexical, walked: None, doubtful: false } => Some(lexical),
        PathTarget::Known { .. } | PathTarget::Unknown => None,
    });
    let mut paths: Vec<String> = paths.collect::<Option<_>>()?;
    paths.sort_unstable();
    paths.dedup();
    Some(paths)
}

/// The largest number of paths in one call; any more are unknown.
const MAX_PATHS: usize = 1024;

/// Collects the paths of one call.
pub(crate) struct PathCollector<'a> {
    home: Option<&'a str>,
    /// Relative paths of an MCP server are relative to a directory of its own.
    foreign: bool,
    /// What relative paths are relative to: the call's directory, and one that its input names.
    bases: SmallVec<[Option<Cow<'a, str>>; 2]>,
    /// Additional directories that globs are relative to.
    directories: Vec<String>,
    pub(crate) targets: Vec<PathTarget>,
}

impl<'a> PathCollector<'a> {
    pub(crate) fn new(call: &'a Call, home: Option<&'a str>) -> PathCollector<'a> {
        let mut bases: SmallVec<[Option<Cow<'a, str>>; 2]> =
            smallvec![call.cwd.as_deref().map(Cow::Borrowed)];
        for (key, value) in call.input.as_object().into_iter().flatten() {
            let wheres = ["cwd", "workdir", "working_dir", "working_directory", "workingDirectory"];
            if wheres.contains(&key.as_str()) {
                bases.push(
                    value.as_str().and_then(|dir| paths::join(call.cwd.as_deref(), dir)).map(Cow::Owned),
                );
            }
        }
        PathCollector {
            home,
            foreign: call.server.is_some(),
            bases,
            directories: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// There are more than the limit: what the call names is unknown.
    fn is_too_much(&mut self) {
        if self.targets.last() != Some(&PathTarget::Unknown) {
            self.targets.push(PathTarget::Unknown);
        }
    }

    /// Adds a path; `None` for a value that is not a text.
    pub(crate) fn path(&mut self, text: Option<&str>, directory: bool) {
        if self.targets.len() >= MAX_PATHS {
            return self.is_too_much();
        }
        let Some(text) = text else { return self.targets.push(PathTarget::Unknown) };
        // Some tools treat these as a mention of a file or as an option of the program they run.
        if text.starts_with(['@', '-']) {
            self.targets.push(PathTarget::Unknown);
        }
        let fixed = text.starts_with('/') || text.starts_with("~/");
        for base in self.bases.iter().take(if fixed { 1 } else { usize::MAX }) {
            self.targets.push(PathTarget::of(base.as_deref(), self.home, text));
            if directory {
                self.directories.extend(paths::join(base.as_deref(), text));
            }
        }
        if self.foreign && !fixed {
            self.targets.push(PathTarget::Unknown);
        }
    }

    /// Adds a glob. Agents differ in which field names its directory, so each of them counts, and none as
    /// well.
    fn glob(&mut self, text: Option<&str>) {
        if self.targets.len() >= MAX_PATHS || text.is_some_and(|text| text.len() >= paths::MAX_PATH_LENGTH) {
            return self.is_too_much();
        }
        let readings = text.and_then(tool_globs::alternatives);
        for reading in readings.as_deref().unwrap_or_default() {
            match tool_globs::base_directory(reading) {
                None => self.targets.push(PathTarget::Unknown),
                Some(dir) => {
                    self.path(Some(dir), false);
                    if !dir.starts_with('/') && !dir.starts_with("~/") && dir != "." {
                        let below = self.directories.iter();
                        let home = self.home;
                        self.targets.extend(below.map(|base| PathTarget::of(Some(base), home, dir)));
                    }
                }
            }
        }
        if readings.is_none() {
            self.targets.push(PathTarget::Unknown);
        }
    }

    /// Adds globs that select the files whose contents are displayed: a glob that names a protected file
    /// reads it.
    fn filter(&mut self, text: Option<&str>) {
        let Some(pieces) = filters(text.unwrap_or("")).filter(|_| self.targets.len() < MAX_PATHS) else {
            return self.is_too_much();
        };
        for piece in pieces.into_iter().filter(|piece| !piece.starts_with('!')) {
            self.glob(Some(piece));
            for reading in tool_globs::alternatives(piece).unwrap_or_default() {
                self.path(Some(&reading), false);
            }
        }
        if text.is_none() {
            self.targets.push(PathTarget::Unknown);
        }
    }

    /// Adds other fields whose names end like a path field, so that new field names of an agent are not
    /// missed.
    pub(crate) fn other_fields(&mut self, tool: &Tool, input: &Value) {
        let known = |key: &str| tool.target_fields.iter().any(|place| place.field() == key);
        self.named_like_paths(input, known, tool.kind == ToolKind::Search);
    }

    /// Adds every field whose name ends like a path field.
    pub(crate) fn like_paths(&mut self, input: &Value) {
        self.named_like_paths(input, |_| false, false);
    }

    fn named_like_paths(&mut self, input: &Value, known: impl Fn(&str) -> bool, directory: bool) {
        let mut open = vec![(input, false)];
        while let Some((value, names_path)) = open.pop() {
            match value {
                Value::String(text) if names_path => self.path(Some(text), directory),
                Value::Array(elements) => open.extend(elements.iter().map(|element| (element, names_path))),
                Value::Object(fields) => {
                    let others = fields.iter().filter(|(key, _)| !std::ptr::eq(value, input) || !known(key));
                    open.extend(others.map(|(key, value)| (value, ends_like_a_path(key))));
                }
                _ => {}
            }
        }
    }
}

fn ends_like_a_path(key: &str) -> bool {
    let endings = [
        "path",
        "paths",
        "file",
        "files",
        "filename",
        "dir",
        "directory",
        "directories",
        "folder",
        "cwd",
        "root",
        "uri",
    ];
    endings.iter().any(|ending| {
        key.len()
            .checked_sub(ending.len())
            .and_then(|at| key.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(ending))
    })
}

/// The files that a patch names in its headers; `None` if the text is not a patch that names any.
fn patch_paths<'a>(value: &'a Value, found: &mut dyn FnMut(Option<&'a str>)) {
    // Codex sends the patch as the second word of a command, or as text.
    let text = match value {
        Value::Array(words) => words.last().and_then(Value::as_str),
        other => other.as_str(),
    };
    let mut any = false;
    for line in text.unwrap_or("").split(['\n', '\r']) {
        let Some(header) = line.trim_start().strip_prefix("***") else { continue };
        // Parsers treat case and blanks differently, and an unknown header may still name a file.
        let (keyword, path) = header.split_once(':').unwrap_or((header, ""));
        match keyword.trim().to_ascii_lowercase().as_str() {
            "add file" | "update file" | "delete file" | "move to" => {
                any = true;
                found(Some(path.trim()));
            }
            "begin patch" | "end patch" | "end of file" | "" => {}
            _ => {
                any = true;
                found(None);
            }
        }
    }
    if !any {
        found(None);
    }
}

/// The file that a `file:` URL names. `None` for another URL.
pub(crate) fn file_url(text: &str) -> Option<PathTarget> {
    let url = Url::parse(text.trim()).ok().filter(|url| url.scheme() == "file")?;
    let path = url.to_file_path().ok().and_then(|path| path.into_os_string().into_string().ok());
    Some(path.map_or(PathTarget::Unknown, |path| PathTarget::of(None, None, &path)))
}

/// The files a call to a web tool names by `file:` URLs.
pub(crate) fn file_urls(tool: &Tool, input: &Value) -> Vec<PathTarget> {
    let mut targets = Vec::new();
    let mut look = |text: &str| targets.extend(file_url(text));
    for place in tool.target_fields {
        match place {
            TargetField::Field(field) => {
                each_string(input.get(field), &mut |text| text.into_iter().for_each(&mut look));
            }
            TargetField::Prose(field) => {
                let text = input.get(field).and_then(Value::as_str).unwrap_or("");
                text.split(BREAKS).for_each(&mut look);
            }
            TargetField::Glob(_) | TargetField::Filter(_) | TargetField::Patch(_) => {}
        }
    }
    for like in similar_fields(tool, input) {
        each_string(Some(like.value), &mut |text| {
            text.unwrap_or_default().split(BREAKS).for_each(&mut look);
        });
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::{PathTarget, paths_of};
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
        check("read_many_files", json!({"include": ["src/**/*.rs"]}), &[Some("/w/src"), None]);
        check("read", json!({"path": "~/x"}), &[Some("/home/u/x")]);
        check("read", json!({"path": 3}), &[None]);
        check("read", json!({"path": ""}), &[None]);
        check("read", json!({}), &[None]);
        check("Grep", json!({"pattern": "x"}), &[Some("/w")]);
        check("Glob", json!({"pattern": "**/*.rs"}), &[Some("/w")]);
        // Which directory it is relative to depends on the agent.
        let climbing = json!({"pattern": "../**/x", "path": "/w/a/b"});
        check("Glob", climbing, &[Some("/w/a/b"), Some("/"), Some("/w/a")]);
        check("list_dir", json!({"relative_workspace_path": "/etc"}), &[Some("/etc")]);
        check("MultiEdit", json!({"edits": [{"filePath": "a"}]}), &[Some("/w/a")]);
        check("grep", json!("{}"), &[None]);
        check(
            "Grep",
            json!({"glob": "*.rs .env"}),
            &[Some("/w"), Some("/w/*.rs"), Some("/w"), Some("/w/.env")],
        );
        check("Glob", json!({"pattern": "/etc/*"}), &[Some("/etc")]);
        check("Glob", json!({"pattern": "*/../../etc/*"}), &[None]);
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n*** Move to: b.rs\n*** End Patch";
        check("apply_patch", json!({"input": patch}), &[Some("/w/a.rs"), Some("/w/b.rs")]);
        check("apply_patch", json!({"command": ["apply_patch", patch]}), &[Some("/w/a.rs"), Some("/w/b.rs")]);
        check("apply_patch", json!({"input": "nothing"}), &[None]);
        check(
            "apply_patch",
            json!({"input": patch, "Input": "*** Add File: c"}),
            &[Some("/w/a.rs"), Some("/w/b.rs"), Some("/w/c"), None],
        );
        check("Glob", json!({"pattern": "*.rs", "Pattern": "/etc/*"}), &[Some("/w"), None]);
        check(
            "read",
            json!({"path": "a", "Path": "b", "filepath": "c"}),
            &[Some("/w/a"), Some("/w/c"), Some("/w/b")],
        );
    }
}
