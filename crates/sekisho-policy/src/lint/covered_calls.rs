//! What a rule covers, in a sentence.

use std::fmt::Write;

use sekisho_shell::programs::options_outside_allow;
use serde::Serialize;

use super::finding::RuleLocation;
use super::linted_rule::LintedRule;
use crate::layer::Layer;
use crate::rule::{Effect, LayerKind, Rule};
use crate::say;
use crate::tools::{self, ToolKind};

/// What a rule covers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoveredCalls {
    /// The rule.
    pub at: RuleLocation,
    /// The sentence for people.
    pub message: String,
}

/// What each rule of these layers covers. Built-in rules are left out.
pub fn covered_calls(layers: &[Layer]) -> Vec<CoveredCalls> {
    let own = layers.iter().filter(|layer| layer.kind != LayerKind::BuiltIn);
    own.flat_map(|layer| layer.rules.iter().map(move |layer_rule| LintedRule { layer, layer_rule }))
        .map(|entry| CoveredCalls {
            at: entry.location(),
            message: coverage_sentence(entry.effect(), entry.rule()),
        })
        .collect()
}

/// What a rule covers, in a sentence that begins with a lower-case letter.
pub fn coverage_sentence(effect: Effect, rule: &Rule) -> String {
    let mut text = match effect {
        Effect::Allow => allowed(rule),
        Effect::Confirm | Effect::Deny => matched_widely(rule),
    };
    // Writing to a string cannot fail.
    if let Some(server) = &rule.server {
        let _ = write!(text, ", only for the MCP server `{server}`");
    }
    if let Some(agent) = &rule.agent {
        let _ = write!(text, ", only for the agent `{agent}`");
    }
    say(text).into_owned()
}

fn allowed(rule: &Rule) -> String {
    if let Some(text) = rule.command_glob.as_deref().or(rule.command.as_deref()) {
        let form = match (&rule.command, &rule.command_glob) {
            (Some(words), Some(glob)) => {
                format!("commands that begin with `{words}` and have the form `{glob}`")
            }
            (None, Some(glob)) if !glob.contains(['*', '?']) => {
                return format!("exactly the command `{glob}`, from any directory");
            }
            (None, Some(glob)) => format!("commands of the form `{glob}`, one command at a time"),
            _ => format!("commands that begin with `{text}`, with most options and operands"),
        };
        return format!("{form}, from any directory{}", without_options(rule));
    }
    if let Some(path) = &rule.path {
        return format!(
            "{} on paths that match `{path}`, both as written and with links followed; protected files are left out",
            calls(rule)
        );
    }
    if let Some(host) = &rule.host {
        let port = match host.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
            Some((_, port)) => format!("at port {port}"),
            None => "at the default port of http or https".into(),
        };
        return format!(
            "{} to `{host}` {port}, without a user name in the address, a proxy or a second address",
            calls(rule)
        );
    }
    if let Some(skill) = &rule.skill_name {
        return format!("loading the skill `{skill}`, whatever it contains by then");
    }
    if tool_kind(rule) == Some(ToolKind::Shell) {
        if rule.unrestricted {
            return "every shell command, without any limit".into();
        }
        return "every shell command that is known before it runs, without protected files, redirects to files, and assignments that change what runs".into();
    }
    let inputs = match (&rule.input, &rule.server) {
        (None, _) => "with any input",
        (Some(_), None) => "with exactly the input that the rule names, but no tool of an MCP server",
        (Some(_), Some(_)) => "with exactly the input that the rule names",
    };
    format!("{}, {inputs}", calls(rule))
}

fn matched_widely(rule: &Rule) -> String {
    if let Some(text) = rule.command_glob.as_deref().or(rule.command.as_deref()) {
        let form = match (&rule.command, &rule.command_glob) {
            (Some(words), Some(glob)) => {
                format!("commands that begin with `{words}` and have the form `{glob}`")
            }
            (None, Some(_)) => format!("commands and whole texts of the form `{text}`"),
            _ => format!("commands that begin with `{text}`"),
        };
        return format!("{form}, anywhere in a text: behind wrappers, in any quoting, and under other names");
    }
    if let Some(path) = &rule.path {
        return format!("{} on paths that match `{path}`, as written or with links followed", calls(rule));
    }
    if let Some(host) = &rule.host {
        let port = if host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']')) {
            ""
        } else {
            " at any port"
        };
        return format!("{} to `{host}`{port}, in any field of the input", calls(rule));
    }
    if let Some(skill) = &rule.skill_name {
        return format!("loading the skill `{skill}`");
    }
    let inputs = match &rule.input {
        None => "with any input",
        Some(_) => "whose input has the fields that the rule names, perhaps with further ones",
    };
    format!("{}, {inputs}", calls(rule))
}

