//! Texts that the shell runs later: those of aliases, traps and completions.

use sekisho_shell::analyse_within;
use sekisho_shell::script::{Command, OpaqueKind, Script};
use sekisho_shell::word::Word;

use super::super::directory_settings::{SETTERS, VARIABLES, mentions, sets_known_options, sets_variables};
use super::super::execution_plan::ExecutionPlan;

/// Whether an argument of `alias` gives a name a text that may change the directory.
pub(super) fn alias_may_move(plan: &ExecutionPlan, argument: &str) -> bool {
    let Some((_, text)) = argument.split_once('=') else { return may_move(plan, argument) };
    mentions(argument) || may_move(plan, text) || is_open(plan, text)
}

/// Whether the words behind an alias may be a command of their own: `alias ls='A=1'`, then `ls cd x`.
fn is_open(plan: &ExecutionPlan, text: &str) -> bool {
    const BEGINNINGS: [&str; 10] = ["!", "{", "do", "elif", "else", "if", "then", "time", "until", "while"];
    let text = text.trim_end();
    text.ends_with([';', '&', '|', '('])
        || text.split_whitespace().next_back().is_some_and(|last| BEGINNINGS.contains(&last))
        || analyse_within(text, &plan.budget).commands.is_empty()
}

/// Whether a text that is run later may change the directory, perhaps by a name that is not told.
pub(super) fn may_move(plan: &ExecutionPlan, text: &str) -> bool {
    const RUNNERS: [&str; 6] = [".", "builtin", "command", "coproc", "eval", "source"];
    let mut words = text.split(|c: char| c.is_whitespace() || "=;&|(){}'\"".contains(c));
    if mentions(text) || text.contains("$(") || words.any(|word| RUNNERS.contains(&word.trim_matches('\\'))) {
        return true;
    }
    let script = analyse_within(text, &plan.budget);
    plan.budget.is_spent()
        || sets_state(&script, text)
        || text.contains(['$', '`']) && computes_a_name(&script)
}

/// Whether the name of a command is computed, or may be.
fn computes_a_name(script: &Script) -> bool {
    let is_computed = |command: &Command| {
        let name = command.words.first().and_then(Word::literal);
        name.is_none_or(|name| name == "time" && command.words.iter().any(|word| word.literal().is_none()))
    };
    let is_harmless = |kind: OpaqueKind| {
        matches!(
            kind,
            OpaqueKind::Arithmetic
                | OpaqueKind::Array
                | OpaqueKind::Conditional
                | OpaqueKind::Expansion
                | OpaqueKind::Redirect
        )
    };
    script.commands.iter().any(is_computed) || script.opaque.iter().any(|part| !is_harmless(part.kind))
}

/// Whether a text sets what `cd` goes by, or what a name means.
fn sets_state(script: &Script, text: &str) -> bool {
    let is_setting = |command: &Command| {
        let Some((name, arguments)) = command.words.split_first() else { return false };
        match name.literal().as_deref() {
            Some("autoload" | "bind" | "disable" | "enable" | "setopt" | "unsetopt" | "zmodload") => true,
            Some(name @ ("set" | "shopt")) => !sets_known_options(name, arguments),
            Some(name) => SETTERS.contains(&name) && sets_variables(name, arguments, text),
            None => false,
        }
    };
    script.assignments.iter().any(|one| VARIABLES.contains(&one.name.as_str()))
        || script.commands.iter().any(is_setting)
}
