//! A verdict for a person at a terminal: the word, why, the rule as written and its place, what else.

use std::io::{self, Write};

use sekisho_policy::{
    Advice, Call, Considered, DangerLevel, Decision, LayerKind, Outcome, Part, Reason, RuleRef, Verdict,
};
use serde_json::Value;

use super::judging::Judging;
use crate::terminal::{Marks, Out, rule, short, style, visible};

/// More of a call than this is not repeated to the person who just wrote it.
const SHOWN: usize = 200;

pub(super) fn write(
    out: &mut Out,
    call: &Call,
    verdict: &Verdict,
    considered: &[Considered],
    advice: &Advice,
    judging: &Judging,
) -> io::Result<()> {
    let (colour, strong) = (style::of(verdict.decision), style::STRONG);
    let server = call.server.as_ref().map(|server| format!("{}/", server.id)).unwrap_or_default();
    let name = format!("{server}{}", call.tool);
    writeln!(
        out,
        "{colour}{:<8}{colour:#} {strong}{}{strong:#} {}",
        verdict.decision.name(),
        visible(&name),
        subject(call)
    )?;
    let mut page = Page { out, label: "" };
    underline(&mut page, call, verdict, &name)?;
    for reason in &verdict.reasons {
        page.line("why", &why(verdict, reason))?;
    }
    for cited in &verdict.rules {
        page.line("rule", &rule(cited.text()))?;
        page.faint("", &place(cited, judging))?;
    }
    for danger in verdict.dangers().iter().filter(|danger| danger.level > DangerLevel::None) {
        let level = if danger.level == DangerLevel::Danger { "danger" } else { "caution" };
        page.faint("care", &format!("{level}: {}", visible(&danger.why())))?;
    }
    parts(&mut page, &verdict.parts, judging)?;
    for proposed in &advice.rules {
        let text = serde_json::to_string(proposed).unwrap_or_default();
        page.line("allow by", &rule(&text))?;
    }
    if let Some(rewrite) = &advice.rewrite {
        page.line("rather", &visible(rewrite))?;
    }
    let shown =
        |other: &&Considered| verdict.rules.contains(&other.rule) || cites(&verdict.parts, &other.rule);
    for other in considered.iter().filter(|other| !shown(other)) {
        let effect = other.rule.effect();
        let text = format!("{effect} {}, {}", rule(other.rule.text()), outcome(other.outcome));
        page.line("else", &text)?;
        page.faint("else", &place(&other.rule, judging))?;
    }
    for (source, message) in judging.notices() {
        let source = source.map(|source| format!("{}: ", short(source, home(judging)))).unwrap_or_default();
        page.line("note", &format!("{source}{}", visible(message)))?;
    }
    Ok(())
}

/// Marks under a command of several parts: which of them run, ask or are denied.
fn underline(page: &mut Page<'_>, call: &Call, verdict: &Verdict, name: &str) -> io::Result<()> {
    let Some(text) = only_text(call).filter(|text| text.len() <= SHOWN) else { return Ok(()) };
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    if !plain || verdict.parts.len() < 2 {
        return Ok(());
    }
    let mut marks = Marks::default();
    for part in &verdict.parts {
        if let Some(span) = part.span {
            marks.add(span, strictest(part));
        }
    }
    let line = marks.under(text, 0..text.len());
    page.line("", &format!("{:<width$} {line}", "", width = visible(name).chars().count()))
}

/// The strictest decision on a part and what it runs.
fn strictest(part: &Part) -> Decision {
    part.parts.iter().map(strictest).fold(part.decision, Decision::max)
}

/// The parts of a shell text as a tree, each with its decision. One part alone says nothing new.
fn parts(page: &mut Page<'_>, parts: &[Part], judging: &Judging) -> io::Result<()> {
    let alone = parts.len() < 2 && parts.iter().all(|part| part.parts.is_empty());
    if alone { Ok(()) } else { branches(page, parts, "", judging) }
}

