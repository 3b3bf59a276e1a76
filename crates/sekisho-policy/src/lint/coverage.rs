//! Whether one rule matches everything that another matches.
//!
//! Sound rather than complete: `Yes` is proven, for exact names, prefixes, suffixes and leading words. Allow
//! rules match narrowly, deny and confirm rules broadly, so an allow rarely covers one of those.

use super::linted_rule::LintedRule;
use crate::input_condition::InputCondition;
use crate::rule::{Effect, LayerKind, Rule};
use crate::tool_pattern::{FoldedName, matches};
use crate::tools::{self, all_names};

/// Whether one rule matches everything another does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Coverage {
    Yes,
    Unknown,
    No,
}

impl Coverage {
    fn of(covers: bool) -> Coverage {
        if covers { Coverage::Yes } else { Coverage::No }
    }
}

/// Whether the first rule prevents the second from deciding if both match.
pub(super) fn outranks(first: &LintedRule<'_>, second: &LintedRule<'_>) -> bool {
    let (a, b) = (first.effect(), second.effect());
    let (managed, other_managed) =
        (first.layer.kind == LayerKind::Managed, second.layer.kind == LayerKind::Managed);
    match (a, b) {
        (Effect::Deny, _) => true,
        (_, Effect::Deny) => false,
        _ if first.layer.kind == LayerKind::BuiltIn => false,
        (Effect::Confirm, Effect::Allow) if managed && !other_managed => true,
        (Effect::Allow, Effect::Confirm) if other_managed && !managed => false,
        _ => {
            let (mine, theirs) = (first.rule().priority, second.rule().priority);
            // Equal confirm rules with different timeouts are not equal.
            let alike = a == b && waits(first.rule()) == waits(second.rule());
            mine > theirs || (mine == theirs && (alike || (a == Effect::Confirm && b == Effect::Allow)))
        }
    }
}

fn waits(rule: &Rule) -> (Option<u32>, Option<crate::rule::OnTimeout>) {
    (rule.timeout_s, rule.on_timeout)
}

/// Whether the first rule matches everything the second does.
pub(super) fn covers(first: &LintedRule<'_>, second: &LintedRule<'_>) -> Coverage {
    covers_rule((first.effect(), first.rule()), (second.effect(), second.rule()))
}

/// Whether the first rule, with its effect, matches everything that the second does with its own effect.
pub(super) fn covers_rule((mine, a): (Effect, &Rule), (theirs, b): (Effect, &Rule)) -> Coverage {
    let narrow = mine == Effect::Allow;
    let same = narrow == (theirs == Effect::Allow);
    if narrow && !same && !plain_enough(a, b) {
        return Coverage::No;
    }
    let lasts = a.expires_at.is_none_or(|end| b.expires_at.is_some_and(|other| other <= end));
    let who = a.server.is_none() || a.server == b.server;
    let whose = a.agent.is_none() || a.agent == b.agent;
    if !(lasts && who && whose) {
        return Coverage::No;
    }
    // If the names match, an unknown result is worth reporting; otherwise every pair would be reported.
    match names(a, b, narrow) {
        Coverage::Yes => conditions(a, b, narrow),
        _ => Coverage::No,
    }
}

/// Whether an allow can cover a deny or confirm at all: only for an unknown tool, named exactly, without
/// other conditions. Otherwise the broad rule matches calls that the narrow one does not.
fn plain_enough(allow: &Rule, wide: &Rule) -> bool {
    let unknown = wide.tool.as_deref().is_some_and(|tool| tools::by_name(tool).is_none());
    unknown
        && wide.tool_pattern.is_none()
        && allow.server.is_none()
        && allow.agent.is_none()
        && asks_nothing(allow)
}

fn asks_nothing(rule: &Rule) -> bool {
    rule.command.is_none()
        && rule.command_glob.is_none()
        && rule.path.is_none()
        && rule.host.is_none()
        && rule.skill_name.is_none()
        && rule.input.is_none()
}

fn names(a: &Rule, b: &Rule, narrow: bool) -> Coverage {
    if a.tool.is_none() && a.tool_pattern.is_none() {
        return Coverage::Yes;
    }
    let exact = b.tool.as_deref().map(|tool| covers_tool(a, tool, b, narrow));
    let pattern = b.tool_pattern.as_deref().map(|pattern| covers_pattern(a, pattern));
    exact.into_iter().chain(pattern).max().unwrap_or(Coverage::No)
}

