//! Allow rules for the questioned commands of a shell text, from the very command to the words that name its kind.
//!
//! A rule is only as good as what it lets through besides. Programs that run whatever they are given, or that destroy,
//! never stand as a bare word; where a table knows a subcommand to be as wide as its program, neither do its words. `cd`
//! is judged by where it leads, so no rule speaks of it.

use sekisho_shell::LENGTH_LIMIT;
use sekisho_shell::programs::{ProgramDangerLevel, ProgramLocation};

use super::execution_plan::{ExecutionPlan, Step};
use super::shell_invocation::ShellInvocation;
use crate::actions::shell_text;
use crate::call::Call;
use crate::command_pattern::basename;
use crate::judge_context::JudgeContext;
use crate::lint::overbroad_allow::runs_anything;
use crate::rule::{Effect, LayerKind, Rule};
use crate::verdict::{Decision, Part, PartKind, Verdict};

/// For more questioned commands than this no rules are proposed.
const MOST_QUESTIONS: usize = 64;

/// Sets of allow rules that may let a questioned shell call through, narrowest first, each with the priority it needs. One
/// rule for every part that asks. Whether a set suffices is for [`judge_remembering`](crate::judge_remembering) to say.
pub fn candidate_allow_rules(call: &Call, around: &JudgeContext, verdict: &Verdict) -> Vec<Vec<Rule>> {
    // No rule allows a text that is longer than can be allowed automatically.
    let text = shell_text(call).filter(|text| text.len() <= LENGTH_LIMIT);
    let Some(text) = text.filter(|_| verdict.decision == Decision::Confirm) else {
        return Vec::new();
    };
    let plan = ExecutionPlan::new(&text, ShellInvocation::of(call).cwd.as_deref(), around.home.as_deref());
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
        // A step that no rule can speak for spoils every set.
        let Some(priority) = priority else { return Vec::new() };
        let rungs = CandidateRules::of(&plan, step).rungs();
        if rungs.is_empty() {
            return Vec::new();
        }
        ladders.push(rungs.into_iter().map(|rule| Rule { priority, ..rule }).collect());
    }
    sets(&ladders)
}

/// The narrowest rule of each, then of each the next wider one as long as there is one.
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

/// The priority an allow needs to answer a part: above the confirm that asks, or 0. None where no allow is strong enough.
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

/// The questioned commands of a verdict.
pub(super) struct QuestionedParts<'v>(Vec<&'v Part>);

impl<'v> QuestionedParts<'v> {
    /// None where there are more than anybody would read rules for.
    pub(super) fn of(parts: &'v [Part]) -> Option<QuestionedParts<'v>> {
        let mut all = Vec::new();
        every(parts, &mut all);
        all.retain(|part| part.kind == PartKind::Command && part.decision == Decision::Confirm);
        (all.len() <= MOST_QUESTIONS).then_some(QuestionedParts(all))
    }

    /// The parts that stand for a command.
    pub(super) fn about(&self, step: &Step) -> Vec<&'v Part> {
        let span = (step.text == 0).then_some((step.span.start, step.span.end));
        self.0.iter().copied().filter(|part| part.span == span).collect()
    }
}

/// The rules that may speak for one command.
pub(super) struct CandidateRules {
    /// This command and no other.
    exact: Option<Rule>,
    /// The program with the option that was asked about, whatever the operands.
    option: Option<Rule>,
    /// The leading words.
    words: Option<Rule>,
}

impl CandidateRules {
    pub(super) fn of(plan: &ExecutionPlan, step: &Step) -> CandidateRules {
        let reading = &step.profile;
        let none = CandidateRules { exact: None, option: None, words: None };
        let Some(program) = reading.program.as_deref().filter(|program| *program != "cd") else {
            return none;
        };
        // An interpreter alone runs what it is fed; `make` alone has its target.
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

    /// The words, where they say enough; else this very command.
    pub(super) fn best(self) -> Option<Rule> {
        self.words.or(self.exact)
    }

    fn rungs(self) -> Vec<Rule> {
        [self.exact, self.option, self.words].into_iter().flatten().collect()
    }
}

/// Whether the command begins with its leading words, so that a rule by words sees them.
fn is_direct(step: &Step) -> bool {
    let leading = step.profile.leading_words.iter().take(step.profile.depth);
    let mut words = step.words.iter().map(|word| word.literal());
    leading.enumerate().all(|(at, lead)| {
        words.next().flatten().is_some_and(|word| *word == **lead || (at == 0 && basename(&word) == lead))
    })
}

/// By as many words as the program's subcommands need.
fn words(step: &Step) -> Option<Rule> {
    let reading = &step.profile;
    let leading: Vec<&str> = reading.leading_words.iter().take(reading.depth).map(String::as_str).collect();
    let bare = leading.len() < 2;
    let says_too_much = (bare
        && (reading.never_bare || leading.first().is_none_or(|name| runs_anything(name))))
        || reading.never_by_subcommand
        || !reading.inner_commands.is_empty()
        || reading.danger.as_ref().is_some_and(|danger| danger.level == ProgramDangerLevel::Danger);
    // On the built-in list and still asked about: it is this option that is in question, not the program.
    if says_too_much || reading.builtin.is_some() || reading.location == ProgramLocation::Elsewhere {
        return None;
    }
    Some(Rule { tool: Some("bash".into()), command: Some(leading.join(" ")), ..Rule::default() })
}

/// A command of the built-in list that was asked about for an option: the options as they are, any operands.
fn option(step: &Step) -> Option<Rule> {
    let reading = &step.profile;
    let obstacle = reading.harmless.as_ref().err().filter(|_| reading.builtin.is_some())?;
    let words: Vec<_> = step.words.iter().map(|word| word.literal()).collect::<Option<_>>()?;
    if !words.get(obstacle.word)?.starts_with('-') || !reading.inner_commands.is_empty() {
        return None;
    }
    let mut glob = reading.leading_words.iter().take(reading.depth).cloned().collect::<Vec<String>>();
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

/// A rule for this text and no other. A wildcard in the text itself would widen it, so there is none for such a text.
pub(super) fn exact(text: &str) -> Option<Rule> {
    let plain = !text.contains(['*', '?']);
    plain.then(|| Rule { tool: Some("bash".into()), command_glob: Some(text.into()), ..Rule::default() })
}