/// The options that an allow of a command leaves out.
fn without_options(rule: &Rule) -> String {
    let glob = rule.command_glob.as_deref().unwrap_or_default();
    let words = rule.command.as_deref().unwrap_or(glob).split_whitespace();
    let literal = words.take_while(|word| !word.contains(['*', '?']));
    let named = |option: &String| {
        let text = [glob, rule.command.as_deref().unwrap_or_default()];
        text.iter().any(|text| text.split(['*', '?', ' ', '=']).any(|word| word == option))
    };
    let left_out: Vec<String> = options_outside_allow(literal)
        .into_iter()
        .filter(|option| !named(option))
        .map(|option| format!("`{option}`"))
        .collect();
    if left_out.is_empty() {
        return String::new();
    }
    format!("; without {}, which can make it run or read something else", left_out.join(", "))
}

fn tool_kind(rule: &Rule) -> Option<ToolKind> {
    rule.tool
        .as_deref()
        .filter(|_| rule.tool_pattern.is_none())
        .and_then(tools::by_name)
        .map(|tool| tool.kind)
}

fn calls(rule: &Rule) -> String {
    match (&rule.tool, &rule.tool_pattern) {
        (Some(tool), Some(pattern)) => {
            format!("calls of `{tool}` and of tools whose names match `{pattern}`")
        }
        (Some(tool), None) => format!("calls of `{tool}`"),
        (None, Some(pattern)) if pattern == "*" => "calls of every tool".into(),
        (None, Some(pattern)) => format!("calls of tools whose names match `{pattern}`"),
        (None, None) => "calls of every tool".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(effect: Effect, rule: &str, expected: &str) {
        let rule: Rule = serde_json::from_str(rule).unwrap();
        assert_eq!(coverage_sentence(effect, &rule), expected);
    }

    #[test]
    fn allow_of_a_command_names_the_options_that_it_leaves_out() {
        check(
            Effect::Allow,
            r#"{ "tool": "bash", "command": "ls" }"#,
            "commands that begin with `ls`, with most options and operands, from any directory",
        );
        let rule: Rule = serde_json::from_str(r#"{ "tool": "bash", "command": "cargo test" }"#).unwrap();
        let text = coverage_sentence(Effect::Allow, &rule);
        assert!(text.contains("; without `-C`, `--config`"), "{text}");
        assert!(
            text.contains("`--manifest-path`")
                && text.ends_with(", which can make it run or read something else"),
            "{text}"
        );
        let rule: Rule =
            serde_json::from_str(r#"{ "tool": "bash", "command_glob": "cargo test --manifest-path *" }"#)
                .unwrap();
        let text = coverage_sentence(Effect::Allow, &rule);
        assert!(text.contains("`--config`") && !text.contains("`--manifest-path`,"), "{text}");
    }

    #[test]
    fn every_kind_of_rule_has_a_sentence() {
        check(
            Effect::Allow,
            r#"{ "tool": "web_fetch", "host": "a.test" }"#,
            "calls of `web_fetch` to `a.test` at the default port of http or https, without a user name in the address, a proxy or a second address",
        );
        check(
            Effect::Allow,
            r#"{ "tool": "web_fetch", "host": "a.test:8443" }"#,
            "calls of `web_fetch` to `a.test:8443` at port 8443, without a user name in the address, a proxy or a second address",
        );
        check(
            Effect::Deny,
            r#"{ "tool": "web_fetch", "host": "a.test" }"#,
            "calls of `web_fetch` to `a.test` at any port, in any field of the input",
        );
        check(
            Effect::Deny,
            r#"{ "tool": "bash", "command": "rm" }"#,
            "commands that begin with `rm`, anywhere in a text: behind wrappers, in any quoting, and under other names",
        );
        check(
            Effect::Allow,
            r#"{ "tool": "x", "server": "s" }"#,
            "calls of `x`, with any input, only for the MCP server `s`",
        );
        check(
            Effect::Allow,
            r#"{ "tool_pattern": "*", "agent": "a" }"#,
            "calls of every tool, with any input, only for the agent `a`",
        );
        check(
            Effect::Allow,
            r#"{ "tool": "bash", "command_glob": "make -C a" }"#,
            "exactly the command `make -C a`, from any directory",
        );
        check(
            Effect::Allow,
            r#"{ "tool": "write", "path": "src/**" }"#,
            "calls of `write` on paths that match `src/**`, both as written and with links followed; protected files are left out",
        );
    }
}