fn covers_tool(a: &Rule, tool: &str, b: &Rule, narrow: bool) -> Coverage {
    let canonical = tools::canonical(tool);
    let by_name = a.tool.as_deref().is_some_and(|mine| {
        // In an allow, a canonical name refers to the agent's own tools; together with a server it is a plain
        // name.
        let own_only = narrow && tools::canonical(mine).is_some() && a.server.is_none();
        let theirs_own_only = narrow && canonical.is_some() && b.server.is_none();
        if mine == tool {
            return !own_only || theirs_own_only;
        }
        let kin = tools::canonical(mine).is_some_and(|mine| Some(mine) == tools::by_name(tool));
        kin && !own_only
    });
    let by_pattern = a.tool_pattern.as_deref().is_some_and(|pattern| {
        let pattern = FoldedName::new(pattern);
        let fits = |name: &str| matches(pattern.bytes(), FoldedName::new(name).bytes());
        match canonical {
            Some(known) if narrow => {
                all_names().filter(|(_, tool)| *tool == known).all(|(name, _)| fits(name))
            }
            _ => fits(tool),
        }
    });
    Coverage::of(by_name || by_pattern)
}

fn covers_pattern(a: &Rule, pattern: &str) -> Coverage {
    let Some(mine) = a.tool_pattern.as_deref() else { return Coverage::No };
    let (mine, theirs) = (FoldedName::new(mine), FoldedName::new(pattern));
    let (mine, theirs) = (mine.bytes(), theirs.bytes());
    let stars = mine.iter().filter(|byte| **byte == b'*').count();
    let star = |byte: &u8| *byte == b'*';
    let first = |pattern: &[u8]| pattern.iter().position(star).unwrap_or(pattern.len());
    let proven = mine == theirs
        || mine == b"*"
        || mine
            .strip_suffix(b"*")
            .is_some_and(|prefix| stars == 1 && theirs.starts_with(prefix) && first(theirs) >= prefix.len())
        || mine.strip_prefix(b"*").is_some_and(|suffix| {
            let last = theirs.iter().rposition(star).map_or(0, |at| at + 1);
            stars == 1 && theirs.ends_with(suffix) && theirs.len() - last >= suffix.len()
        });
    Coverage::of(proven)
}

fn conditions(a: &Rule, b: &Rule, narrow: bool) -> Coverage {
    let host = match (&a.host, &b.host) {
        (None, _) => Coverage::Yes,
        (Some(_), None) => Coverage::No,
        (Some(mine), Some(theirs)) => Coverage::of(
            mine == theirs
                || mine.strip_prefix('*').is_some_and(|suffix| theirs.ends_with(suffix) && theirs != mine),
        ),
    };
    let skill = Coverage::of(a.skill_name.is_none() || a.skill_name == b.skill_name);
    let input = match (exact_input(a), exact_input(b)) {
        _ if a.input.is_none() => Coverage::Yes,
        (Some(mine), Some(theirs)) => {
            Coverage::of(mine.is_same_input(&theirs) && (!narrow || a.server == b.server))
        }
        _ => Coverage::No,
    };
    [shell(a, b, narrow), path(a, b), host, skill, input].into_iter().max().unwrap_or(Coverage::No)
}

fn exact_input(rule: &Rule) -> Option<InputCondition> {
    rule.input.as_deref().and_then(|input| InputCondition::new(input, rule.server.is_some()).ok())
}

fn path(a: &Rule, b: &Rule) -> Coverage {
    match (&a.path, &b.path) {
        (None, _) => Coverage::Yes,
        (Some(_), None) => Coverage::No,
        (Some(mine), Some(theirs)) if mine == theirs => Coverage::Yes,
        (Some(mine), Some(theirs)) => {
            let literal = |glob: &str| !glob.contains(['*', '?', '[', '\\']);
            let anchored = mine.starts_with('/') || mine.starts_with("~/");
            // `x/**` is everything below `x`, and so is everything that begins with `x/`, whatever wildcards
            // follow.
            let directory = mine.strip_suffix("/**").unwrap_or(mine).trim_end_matches('/');
            let below = theirs.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/'));
            match below {
                Some(_) if anchored && literal(directory) => Coverage::Yes,
                _ if literal(mine) && literal(theirs) && anchored => Coverage::No,
                _ => Coverage::Unknown,
            }
        }
    }
}

fn shell(a: &Rule, b: &Rule, narrow: bool) -> Coverage {
    let asks = b.command.is_some() || b.command_glob.is_some();
    if a.command.is_none() && a.command_glob.is_none() {
        // An allow of the whole tool does not cover redirects and program text, but a rule that names them
        // does.
        return if asks && narrow && !a.unrestricted { Coverage::Unknown } else { Coverage::Yes };
    }
    if !asks {
        return Coverage::No;
    }
    let words = match (&a.command, &b.command) {
        (None, _) => Coverage::Yes,
        (Some(_), None) => Coverage::Unknown,
        (Some(mine), Some(theirs)) => {
            let mut theirs = theirs.split_whitespace();
            Coverage::of(mine.split_whitespace().all(|word| theirs.next() == Some(word)))
        }
    };
    let glob = match (&a.command_glob, &b.command_glob) {
        (None, _) => Coverage::Yes,
        (Some(mine), Some(theirs)) if mine == theirs => Coverage::Yes,
        (Some(_), _) => Coverage::Unknown,
    };
    words.max(glob)
}
