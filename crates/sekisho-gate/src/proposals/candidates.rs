//! Candidate rule sets for a call, narrowest first, before they are tried.

use crate::host_wildcard::is_one_host;
use sekisho_policy::tools::ToolKind;
use sekisho_policy::{
    Call, CallTool, Effect, JudgeContext, LayerKind, Rule, TargetFieldKind, Verdict, call_paths,
    candidate_allow_rules, paths,
};
use serde_json::Value;
use url::Url;

/// The longest input that a rule is proposed for, in bytes.
const MAX_EXACT_INPUT: usize = 4096;

/// The candidate sets for a call.
pub(super) fn sets(call: &Call, context: &JudgeContext, verdict: &Verdict) -> Vec<Vec<Rule>> {
    if !is_nameable(&call.tool) {
        return Vec::new();
    }
    let kind = CallTool::of(call).map_or(ToolKind::Other, |tool| tool.kind());
    if kind == ToolKind::Shell && call.server.is_none() {
        return candidate_allow_rules(call, context, verdict);
    }
    let Some(priority) = priority_over(verdict) else { return Vec::new() };
    let rules = match of_server(call) {
        Some(rule) => exactly_then_any(call, rule),
        None => match kind {
            ToolKind::Shell => Vec::new(),
            ToolKind::Read | ToolKind::Search | ToolKind::Write => by_path(call, context),
            ToolKind::Web => by_host(call),
            ToolKind::Skill => by_skill(call),
            ToolKind::WebSearch | ToolKind::Notes | ToolKind::Other => {
                exactly_then_any(call, canonical_tool(call))
            }
        },
    };
    rules.into_iter().map(|rule| vec![Rule { priority, ..rule }]).collect()
}

/// The rule for exactly this input, then for any input.
fn exactly_then_any(call: &Call, any: Rule) -> Vec<Rule> {
    let exact = exact_input(call).map(|input| Rule { input: Some(input), ..any.clone() });
    exact.into_iter().chain([any]).collect()
}

/// The input as a rule names it. None for an input that nobody would read in a list of rules.
fn exact_input(call: &Call) -> Option<String> {
    call.input.as_object()?;
    Some(call.input.to_string()).filter(|input| input.len() <= MAX_EXACT_INPUT)
}

/// Whether a rule can name the tool.
fn is_nameable(tool: &str) -> bool {
    !tool.is_empty() && tool.trim() == tool
}

/// The rule for a tool of its server. None if it belongs to no server.
pub(super) fn of_server(call: &Call) -> Option<Rule> {
    let server = call.server.as_ref().filter(|_| is_nameable(&call.tool))?;
    Some(Rule { server: Some(server.id.clone()), ..tool_rule(&call.tool) })
}

/// A priority above the confirm that decided, or 0. None if no allow is strong enough.
fn priority_over(verdict: &Verdict) -> Option<i32> {
    match verdict.rules.first().filter(|rule| rule.layer() != LayerKind::BuiltIn) {
        Some(rule) if rule.effect() == Effect::Confirm => rule.priority().checked_add(1),
        _ => Some(0),
    }
}

fn tool_rule(tool: &str) -> Rule {
    Rule { tool: Some(tool.into()), ..Rule::default() }
}

/// The tool by its canonical name, if it is known.
fn canonical_tool(call: &Call) -> Rule {
    tool_rule(CallTool::of(call).map_or(&call.tool, |tool| tool.name()))
}

/// The exact path, then its directory, if that is inside the workspace and not the workspace itself.
fn by_path(call: &Call, context: &JudgeContext) -> Vec<Rule> {
    let Some(paths) = call_paths(call, context.home.as_deref()) else { return Vec::new() };
    let mut globs: Vec<String> = Vec::new();
    // A rule for a path also covers everything below it. The workspace and the home directory are not
    // files.
    let writes = CallTool::of(call).is_some_and(|tool| tool.kind() == ToolKind::Write);
    let holds = |path: &str| {
        [&context.root, &context.home]
            .into_iter()
            .flatten()
            .any(|directory| paths::is_within(directory, path))
    };
    if let [path] = paths.as_slice()
        && !(writes && holds(path))
    {
        globs.push(escaped(path));
    }
    let directories = paths.iter().map(|path| path.rsplit_once('/').map_or("", |(directory, _)| directory));
    let common = directories.map(str::to_owned).reduce(|a, b| shared(&a, &b)).unwrap_or_default();
    let inside = |root: &&str| paths::is_within(&common, root) && common != root.trim_end_matches('/');
    if context.root.as_deref().filter(inside).is_some() {
        globs.push(format!("{}/**", escaped(&common)));
    }
    globs.into_iter().map(|path| Rule { path: Some(path), ..canonical_tool(call) }).collect()
}

/// The common ancestor of two directories.
fn shared(a: &str, b: &str) -> String {
    let same = a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b);
    same.map(|(segment, _)| segment).collect::<Vec<_>>().join("/")
}

/// A path as a glob that matches only it.
fn escaped(path: &str) -> String {
    let mut glob = String::with_capacity(path.len());
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\') {
            glob.push('\\');
        }
        glob.push(c);
    }
    glob
}

/// The host of an address and its port, unless it is the default one. A user name is part of no rule.
fn host_and_port(text: &str) -> Option<(String, Option<u16>)> {
    let url = Url::parse(text).ok()?;
    let host = url.host_str()?.trim_end_matches('.');
    let has_user = !url.username().is_empty() || url.password().is_some();
    Some((if has_user { String::new() } else { host.to_owned() }, url.port()))
}

/// The rule for a host, if all addresses have the same one.
fn by_host(call: &Call) -> Vec<Rule> {
    let values = CallTool::of(call).map(|tool| tool.values(&call.input)).unwrap_or_default();
    let mut hosts: Vec<(String, Option<u16>)> = Vec::new();
    let mut add = |text: &str| hosts.extend(host_and_port(text));
    for (kind, value) in values {
        match kind {
            TargetFieldKind::Values => match value {
                Value::String(text) => add(text),
                Value::Array(values) => values.iter().filter_map(Value::as_str).for_each(&mut add),
                _ => {}
            },
            TargetFieldKind::Prose => {
                let prose = value.as_str().unwrap_or("");
                prose.split_whitespace().filter(|word| word.contains("://")).for_each(&mut add);
            }
            TargetFieldKind::Glob | TargetFieldKind::Filter | TargetFieldKind::Patch => {}
        }
    }
    hosts.sort_unstable();
    hosts.dedup();
    match hosts.as_slice() {
        [(host, port)] if is_one_host(host) => {
            let host = port.map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
            vec![Rule { host: Some(host), ..canonical_tool(call) }]
        }
        _ => Vec::new(),
    }
}

/// The rule for a skill by its name.
fn by_skill(call: &Call) -> Vec<Rule> {
    let values = CallTool::of(call).map(|tool| tool.values(&call.input)).unwrap_or_default();
    let names = values.into_iter().filter_map(|(kind, value)| match kind {
        TargetFieldKind::Values => value.as_str(),
        _ => None,
    });
    let rule = |name: &str| Rule { skill_name: Some(name.into()), ..canonical_tool(call) };
    names.take(1).filter(|name| !name.is_empty()).map(rule).collect()
}
