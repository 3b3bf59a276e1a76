//! Finds likely mistakes in rules that load.
//!
//! A finding is advice, so it must be correct if it claims certainty: that one rule always decides instead of
//! another is reported only if it can be proven from exact names, prefixes and leading words. Otherwise the
//! finding is marked unknown.

mod coverage;
mod covered_calls;
mod finding;
mod linted_rule;
pub(crate) mod overbroad_allow;
#[cfg(test)]
mod tests;

pub use covered_calls::{CoveredCalls, coverage_sentence, covered_calls};
pub use finding::{Finding, FindingCode, FindingLevel, RuleLocation};

use std::collections::HashMap;

use jiff::Timestamp;

use crate::default_protected_paths::protected_patterns;
use crate::layer::Layer;
use crate::rule::{Effect, LayerKind, Rule};
use crate::tools;
use coverage::{Coverage, covers, covers_rule, outranks};
use linted_rule::LintedRule;

/// The largest number of pairs of rules that are compared.
const MAX_PAIRS: usize = 20_000_000;

/// Whether it is proven that a rule matches nothing that another rule of the same effect does not. `false` if
/// unknown.
pub fn is_no_wider(effect: Effect, rule: &Rule, than: &Rule) -> bool {
    covers_rule((effect, than), (effect, rule)) == Coverage::Yes
}

/// All findings about the rules of these layers, in order. Built-in rules are compared with, but not
/// reported.
pub fn lint(layers: &[Layer], now: Timestamp) -> Vec<Finding> {
    let entries: Vec<LintedRule<'_>> = layers
        .iter()
        .flat_map(|layer| layer.rules.iter().map(move |layer_rule| LintedRule { layer, layer_rule }))
        .collect();
    let mut findings = Vec::new();
    let twins = duplicates(&entries);
    let mut pairs = 0;
    let by_name = Buckets::new(&entries);
    for (index, entry) in entries.iter().enumerate() {
        if entry.layer.kind == LayerKind::BuiltIn {
            continue;
        }
        findings.extend(alone(entry, now));
        if let Some(twin) = twins.get(&index).and_then(|twin| entries.get(*twin)) {
            let finding = entry.finding(
                FindingLevel::Warning,
                FindingCode::Duplicate,
                "the same rule exists elsewhere",
            );
            findings.push(finding.with_other_rule(twin).hint("remove one of the two"));
        } else if pairs < MAX_PAIRS {
            findings.extend(hidden(index, entry, &entries, &by_name, &mut pairs));
            if pairs >= MAX_PAIRS {
                let message = "there are too many rules: from here on they are not compared with each other";
                findings.push(entry.finding(FindingLevel::Info, FindingCode::NotCompared, message));
            }
        }
    }
    findings
}

/// The findings about a rule on its own.
fn alone(entry: &LintedRule<'_>, now: Timestamp) -> Vec<Finding> {
    let rule = entry.rule();
    let mut findings = Vec::new();
    if rule.expires_at.is_some_and(|end| end <= now) {
        findings.push(
            entry
                .finding(FindingLevel::Warning, FindingCode::Expired, "it has expired, so it is ignored")
                .hint("remove it"),
        );
    }
    if let Some(tool) = rule.tool.as_deref() {
        findings.extend(name_findings(entry, tool));
    }
    findings.extend(protected_finding(entry));
    if entry.effect() == Effect::Allow {
        findings.extend(overbroad_allow::findings(entry));
    }
    findings
}

fn name_findings(entry: &LintedRule<'_>, tool: &str) -> Option<Finding> {
    if tool.contains('*') && entry.rule().tool_pattern.is_none() {
        let finding = entry.finding(
            FindingLevel::Warning,
            FindingCode::NeverMatches,
            format!("no tool is called `{tool}`"),
        );
        return Some(finding.hint("write `tool_pattern` for wildcards"));
    }
    if tool.trim() != tool {
        let finding = entry.finding(
            FindingLevel::Warning,
            FindingCode::NeverMatches,
            "the tool's name begins or ends with a blank",
        );
        return Some(finding.hint("remove them"));
    }
    let known = tools::by_name(tool).filter(|known| known.name != tool && entry.rule().server.is_none())?;
    let whose = known.aliases.iter().find(|(name, _)| *name == tool).map_or("another", |(_, who)| who);
    let level = if entry.effect() == Effect::Allow { FindingLevel::Info } else { FindingLevel::Warning };
    let message =
        format!("`{tool}` is the name {whose} uses; this rule does not match the same tool of other agents");
    Some(
        entry
            .finding(level, FindingCode::Alias, message)
            .hint(format!("write `{}` to match every agent's", known.name)),
    )
}

