//! Allow rules for the commands of a shell text that need confirmation, from the exact command to the leading
//! words.
//!
//! A good rule allows little else. Programs that run whatever they are given, or that destroy, are never
//! proposed as a bare word. If the table marks a subcommand as being as broad as its program, its words are
//! not proposed either. `cd` is judged by its target, so no rule is proposed for it.

use sekisho_shell::LENGTH_LIMIT;
use sekisho_shell::programs::ProgramDangerLevel;

use super::execution_plan::{ExecutionPlan, Step};
use super::shell_tool_input::ShellInvocation;
use crate::call::Call;
use crate::command_pattern::basename;
use crate::descriptor_actions::shell_text;
use crate::judge_context::JudgeContext;
use crate::lint::overbroad_allow::runs_anything;
use crate::rule::{Effect, LayerKind, Rule};
use crate::verdict::{Decision, Part, PartKind, Verdict};

/// If more commands than this need confirmation, no rules are proposed.
const MAX_QUESTIONS: usize = 64;

/// Sets of allow rules that may allow a shell call that needs confirmation, narrowest first, each with the
/// priority it needs. Each set has one rule for every such part. Use
/// [`judge_with_extra_rules`](crate::judge_with_extra_rules) to check whether a set suffices.
pub fn candidate_allow_rules(call: &Call, context: &JudgeContext, verdict: &Verdict) -> Vec<Vec<Rule>> {
    // No rule allows a text longer than this limit.
    let text = shell_text(call).filter(|text| text.len() <= LENGTH_LIMIT);
    let Some(text) = text.filter(|_| verdict.decision == Decision::Confirm) else {
        return Vec::new();
    };
    let plan = ExecutionPlan::new(&text, ShellInvocation::of(call).cwd.as_deref(), context.home.as_deref());
    if !plan.is_complete() {
        return Vec::new();
    }
    let answered = |parts: &[&Part]| parts.iter().map(|part| priority_over(part)).max();
    let mut all = Vec::new();
    every(&verdict.parts, &mut all);
    let Some(questions) = QuestionedParts::of(&verdict.parts) else { return Vec::new() };
    let overall = verdict.rules.first().filter(|rule| {
        rule.effect() == Effect::Confirm && !all.iter().any(|part| part.rule.as_ref() == Some(*rule))
    });
    if has_questioned_redirect(&verdict.parts) || overall.is_some() {
        let asked: Vec<&Part> = all.into_iter().filter(|part| part.decision == Decision::Confirm).collect();
        let over = answered(&asked).flatten().max(overall.and_then(|rule| rule.priority().checked_add(1)));
        return exact(&text)
            .zip(over)
            .map(|(rule, priority)| vec![Rule { priority, ..rule }])
            .into_iter()
            .collect();
    }
    let mut ladders: Vec<Vec<Rule>> = Vec::new();
    for step in &plan.steps {
        let asked = questions.about(step);
        let Some(priority) = answered(&asked) else { continue };
        // If no rule can match one of the steps, no set suffices.
        let Some(priority) = priority else { return Vec::new() };
        let rungs = CandidateRules::of(&plan, step).rungs();
        if rungs.is_empty() {
            return Vec::new();
        }
        ladders.push(rungs.into_iter().map(|rule| Rule { priority, ..rule }).collect());
    }
    sets(&ladders)
}

/// The narrowest rule for each part, then the next wider ones as long as there are any.
fn sets(ladders: &[Vec<Rule>]) -> Vec<Vec<Rule>> {
    let highest = ladders.iter().map(Vec::len).max().unwrap_or(0);
    let mut sets: Vec<Vec<Rule>> = Vec::new();
    for rung in 0..highest {
        let mut set: Vec<Rule> = Vec::new();
        for rule in ladders.iter().filter_map(|ladder| ladder.get(rung).or(ladder.last())) {
            if !set.contains(rule) {
                set.push(rule.clone());
            }
        }
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

/// The priority an allow needs for a part: above the confirm rule that matches, or 0. `None` if no allow is
/// strong enough.
fn priority_over(part: &Part) -> Option<i32> {
    match part.rule.as_ref().filter(|rule| rule.layer() != LayerKind::BuiltIn) {
        Some(rule) if rule.effect() == Effect::Confirm => rule.priority().checked_add(1),
        Some(rule) if rule.effect() == Effect::Deny => None,
        _ => Some(0),
    }
}

fn every<'v>(parts: &'v [Part], all: &mut Vec<&'v Part>) {
    for part in parts {
        all.push(part);
        every(&part.parts, all);
    }
}

pub(super) fn has_questioned_redirect(parts: &[Part]) -> bool {
    parts.iter().any(|part| part.kind == PartKind::Redirect && part.decision == Decision::Confirm)
}

/// The parts of a verdict that need confirmation.
pub(super) struct QuestionedParts<'v>(Vec<&'v Part>);

