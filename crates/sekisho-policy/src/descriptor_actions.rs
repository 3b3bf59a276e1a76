//! The actions of a described call. Each action is judged like a call to the canonical tool that does the
//! same.
//!
//! If a field is missing, or its value is not what the descriptor declares, the verdict is at least a
//! confirm. The targets of the action are then searched for in the whole input, so that deny rules still
//! match.

use std::borrow::Cow;

use sekisho_shell::Budget;
use serde_json::Value;

use crate::call::Call;
use crate::call_paths::{PathCollector, PathTarget, certain_paths, file_url, paths_of};
use crate::call_tool::CallTool;
use crate::command_field::{all_texts, text_of, text_of_value, texts_of, texts_of_values};
use crate::descriptor::Descriptor;
use crate::hosts::HostTarget;
use crate::input_field::InputField;
use crate::reason::Reason;
use crate::tools::ToolKind;

/// The largest number of commands of one call that are judged separately.
const MAX_COMMANDS: usize = 64;

/// One thing that a described call does.
#[derive(Debug)]
pub(crate) struct Action<'a> {
    /// The canonical tool that does it. `None` for the union of all actions of a call.
    pub(crate) tool: Option<&'static str>,
    pub(crate) kind: ActionKind<'a>,
    /// A field could not be read, so not all targets are known.
    pub(crate) problem: Option<Reason>,
    /// The descriptor declares that the tool changes nothing.
    pub(crate) read_only: bool,
    /// Only matching deny and confirm rules count, because another action covers the rest.
    pub(crate) tightens: bool,
}

/// What an action acts on.
#[derive(Clone, Debug)]
pub(crate) enum ActionKind<'a> {
    /// Runs this text, with this budget in units.
    Runs(Cow<'a, str>, usize),
    /// Runs one of these texts or something else; which one is unknown.
    RunsUnknown(Vec<Cow<'a, str>>),
    /// Touches files or contacts hosts.
    Touches { paths: Vec<PathTarget>, hosts: Vec<HostTarget> },
}

/// All actions of a described call. The first one does more than tighten. Empty for an empty descriptor.
pub(crate) fn actions<'a>(call: &'a Call, descriptor: &'a Descriptor, home: Option<&str>) -> Vec<Action<'a>> {
    let mut all = commands(&call.input, descriptor.commands());
    let mut files = |tool: &'static str, fields: &[InputField], also: &[&'static str]| {
        if fields.is_empty() {
            return;
        }
        let (paths, problem) = paths(call, fields, home);
        let does = ActionKind::Touches { paths, hosts: Vec::new() };
        all.push(action(Some(tool), does.clone(), problem.clone()));
        for also in also {
            all.push(Action { tightens: true, ..action(Some(also), does.clone(), problem.clone()) });
        }
    };
    files("read", descriptor.reads(), &[]);
    files("grep", descriptor.searches(), &[]);
    // The descriptor does not distinguish between the three.
    files("write", descriptor.writes(), &["edit", "delete"]);
    if !descriptor.addresses().is_empty() {
        let (does, problem) = addresses(&call.input, descriptor.addresses());
        all.push(action(Some("web_fetch"), does, problem));
    }
    all.extend(together(&all));
    all.iter_mut().for_each(|action| action.read_only = descriptor.is_read_only());
    all
}

fn action<'a>(tool: Option<&'static str>, does: ActionKind<'a>, problem: Option<Reason>) -> Action<'a> {
    Action { tool, kind: does, problem, read_only: false, tightens: false }
}

/// All actions of a call as one, for rules with both a path and a host. `None` if there is only one action.
fn together<'a>(all: &[Action<'a>]) -> Option<Action<'a>> {
    let (mut every_path, mut every_host) = (Vec::new(), Vec::new());
    for action in all.iter().filter(|action| !action.tightens) {
        if let ActionKind::Touches { paths, hosts } = &action.kind {
            every_path.extend_from_slice(paths);
            every_host.extend_from_slice(hosts);
        }
    }
    let several = all.iter().filter(|action| !action.tightens).count() > 1;
    let does = ActionKind::Touches { paths: every_path, hosts: every_host };
    several.then(|| Action { tightens: true, ..action(None, does, None) })
}

/// Reads the values of some fields. `read` returns whether it could use a value.
fn each_value<'v>(
    input: &'v Value,
    fields: &[InputField],
    read: &mut dyn FnMut(&'v Value) -> bool,
) -> Option<Reason> {
    let mut problem = None;
    for field in fields {
        let ambiguous = field.is_ambiguous(input);
        field.each(input, &mut |value| {
            let found = match value {
                Some(value) if read(value) && !ambiguous => None,
                None => Some(Reason::FieldMissing { field: field.to_string() }),
                Some(_) => Some(Reason::FieldUnreadable { field: field.to_string() }),
            };
            if problem.is_none() {
                problem = found;
            }
        });
    }
    problem
}