/// An allow of a protected path never decides.
fn protected_finding(entry: &LintedRule<'_>) -> Option<Finding> {
    let path = entry.rule().path.as_deref().filter(|_| entry.effect() == Effect::Allow)?;
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    let protected = protected_patterns().find(|listed| *listed == path || *listed == name)?;
    let finding = entry.finding(
        FindingLevel::Warning,
        FindingCode::NeverMatches,
        format!("`{protected}` is protected: it needs confirmation whatever a rule allows"),
    );
    Some(
        finding
            .hint("remove it from the list with `protected_paths.remove` in the global config if you must"),
    )
}

/// Rules that are equal to an earlier one, apart from id, note and examples.
fn duplicates(entries: &[LintedRule<'_>]) -> HashMap<usize, usize> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut twins = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let bare = Rule { id: None, note: None, examples: None, ..entry.rule().clone() };
        let key = format!("{} {}", entry.effect(), serde_json::to_string(&bare).unwrap_or_default());
        match seen.get(&key) {
            Some(first) => drop(twins.insert(index, *first)),
            None => drop(seen.insert(key, index)),
        }
    }
    twins
}

/// Rules by the tool they name, so that only related rules are compared.
struct Buckets<'a> {
    named: HashMap<&'a str, Vec<usize>>,
    /// Rules with a pattern, or for a whole server.
    open: Vec<usize>,
}

impl<'a> Buckets<'a> {
    fn new(entries: &[LintedRule<'a>]) -> Buckets<'a> {
        let mut buckets = Buckets { named: HashMap::new(), open: Vec::new() };
        for (index, entry) in entries.iter().enumerate() {
            match &entry.layer_rule.rule {
                Rule { tool: Some(tool), tool_pattern: None, .. } => {
                    buckets.named.entry(canonical_name(tool)).or_default().push(index);
                }
                _ => buckets.open.push(index),
            }
        }
        buckets
    }

    /// The rules that could shadow one, in order.
    fn candidates(&self, rule: &Rule) -> impl Iterator<Item = usize> {
        let named = rule.tool.as_deref().and_then(|tool| self.named.get(canonical_name(tool)));
        named.into_iter().flatten().chain(&self.open).copied()
    }
}

/// A tool's canonical name, or its own.
fn canonical_name(tool: &str) -> &str {
    tools::by_name(tool).map_or(tool, |tool| tool.name)
}

/// The rule that shadows this one, or may.
fn hidden(
    index: usize,
    entry: &LintedRule<'_>,
    entries: &[LintedRule<'_>],
    buckets: &Buckets<'_>,
    pairs: &mut usize,
) -> Option<Finding> {
    if !entry.counts() {
        return None;
    }
    let mut doubt = None;
    for candidate in buckets.candidates(entry.rule()) {
        *pairs += 1;
        let Some(other) = entries.get(candidate).filter(|other| candidate != index && other.counts()) else {
            continue;
        };
        // Of two rules that match the same calls, the later one is redundant.
        let is_later_twin = candidate > index
            && other.effect() == entry.effect()
            && outranks(entry, other)
            && covers(entry, other) == Coverage::Yes;
        if !outranks(other, entry) || is_later_twin {
            continue;
        }
        match covers(other, entry) {
            Coverage::Yes => return Some(found(entry, other)),
            // That a rule may be redundant is not worth reporting; that it may never decide is.
            Coverage::Unknown
                if other.effect() != entry.effect() && other.layer.kind != LayerKind::BuiltIn =>
            {
                doubt = doubt.or(Some(*other));
            }
            Coverage::Unknown | Coverage::No => {}
        }
    }
    doubt.map(|other| {
        let message = "it is unknown whether another rule always decides first";
        entry.finding(FindingLevel::Info, FindingCode::Unknown, message).with_other_rule(&other)
    })
}

fn found(entry: &LintedRule<'_>, other: &LintedRule<'_>) -> Finding {
    if entry.effect() == other.effect() {
        let message = format!("another {} matches whenever it does", other.effect());
        return entry
            .finding(FindingLevel::Info, FindingCode::Redundant, message)
            .with_other_rule(other)
            .hint("remove the narrower one");
    }
    let message = format!("it never decides: whenever it matches, a stronger {} does", other.effect());
    let hint = match other.effect() {
        Effect::Deny => "a deny wins at any priority: make it narrower, or remove one of the two",
        _ => "give it a higher `priority`, or remove one of the two",
    };
    entry.finding(FindingLevel::Warning, FindingCode::Shadowed, message).with_other_rule(other).hint(hint)
}
