//! What a described call does, one action after the other: each is judged like a call to the canonical tool that does it.
//!
//! A field that is missing, or holds something else than the descriptor says, is a question. What the action then acts on is
//! looked for in all of the input, so that a rule that denies it still does.

use std::borrow::Cow;

use sekisho_shell::Budget;
use serde_json::Value;

use crate::call::Call;
use crate::call_tool::CallTool;
use crate::descriptor::Descriptor;
use crate::hosts::HostTarget;
use crate::input_field::InputField;
use crate::reason::Reason;
use crate::target::{PathCollector, PathTarget, certain_paths, file_url, paths_of};
use crate::text_field::{all_texts, text_of, text_of_value, texts_of_values};
use crate::tools::ToolKind;

/// How many commands of one call are judged each for itself.
const MOST_COMMANDS: usize = 64;

/// One thing that a described call does.
#[derive(Debug)]
pub(crate) struct Action<'a> {
    /// The canonical tool that does it; none for all actions of a call taken together.
    pub(crate) tool: Option<&'static str>,
    pub(crate) kind: ActionKind<'a>,
    /// A field could not be read, so that what it acts on is not all known.
    pub(crate) problem: Option<Reason>,
    /// The tool is said to change nothing.
    pub(crate) read_only: bool,
    /// Only a deny or a confirm that matches counts: another action stands for the rest.
    pub(crate) tightens: bool,
}

/// What an action acts on.
#[derive(Clone, Debug)]
pub(crate) enum ActionKind<'a> {
    /// Runs this text, which may cost so many units.
    Runs(Cow<'a, str>, usize),
    /// Runs one of these texts, or something else: which is not known.
    RunsUnknown(Vec<Cow<'a, str>>),
    /// Touches files, reaches hosts.
    Touches { paths: Vec<PathTarget>, hosts: Vec<HostTarget> },
}

/// Everything a described call does; first something that does not only tighten. Empty for a descriptor that says nothing.
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
    // Which of the three it is, is not told.
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

/// All actions of a call as one, for rules that speak of a path and of a host. None where there is only one.
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

/// What the values at some fields come to. `read` says whether it could make something of a value.
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
    let problem = problem.or((texts.len() > MOST_COMMANDS).then_some(Reason::TooMuch));
    if problem.is_some() {
        return vec![action(Some("bash"), ActionKind::RunsUnknown(texts_of_values(values)), problem)];
    }
    // Equal shares: no text uses up what another needs to be read.
    let units = Budget::DEFAULT / texts.len().max(1);
    texts.into_iter().map(|text| action(Some("bash"), ActionKind::Runs(text, units), None)).collect()
}

/// A text, or each text of a list. `false` where something else stands, or nothing.
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

/// The paths at some fields; never empty.
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

/// The paths a call to a file tool names, absolute and normalised; none where one of them cannot be told, or could be read
/// in another way.
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

/// The bash text that a call to a shell tool would run; none for other tools, and for an input that has no one text.
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