fn commands<'a>(input: &'a Value, fields: &[InputField]) -> Vec<Action<'a>> {
    if fields.is_empty() {
        return Vec::new();
    }
    let (mut texts, mut values): (Vec<Cow<'a, str>>, Vec<&Value>) = (Vec::new(), Vec::new());
    let problem = each_value(input, fields, &mut |value| {
        values.push(value);
        let text = text_of_value(value).filter(|text| !text.trim().is_empty());
        let readable = text.is_some();
        texts.extend(text);
        readable
    });
    texts.sort_unstable();
    texts.dedup();
    let problem = problem.or((texts.len() > MAX_COMMANDS).then_some(Reason::TooMuch));
    if problem.is_some() {
        return vec![action(Some("bash"), ActionKind::RunsUnknown(texts_of_values(values)), problem)];
    }
    // Equal shares, so that no text uses up the budget of another.
    let units = Budget::DEFAULT / texts.len().max(1);
    texts.into_iter().map(|text| action(Some("bash"), ActionKind::Runs(text, units), None)).collect()
}

/// A text, or each text of a list. `false` for anything else.
fn each_text<'v>(value: &'v Value, found: &mut dyn FnMut(&'v str)) -> bool {
    let mut text = |value: &'v Value| match value.as_str().filter(|text| !text.trim().is_empty()) {
        Some(text) => {
            found(text);
            true
        }
        None => false,
    };
    match value {
        Value::Array(values) => values.iter().fold(!values.is_empty(), |all, value| text(value) && all),
        value => text(value),
    }
}

/// The paths in some fields. Never empty.
fn paths(call: &Call, fields: &[InputField], home: Option<&str>) -> (Vec<PathTarget>, Option<Reason>) {
    let mut finding = PathCollector::new(call, home);
    let problem = each_value(&call.input, fields, &mut |value| {
        each_text(value, &mut |text| finding.path(Some(text), false))
    });
    if problem.is_some() {
        finding.path(None, false);
        finding.like_paths(&call.input);
    }
    (finding.targets, problem)
}

/// The paths that a call to a file tool names, absolute and normalised. `None` if one of them is unknown or
/// ambiguous.
pub fn call_paths(call: &Call, home: Option<&str>) -> Option<Vec<String>> {
    let tool = CallTool::of(call).filter(|tool| tool.kind().is_file() && call.server.is_none())?;
    match tool.fields() {
        Err(table) => certain_paths(paths_of(table, call, home)),
        Ok(fields) => {
            let (paths, problem) = paths(call, fields, home);
            certain_paths(paths).filter(|_| problem.is_none())
        }
    }
}

/// The bash text that a call to a shell tool would run. `None` for other tools, and for an input without a
/// single text.
pub fn shell_text(call: &Call) -> Option<Cow<'_, str>> {
    let tool = CallTool::of(call).filter(|tool| tool.kind() == ToolKind::Shell)?;
    match tool.fields() {
        Err(table) => text_of(table, &call.input),
        Ok(fields) => {
            let mut all = commands(&call.input, fields).into_iter();
            match (all.next().map(|action| action.kind), all.next()) {
                (Some(ActionKind::Runs(text, _)), None) => Some(text),
                _ => None,
            }
        }
    }
}

/// Every bash text that a call to a shell tool may run. Empty for other tools.
pub fn shell_texts(call: &Call) -> Vec<Cow<'_, str>> {
    let Some(tool) = CallTool::of(call).filter(|tool| tool.kind() == ToolKind::Shell) else {
        return Vec::new();
    };
    if let Some(text) = shell_text(call) {
        return vec![text];
    }
    match tool.fields() {
        Err(table) => texts_of(table, &call.input),
        Ok(fields) => {
            let texts = commands(&call.input, fields).into_iter().flat_map(|action| match action.kind {
                ActionKind::Runs(text, _) => vec![text],
                ActionKind::RunsUnknown(texts) => texts,
                ActionKind::Touches { .. } => Vec::new(),
            });
            texts.collect()
        }
    }
}

fn addresses<'a>(input: &'a Value, fields: &[InputField]) -> (ActionKind<'a>, Option<Reason>) {
    let (mut paths, mut hosts) = (Vec::new(), Vec::new());
    let mut add = |text: &str| {
        paths.extend(file_url(text));
        hosts.push(HostTarget::of(text));
    };
    let problem = each_value(input, fields, &mut |value| each_text(value, &mut add));
    if problem.is_some() {
        let texts = all_texts(input);
        texts.iter().filter(|text| text.contains("://")).for_each(|text| add(text));
        hosts.push(HostTarget::Unknown);
    }
    (ActionKind::Touches { paths, hosts }, problem)
}
