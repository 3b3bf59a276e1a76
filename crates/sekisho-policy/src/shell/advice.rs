//! What would let a questioned shell text through: the narrowest rules, or another way to write it.

use sekisho_shell::word::Piece;
use serde::Serialize;

use super::command::basename;
use super::plan::{Plan, Step};
use super::start::Start;
use crate::call::Call;
use crate::layer::Layer;
use crate::policy::{Layers, Policy};
use crate::reason::Reason;
use crate::rule::{Effect, LayerKind, Rule};
use crate::surroundings::Surroundings;
use crate::target::text_of;
use crate::tools::{ToolKind, by_name};
use crate::verdict::{Decision, Part, PartKind, Verdict};

/// Advice on a call that would be asked about.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Advice {
    /// Allow rules, narrowest first for each part, that together would let this very call through. Empty where no rule can.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// The same command written so that it needs no question, or less of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<String>,
}

/// What would let a questioned call through. Nothing for a call that is allowed or denied.
pub fn advise(call: &Call, around: &Surroundings, verdict: &Verdict) -> Advice {
    let tool = by_name(&call.tool).filter(|tool| tool.kind == ToolKind::Shell);
    let text = tool.and_then(|tool| text_of(tool, &call.input));
    let (Some(text), Decision::Confirm) = (text, verdict.decision) else { return Advice::default() };
    let plan = Plan::new(&text, Start::of(call).cwd.as_deref(), around.home.as_deref());
    Advice {
        rules: rules_for(call, around, verdict, &plan, &text),
        rewrite: rewriting(verdict, &plan, &text),
    }
}

/// Rules for every part that asks; none at all if they would not suffice.
fn rules_for(call: &Call, around: &Surroundings, verdict: &Verdict, plan: &Plan, text: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    if has_questioned_redirect(&verdict.parts) {
        rules.extend(exact(text));
    } else {
        let questioned = |step: &&Step| is_questioned(&verdict.parts, step);
        rules.extend(plan.steps.iter().filter(questioned).filter_map(|step| rule_for(plan, step)));
    }
    rules.dedup();
    let written: Vec<(Effect, Rule)> = rules.iter().map(|rule| (Effect::Allow, rule.clone())).collect();
    let Ok(layer) = Layer::of_rules(LayerKind::Session, "proposed", written) else { return Vec::new() };
    let suffices =
        crate::judge(&Policy::compile(Layers::from(vec![layer])), call, around).decision == Decision::Allow;
    if suffices { rules } else { Vec::new() }
}

fn has_questioned_redirect(parts: &[Part]) -> bool {
    parts.iter().any(|part| part.kind == PartKind::Redirect && part.decision == Decision::Confirm)
}

/// Whether the part that stands for a command was asked about.
fn is_questioned(parts: &[Part], step: &Step) -> bool {
    let span = (step.text == 0).then_some((step.span.start, step.span.end));
    parts.iter().any(|part| {
        let same = part.kind == PartKind::Command && part.decision == Decision::Confirm && part.span == span;
        same || is_questioned(&part.parts, step)
    })
}

/// By as many words as the program's subcommands need; the whole command where a bare name would say too much.
fn rule_for(plan: &Plan, step: &Step) -> Option<Rule> {
    let reading = &step.reading;
    let literal: Option<Vec<_>> = step.words.iter().map(|word| word.literal()).collect();
    let leading: Vec<&str> = reading.leading.iter().take(reading.depth).map(String::as_str).collect();
    let direct = literal.as_ref().is_some_and(|words| {
        words
            .iter()
            .map(AsRef::as_ref)
            .zip(&leading)
            .all(|(word, lead)| basename(word) == *lead || word == *lead)
    });
    let bare_says_too_much = reading.never_bare && leading.len() < 2;
    // On the built-in list and still asked about: it is this option that is in question, not the program.
    if direct && !bare_says_too_much && !leading.is_empty() && reading.builtin.is_none() {
        let command = Some(leading.join(" "));
        return Some(Rule { tool: Some("bash".into()), command, ..Rule::default() });
    }
    let source = plan.texts.get(step.text).map_or("", |text| text.source.as_str());
    let words = step.words.iter().map(|word| source.get(word.span.start as usize..word.span.end as usize));
    exact(&words.collect::<Option<Vec<_>>>()?.join(" "))
}

/// A rule for this text and no other. A wildcard in the text itself would widen it, so there is none for such a text.
fn exact(text: &str) -> Option<Rule> {
    let plain = !text.contains(['*', '?']);
    plain.then(|| Rule { tool: Some("bash".into()), command_glob: Some(text.into()), ..Rule::default() })
}

/// Another way to write the text, where one is known.
fn rewriting(verdict: &Verdict, plan: &Plan, text: &str) -> Option<String> {
    match verdict.reasons.first()? {
        Reason::MayBeOption { .. } => {
            // `./*` can never begin with a dash.
            let glob =
                plan.steps.iter().filter(|step| step.text == 0).flat_map(|step| step.words.iter().skip(1));
            let mut starts: Vec<u32> = glob
                .filter(|word| matches!(word.pieces.first(), Some(Piece::Glob(_))))
                .map(|word| word.span.start)
                .collect();
            starts.sort_unstable();
            let mut rewritten = text.to_owned();
            for start in starts.iter().rev() {
                rewritten.insert_str(*start as usize, "./");
            }
            (!starts.is_empty()).then_some(rewritten)
        }
        Reason::RepositoryRuns { what, .. } => {
            let step = plan.steps.iter().find(|step| step.text == 0 && step.reading.repository)?;
            let program = step.words.first()?;
            let without = switched_off(what)?;
            let (before, after) = text.split_at_checked(program.span.end as usize)?;
            Some(format!("{before} {without}{after}"))
        }
        _ => None,
    }
}

/// The options that keep git from running what a repository's setting names.
fn switched_off(setting: &str) -> Option<&'static str> {
    let setting = setting.to_ascii_lowercase();
    Some(match setting.as_str() {
        "core.fsmonitor" => "-c core.fsmonitor=false",
        "core.pager" => "--no-pager",
        "diff.external" => "-c diff.external=",
        _ if setting.starts_with("pager.") => "--no-pager",
        _ => return None,
    })
}
