//! Validates rules. Each error names the field and how to fix it.

use crate::command_pattern::CommandGlob;
use crate::error::RuleError;
use crate::hosts::HostPattern;
use crate::input_condition::InputCondition;
use crate::paths::PathGlob;
use crate::rule::{Effect, Rule};
use crate::tool_pattern::{FoldedName, matches};
use crate::tools::{ToolKind, all_names, by_name};

/// Checks one rule on its own.
pub fn rule(effect: Effect, rule: &Rule) -> Result<(), RuleError> {
    check_empty(rule)?;
    check_kinds(rule)?;
    if let Some(command) = &rule.command {
        check_command(command)?;
    }
    if let Some(glob) = &rule.command_glob {
        CommandGlob::new(glob, effect)?;
    }
    if let Some(path) = &rule.path {
        PathGlob::new(path, effect.is_wide())?;
    }
    if let Some(host) = &rule.host {
        HostPattern::new(host)?;
    }
    if let Some(input) = &rule.input {
        check_input(input)?;
    }
    check_waiting(effect, rule)?;
    check_unrestricted(effect, rule)
}

/// Rules in files must have a condition; only rules in the database may match everything.
pub fn matches_something(rule: &Rule) -> Result<(), RuleError> {
    if rule.server.is_none() && rule.tool.is_none() && rule.tool_pattern.is_none() {
        return Err(RuleError::new("", "the rule has no condition").hint(
            "add a `tool`, a `tool_pattern` or a `server`; to match every call write \"tool_pattern\": \"*\"",
        ));
    }
    Ok(())
}

fn check_empty(rule: &Rule) -> Result<(), RuleError> {
    let fields = [
        ("server", &rule.server),
        ("tool", &rule.tool),
        ("tool_pattern", &rule.tool_pattern),
        ("agent", &rule.agent),
        ("command", &rule.command),
        ("command_glob", &rule.command_glob),
        ("skill_name", &rule.skill_name),
        ("path", &rule.path),
        ("host", &rule.host),
        ("input", &rule.input),
    ];
    for (field, value) in fields {
        if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
            return Err(RuleError::new(field, "the field is empty").hint("leave it out to match anything"));
        }
    }
    Ok(())
}

/// Conditions on a command, path, host or skill need a tool that has one.
fn check_kinds(rule: &Rule) -> Result<(), RuleError> {
    let shell: Fits = |kind| kind == ToolKind::Shell;
    let wants: [(&'static str, bool, Fits, &str); 5] = [
        ("command", rule.command.is_some(), shell, "a shell tool such as `bash`"),
        ("command_glob", rule.command_glob.is_some(), shell, "a shell tool such as `bash`"),
        ("skill_name", rule.skill_name.is_some(), |kind| kind == ToolKind::Skill, "`skill_load`"),
        ("path", rule.path.is_some(), ToolKind::is_file, "a file tool such as `read` or `write`"),
        ("host", rule.host.is_some(), |kind| kind == ToolKind::Web, "a web tool such as `web_fetch`"),
    ];
    for (field, present, fits, what) in wants {
        if !present || can_be(rule, fits) {
            continue;
        }
        let fault = match (&rule.tool, &rule.tool_pattern) {
            (Some(tool), None) => RuleError::new(field, format!("`{tool}` has no `{field}`")),
            (None, Some(pattern)) => {
                RuleError::new(field, format!("`{pattern}` matches no tool that has `{field}`"))
            }
            (None, None) => RuleError::new(field, "no tool is named"),
            (Some(_), Some(_)) => {
                RuleError::new(field, format!("neither the tool nor the pattern has `{field}`"))
            }
        };
        return Err(fault.hint(format!("it needs {what}")));
    }
    Ok(())
}

/// Whether a kind of tool has what a condition needs.
type Fits = fn(ToolKind) -> bool;

fn can_be(rule: &Rule, fits: Fits) -> bool {
    let named = rule.tool.as_deref().and_then(by_name).is_some_and(|tool| fits(tool.kind));
    named
        || rule.tool_pattern.as_deref().is_some_and(|pattern| {
            let pattern = FoldedName::new(pattern);
            all_names().any(|(name, tool)| {
                fits(tool.kind) && matches(pattern.bytes(), FoldedName::new(name).bytes())
            })
        })
}

/// The longest exact input, in bytes: it is compared with the input of every call that a rule names.
const MAX_INPUT: usize = 64 << 10;

fn check_input(input: &str) -> Result<(), RuleError> {
    if input.len() > MAX_INPUT {
        return Err(RuleError::new("input", format!("the input is longer than {MAX_INPUT} bytes")));
    }
    match InputCondition::new(input, false) {
        Ok(_) => Ok(()),
        Err(error) => Err(RuleError::new("input", format!("this is not an exact input: {error}"))
            .hint("write the whole input of the call as JSON, such as `{\"id\": 7}`")),
    }
}

fn check_command(command: &str) -> Result<(), RuleError> {
    let special = |c: char| c.is_control() || "|&;<>()$`\"'\\*?".contains(c);
    if let Some(found) = command.chars().find(|c| special(*c)) {
        let hint = match found {
            '*' | '?' => "use `command_glob` for wildcards",
            _ => "write plain words, such as `git push`",
        };
        return Err(
            RuleError::new("command", format!("`{}` is not a plain word", found.escape_default())).hint(hint)
        );
    }
    Ok(())
}

fn check_waiting(effect: Effect, rule: &Rule) -> Result<(), RuleError> {
    let field = if rule.timeout_s.is_some() { "timeout_s" } else { "on_timeout" };
    let waits = rule.timeout_s.is_some() || rule.on_timeout.is_some();
    if waits && effect != Effect::Confirm {
        return Err(RuleError::new(field, format!("{effect} rules do not wait"))
            .hint("only confirm rules wait for an answer"));
    }
    if rule.timeout_s == Some(0) {
        return Err(
            RuleError::new("timeout_s", "nobody can answer in 0 seconds").hint("use a deny rule instead")
        );
    }
    Ok(())
}

fn check_unrestricted(effect: Effect, rule: &Rule) -> Result<(), RuleError> {
    let whole_tool = rule.command.is_none() && rule.command_glob.is_none();
    if rule.unrestricted
        && (effect != Effect::Allow || !whole_tool || !can_be(rule, |kind| kind == ToolKind::Shell))
    {
        return Err(RuleError::new("unrestricted", "it is valid only on an allow of a whole shell tool")
            .hint("leave it out"));
    }
    Ok(())
}