fn branches(page: &mut Page<'_>, parts: &[Part], indent: &str, judging: &Judging) -> io::Result<()> {
    let (faint, last) = (style::FAINT, parts.len().saturating_sub(1));
    for (index, part) in parts.iter().enumerate() {
        let (fork, stem) = if index == last { ("└─", "   ") } else { ("├─", "│  ") };
        let (colour, word) = (style::of(part.decision), part.decision.name());
        let because = match (&part.reason, &part.rule) {
            (Reason::Rule { .. }, Some(cited)) => place(cited, judging),
            _ => visible(&part.sentence()).into_owned(),
        };
        let text = cut(&part.text);
        let line = format!(
            "{faint}{indent}{fork}{faint:#} {colour}{word}{colour:#} {text}  {faint}{because}{faint:#}"
        );
        page.line("parts", &line)?;
        branches(page, &part.parts, &format!("{indent}{stem}"), judging)?;
    }
    Ok(())
}

/// Whether the tree of parts names a rule.
fn cites(parts: &[Part], rule: &RuleRef) -> bool {
    parts.iter().any(|part| part.rule.as_ref() == Some(rule) || cites(&part.parts, rule))
}

/// Lines under labels; a label is written once for the lines that share it.
struct Page<'a> {
    out: &'a mut Out,
    label: &'static str,
}

impl Page<'_> {
    fn line(&mut self, label: &'static str, text: &str) -> io::Result<()> {
        let faint = style::FAINT;
        let shown = if label == self.label { "" } else { label };
        self.label = label;
        writeln!(self.out, "{faint}{shown:<8}{faint:#} {text}")
    }

    fn faint(&mut self, label: &'static str, text: &str) -> io::Result<()> {
        let faint = style::FAINT;
        self.line(label, &format!("{faint}{text}{faint:#}"))
    }
}

/// What the call is about, on one line.
fn subject(call: &Call) -> String {
    match (only_text(call), &call.input) {
        (Some(text), _) => cut(text),
        (None, Value::Object(fields)) if fields.is_empty() => String::new(),
        (None, Value::Null) => String::new(),
        (None, input) => cut(&input.to_string()),
    }
}

/// The text of an input that is nothing but one text.
fn only_text(call: &Call) -> Option<&str> {
    match &call.input {
        Value::Object(fields) if fields.len() == 1 => fields.values().next()?.as_str(),
        _ => None,
    }
}

/// The beginning of a foreign text, safe to show.
fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    visible(&shown).into_owned()
}

/// A reason in words. The rule itself is shown below, so it is not repeated here.
fn why(verdict: &Verdict, reason: &Reason) -> String {
    let Reason::Rule { rule } = reason else { return visible(&verdict.explain(reason)).into_owned() };
    let cited = verdict.rules.get(*rule);
    if let Some(note) = cited.and_then(RuleRef::rule).and_then(|rule| rule.note) {
        return visible(&note).into_owned();
    }
    let layer = cited.map_or(LayerKind::BuiltIn, RuleRef::layer);
    let says = match cited.map_or(verdict.decision, |cited| cited.effect().into()) {
        Decision::Allow => "allows it",
        Decision::Confirm => "wants a human to decide",
        Decision::Deny => "forbids it",
    };
    format!("a {layer} rule {says}")
}

/// Where a rule stands.
fn place(cited: &RuleRef, judging: &Judging) -> String {
    match cited.layer() {
        LayerKind::BuiltIn => "built-in".into(),
        layer => format!("{layer}, {}:{}", short(cited.source(), home(judging)), cited.line()),
    }
}

fn home(judging: &Judging) -> Option<&std::path::Path> {
    judging.settings.locations.home.as_deref()
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Decided => "decided",
        Outcome::Limited => "allows, but not this",
        Outcome::Outranked => "matches, but is outranked",
        Outcome::NotEvaluated => "might match: what it asks about is not known",
        Outcome::Unproven => "names who is only claimed",
        Outcome::CannotLoosen => "would match, but its file cannot loosen",
        Outcome::Expired => "has expired",
    }
}
