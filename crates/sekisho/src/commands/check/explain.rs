//! Explains a verdict on a terminal: the decision, the reason, the deciding rule and its position, and other
//! matching rules.

use std::io::{self, Write};

use sekisho_policy::{
    Advice, Call, ConsideredRule, DangerLevel, Decision, LayerKind, Part, Reason, RuleOutcome, RuleRef,
    Verdict,
};
use serde_json::Value;

use super::local_judge::LocalJudge;
use crate::terminal::{DecisionUnderlines, StyledStdout, rule_on_one_line, shorten_path, style, visible};

/// Maximum length of the call text that is repeated, in characters.
const SHOWN: usize = 200;

pub(super) fn write(
    out: &mut StyledStdout,
    call: &Call,
    verdict: &Verdict,
    considered: &[ConsideredRule],
    advice: &Advice,
    judging: &LocalJudge,
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
    let mut page = ExplainWriter { out, label: "" };
    underline(&mut page, call, verdict, &name)?;
    for reason in &verdict.reasons {
        page.line("why", &why(verdict, reason))?;
    }
    for cited in &verdict.rules {
        page.line("rule", &rule_on_one_line(cited.text()))?;
        page.faint("", &place(cited, judging))?;
    }
    for danger in verdict.dangers().iter().filter(|danger| danger.level > DangerLevel::None) {
        let level = if danger.level == DangerLevel::Danger { "danger" } else { "caution" };
        page.faint("risk", &format!("{level}: {}", visible(&danger.sentence())))?;
    }
    parts(&mut page, &verdict.parts, judging)?;
    for proposed in &advice.rules {
        let text = serde_json::to_string(proposed).unwrap_or_default();
        page.line("to allow", &rule_on_one_line(&text))?;
    }
    if let Some(rewrite) = &advice.rewrite {
        page.line("try", &visible(rewrite))?;
    }
    let shown =
        |other: &&ConsideredRule| verdict.rules.contains(&other.rule) || cites(&verdict.parts, &other.rule);
    for other in considered.iter().filter(|other| !shown(other)) {
        let effect = other.rule.effect();
        let text = format!("{effect} {}, {}", rule_on_one_line(other.rule.text()), outcome(other.outcome));
        page.line("other", &text)?;
        page.faint("other", &place(&other.rule, judging))?;
    }
    for (source, message) in judging.notices() {
        let source =
            source.map(|source| format!("{}: ", shorten_path(source, home(judging)))).unwrap_or_default();
        page.line("note", &format!("{source}{}", visible(message)))?;
    }
    Ok(())
}

/// Marks under a command of several parts: which of them run, ask or are denied.
fn underline(page: &mut ExplainWriter<'_>, call: &Call, verdict: &Verdict, name: &str) -> io::Result<()> {
    let Some(text) = only_text(call).filter(|text| text.len() <= SHOWN) else { return Ok(()) };
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    if !plain || verdict.parts.len() < 2 {
        return Ok(());
    }
    let mut marks = DecisionUnderlines::default();
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

/// The parts of a shell text as a tree with their decisions. Skipped for a single part, which adds nothing.
fn parts(page: &mut ExplainWriter<'_>, parts: &[Part], judging: &LocalJudge) -> io::Result<()> {
    let alone = parts.len() < 2 && parts.iter().all(|part| part.parts.is_empty());
    if alone { Ok(()) } else { branches(page, parts, "", judging) }
}

fn branches(
    page: &mut ExplainWriter<'_>,
    parts: &[Part],
    indent: &str,
    judging: &LocalJudge,
) -> io::Result<()> {
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

/// Lines with labels. A label is printed only once for consecutive lines.
struct ExplainWriter<'a> {
    out: &'a mut StyledStdout,
    label: &'static str,
}

impl ExplainWriter<'_> {
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

/// The text of an input that consists of one text.
fn only_text(call: &Call) -> Option<&str> {
    match &call.input {
        Value::Object(fields) if fields.len() == 1 => fields.values().next()?.as_str(),
        _ => None,
    }
}

/// The beginning of an untrusted text, escaped.
fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    visible(&shown).into_owned()
}

/// The reason as a sentence. The rule itself is printed below, so it is not repeated here.
fn why(verdict: &Verdict, reason: &Reason) -> String {
    let Reason::Rule { rule } = reason else {
        let is_first = verdict.reasons.first() == Some(reason);
        let sentence = if is_first { verdict.sentence() } else { verdict.explain(reason) };
        return visible(&sentence).into_owned();
    };
    let cited = verdict.rules.get(*rule);
    if let Some(note) = cited.and_then(RuleRef::rule).and_then(|rule| rule.note) {
        return visible(&note).into_owned();
    }
    let layer = cited.map_or(LayerKind::BuiltIn, RuleRef::layer);
    let says = match cited.map_or(verdict.decision, |cited| cited.effect().into()) {
        Decision::Allow => "allows it",
        Decision::Confirm => "asks for confirmation",
        Decision::Deny => "forbids it",
    };
    format!("a {layer} rule {says}")
}

/// The position of a rule.
fn place(cited: &RuleRef, judging: &LocalJudge) -> String {
    match cited.layer() {
        LayerKind::BuiltIn => "built-in".into(),
        layer => format!("{layer}, {}:{}", shorten_path(cited.source(), home(judging)), cited.line()),
    }
}

fn home(judging: &LocalJudge) -> Option<&std::path::Path> {
    judging.settings.locations.home.as_deref()
}

fn outcome(outcome: RuleOutcome) -> &'static str {
    match outcome {
        RuleOutcome::Decided => "decided",
        RuleOutcome::Limited => "allows only part of this",
        RuleOutcome::Outranked => "matches, but is outranked",
        RuleOutcome::NotEvaluated => "might match: a fact it needs is unknown",
        RuleOutcome::Unproven => "names an unproven agent or server",
        RuleOutcome::CannotLoosen => "would match, but its file may not allow calls",
        RuleOutcome::Expired => "has expired",
    }
}
