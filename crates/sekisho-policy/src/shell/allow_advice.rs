//! Advice on a shell text that needs confirmation: the narrowest rules that would allow it, or another way to
//! write it.

use sekisho_shell::LENGTH_LIMIT;
use sekisho_shell::word::Piece;
use serde::Serialize;

use super::candidate_allow_rules::{CandidateRules, QuestionedParts, exact, has_questioned_redirect};
use super::execution_plan::{ExecutionPlan, Step};
use super::git_repository_risks;
use super::git_tracked_files;
use super::shell_tool_input::ShellInvocation;
use crate::call::Call;
use crate::descriptor_actions::shell_text;
use crate::judge_context::JudgeContext;
use crate::layer::Layer;
use crate::name_glob::{LeadingDot, NameGlob};
use crate::paths::fold;
use crate::policy::{Layers, Policy};
use crate::reason::Reason;
use crate::rule::{Effect, LayerKind, Rule};
use crate::verdict::{Decision, Part, Verdict};

/// Advice on a call that needs confirmation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Advice {
    /// Allow rules, narrowest first for each part, that together would allow this call. Empty if no rule can.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// The same command, written so that it needs no confirmation, or fewer parts of it do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<String>,
}

/// What would allow a call that needs confirmation. Empty for a call that is allowed or denied.
pub fn advise(call: &Call, context: &JudgeContext, verdict: &Verdict) -> Advice {
    // No rule allows a text longer than this limit.
    let text = shell_text(call).filter(|text| text.len() <= LENGTH_LIMIT);
    let (Some(text), Decision::Confirm) = (text, verdict.decision) else { return Advice::default() };
    let plan = ExecutionPlan::new(&text, ShellInvocation::of(call).cwd.as_deref(), context.home.as_deref());
    Advice {
        rules: rules_for(call, context, verdict, &plan, &text),
        rewrite: rewriting(call, context, verdict, &plan, &text),
    }
}

/// Rules for every part that needs confirmation; none at all if they would not suffice.
fn rules_for(
    call: &Call,
    context: &JudgeContext,
    verdict: &Verdict,
    plan: &ExecutionPlan,
    text: &str,
) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let Some(questions) = QuestionedParts::of(&verdict.parts).filter(|_| plan.is_complete()) else {
        return rules;
    };
    if has_questioned_redirect(&verdict.parts) {
        rules.extend(exact(text));
    } else {
        let questioned = plan.steps.iter().filter(|step| !questions.about(step).is_empty());
        rules.extend(questioned.filter_map(|step| CandidateRules::of(plan, step).best()));
    }
    rules.dedup();
    let written: Vec<(Effect, Rule)> = rules.iter().map(|rule| (Effect::Allow, rule.clone())).collect();
    let Ok(layer) = Layer::from_rules(LayerKind::Session, "proposed", written) else { return Vec::new() };
    let suffices =
        crate::judge(&Policy::compile(Layers::from(vec![layer])), call, context).decision == Decision::Allow;
    if suffices { rules } else { Vec::new() }
}

/// Another way to write the text, if one is known.
fn rewriting(
    call: &Call,
    context: &JudgeContext,
    verdict: &Verdict,
    plan: &ExecutionPlan,
    text: &str,
) -> Option<String> {
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
        Reason::RepositoryUnproven { .. } => {
            let rewritten = git_repository_risks::rewrite_with_safeguards(plan, context, text)?;
            // It is offered only if git then needs no confirmation.
            let mut call = call.clone();
            let shell = call.input.as_object_mut()?;
            let command = shell.values_mut().find(|value| value.as_str() == Some(text))?;
            *command = rewritten.clone().into();
            let built_in = Policy::compile(Layers::from(Vec::new()));
            let after = count_questions(&crate::judge(&built_in, &call, context).parts);
            (after < count_questions(&verdict.parts)).then_some(rewritten)
        }
        Reason::ProtectedAmong { path, pattern } => {
            let reads = |step: &&Step| {
                step.text == 0 && (step.profile.walks_directories || git_tracked_files::is_shown(step))
            };
            let mut searches = plan.steps.iter().filter(reads);
            let step = searches.next().filter(|_| searches.next().is_none())?;
            let option = left_out(step.profile.program.as_deref()?, path, pattern)?;
            if step.profile.repository {
                let last = step.words.last()?;
                let separator = git_tracked_files::before_pathspec(step)?;
                let (before, after) = text.split_at_checked(last.span.end as usize)?;
                return Some(format!("{before}{separator} {option}{after}"));
            }
            // After all other options, so that none of them overrides it.
            let last = step.words.last().filter(|_| !has_separator(step))?;
            let (before, after) = text.split_at_checked(last.span.end as usize)?;
            Some(format!("{before} {option}{after}"))
        }
        _ => None,
    }
}

/// Whether options of a command end with `--`.
fn has_separator(step: &Step) -> bool {
    step.words.iter().any(|word| word.literal().is_some_and(|text| text == "--"))
}

/// The number of parts that are not allowed.
fn count_questions(parts: &[Part]) -> usize {
    let asks = |part: &Part| usize::from(part.decision != Decision::Allow) + count_questions(&part.parts);
    parts.iter().map(asks).sum()
}

/// The option that excludes a protected file from a search, by its name or by the name of a directory above
/// it.
fn left_out(program: &str, path: &str, pattern: &str) -> Option<String> {
    let glob = pattern.strip_prefix("**/").unwrap_or(pattern);
    let names = || path.trim_end_matches('/').rsplit('/');
    let file = names().next()?;
    let matches = |name: &str| NameGlob::new(glob).matches(name, LeadingDot::Wild);
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-*".contains(c));
    let by_pattern = !glob.contains('/') && fold(file) == file;
    let (name, directory) = match (by_pattern, names().skip(1).find(|name| matches(name))) {
        (true, _) if matches(file) => (glob, path.ends_with('/')),
        (true, Some(directory)) => (directory, true),
        _ => (file, path.ends_with('/')),
    };
    if !plain(name) {
        return None;
    }
    Some(match (program, directory) {
        ("rg", _) => format!("-g '!{name}'"),
        ("git", false) => format!("':(top,exclude)*{}'", name.trim_start_matches('*')),
        ("grep", true) => format!("--exclude-dir='{name}'"),
        ("grep", false) => format!("--exclude='{name}'"),
        ("diff", _) => format!("--exclude='{name}'"),
        _ => return None,
    })
}