impl<'v> QuestionedParts<'v> {
    /// `None` if there are too many to propose rules for.
    pub(super) fn of(parts: &'v [Part]) -> Option<QuestionedParts<'v>> {
        let mut all = Vec::new();
        every(parts, &mut all);
        all.retain(|part| part.kind == PartKind::Command && part.decision == Decision::Confirm);
        (all.len() <= MAX_QUESTIONS).then_some(QuestionedParts(all))
    }

    /// The parts for a command.
    pub(super) fn about(&self, step: &Step) -> Vec<&'v Part> {
        let span = (step.text == 0).then_some((step.span.start, step.span.end));
        self.0.iter().copied().filter(|part| part.span == span).collect()
    }
}

/// The rules that may match one command.
pub(super) struct CandidateRules {
    /// This exact command.
    exact: Option<Rule>,
    /// The program with the option in question, with any operands.
    option: Option<Rule>,
    /// The leading words.
    words: Option<Rule>,
}

impl CandidateRules {
    pub(super) fn of(plan: &ExecutionPlan, step: &Step) -> CandidateRules {
        let profile = &step.profile;
        let none = CandidateRules { exact: None, option: None, words: None };
        let Some(program) = profile.program.as_deref().filter(|program| *program != "cd") else {
            return none;
        };
        // An interpreter alone runs its input; `make` alone has a default target.
        if step.words.len() == 1 && runs_anything(program) && program != "make" {
            return none;
        }
        let source = plan.texts.get(step.text).map_or("", |text| text.source.as_str());
        let written =
            step.words.iter().map(|word| source.get(word.span.start as usize..word.span.end as usize));
        let written: Option<Vec<&str>> = written.collect();
        let direct = is_direct(step);
        CandidateRules {
            exact: written.and_then(|words| exact(&words.join(" "))),
            option: option(step).filter(|_| direct),
            words: words(step).filter(|_| direct),
        }
    }

    /// The leading words, if they are specific enough; otherwise the exact command.
    pub(super) fn best(self) -> Option<Rule> {
        self.words.or(self.exact)
    }

    fn rungs(self) -> Vec<Rule> {
        [self.exact, self.option, self.words].into_iter().flatten().collect()
    }
}

/// Whether the command begins with its leading words, so that a rule by words matches it.
fn is_direct(step: &Step) -> bool {
    let leading = step.profile.leading_words.iter().take(step.profile.depth);
    let mut words = step.words.iter().map(|word| word.literal());
    leading.enumerate().all(|(at, lead)| {
        words.next().flatten().is_some_and(|word| *word == **lead || (at == 0 && basename(&word) == lead))
    })
}

/// A rule with as many words as the program's subcommands need.
fn words(step: &Step) -> Option<Rule> {
    let profile = &step.profile;
    let leading: Vec<&str> = profile.leading_words.iter().take(profile.depth).map(String::as_str).collect();
    let bare = leading.len() < 2;
    let says_too_much = (bare
        && (profile.never_bare || leading.first().is_none_or(|name| runs_anything(name))))
        || profile.never_by_subcommand
        || !profile.inner_commands.is_empty()
        || profile.danger.as_ref().is_some_and(|danger| danger.level == ProgramDangerLevel::Danger);
    // On the built-in list but still in need of confirmation: the option is in question, not the program.
    if says_too_much || profile.builtin.is_some() || profile.location.is_elsewhere() {
        return None;
    }
    Some(Rule { tool: Some("bash".into()), command: Some(leading.join(" ")), ..Rule::default() })
}

/// For a command on the built-in list that needs confirmation because of an option: the same options, any
/// operands.
fn option(step: &Step) -> Option<Rule> {
    let profile = &step.profile;
    let obstacle = profile.harmless.as_ref().err().filter(|_| profile.builtin.is_some())?;
    let words: Vec<_> = step.words.iter().map(|word| word.literal()).collect::<Option<_>>()?;
    if !words.get(obstacle.word)?.starts_with('-') || !profile.inner_commands.is_empty() {
        return None;
    }
    let mut glob = profile.leading_words.iter().take(profile.depth).cloned().collect::<Vec<String>>();
    for word in words.iter().skip(glob.len()) {
        let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c));
        match word.starts_with('-') {
            true if plain => glob.push(word.clone().into_owned()),
            true => return None,
            false if glob.last().is_some_and(|last| last == "*") => {}
            false => glob.push("*".into()),
        }
    }
    let glob = Some(glob.join(" ")).filter(|glob| glob.contains('*'));
    glob.map(|glob| Rule { tool: Some("bash".into()), command_glob: Some(glob), ..Rule::default() })
}

/// A rule for this exact text. `None` if the text contains a wildcard, which would widen the rule.
pub(super) fn exact(text: &str) -> Option<Rule> {
    let plain = !text.contains(['*', '?']);
    plain.then(|| Rule { tool: Some("bash".into()), command_glob: Some(text.into()), ..Rule::default() })
}
