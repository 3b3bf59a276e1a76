//! Judges a shell text part by part: the strictest part is the verdict.

mod allow_advice;
mod allow_limits;
mod analysed_text;
mod and_chain;
mod assigned_variables;
mod assignment_verdict;
mod bang_lines;
mod bare_words;
mod candidate_allow_rules;
mod command_leading_words;
mod command_match;
mod commit_messages;
mod computed_operands;
mod computed_options;
mod directory_settings;
mod directory_walks;
mod evaluated_words;
mod executed_code;
mod executed_output;
mod execution_plan;
mod find_expression;
mod git_arguments;
mod git_diff_directories;
mod git_pathspecs;
mod git_repository_risks;
mod git_tracked_files;
mod harmless_command;
mod harmless_variables;
mod inner_program;
mod inner_runs;
mod job_counts;
mod joined_computed_names;
mod local_work;
mod loops;
mod output_kind;
mod oversized_text;
mod paths_of_words;
mod pipeline_inputs;
mod plan_context;
mod planned_commands;
mod portable_text;
mod preset_limits;
mod redirect_safety;
mod redirect_verdict;
mod required_searches;
mod safe_listing_programs;
mod shell_effect;
mod shell_places;
mod shell_tool_input;
mod spelled_commands;
mod step_fact_queries;
mod touched_paths;
mod undeclared_computed_paths;
mod undeclared_paths;
mod unlisted_paths;
mod untrusted_code;
mod upload_globs;
mod vanishing_words;
mod word_values;
mod working_directories;

use jiff::Timestamp;
use sekisho_shell::Budget;
use sekisho_shell::script::Redirect;
use sekisho_shell::word::{Span, Word};
use smallvec::smallvec;

pub use allow_advice::{Advice, advise};
pub(crate) use analysed_text::AnalysedText;
pub use candidate_allow_rules::candidate_allow_rules;
pub use command_leading_words::{command_names, questioned_commands};
pub(crate) use command_match::{CommandSubject, match_command};
pub(crate) use execution_plan::{ExecutionPlan, Step};
pub(crate) use oversized_text::find_in_bare_words;
pub use planned_commands::{PlannedCommand, PlannedCommands, planned_commands};
pub use shell_places::{ShellPlaces, shell_places};
pub(crate) use shell_tool_input::ShellInvocation;
pub use shell_tool_input::input_directory;

use crate::call_targets::CallTargets;
use crate::command_pattern::COMPUTED;
use crate::conditions::Conditions;
use crate::danger::{DangerSpan, protected_path_danger, worse};
use crate::facts::{FactQuery, from_home};
use crate::judge_context::JudgeContext;
use crate::policy::{CompiledRule, Policy};
use crate::reason::Reason;
use crate::rule::{Effect, LayerKind};
use crate::rule_ref::RuleRef;
use crate::rule_search::{NO_RULE, RuleSearchOutcome, search};
use crate::trace::{RuleOutcome, TraceSink};
use crate::verdict::{Danger, DangerCode, DangerLevel, Decision, Part, PartKind, Verdict};
use crate::whole_words::whole_values;
use inner_runs::{InnerRuns, runs};
use plan_context::PlanContext;
use touched_paths::touched_in;

/// The facts that judging a shell text depends on, within this many units.
pub(crate) fn shell_fact_queries(
    policy: &Policy,
    text: (&str, usize),
    start: &ShellInvocation,
) -> Vec<FactQuery> {
    shell_facts_and_analysis(policy, text, start).0
}

/// Like [`shell_fact_queries`], and keeps the analysis of the text.
pub(crate) fn shell_facts_and_analysis(
    policy: &Policy,
    (text, units): (&str, usize),
    start: &ShellInvocation,
) -> (Vec<FactQuery>, Option<Box<AnalysedText>>) {
    // The home directory is unknown here: paths below it are looked up with `~`.
    let plan = ExecutionPlan::within(Budget::new(units), text, start.cwd.as_deref(), Some(SOME_HOME));
    // A text that is too large to judge needs no facts.
    if plan.budget.is_spent() {
        return (Vec::new(), None);
    }
    let left = plan.budget.left();
    let queries = plan_fact_queries(policy, &plan);
    (queries, Some(Box::new(AnalysedText::new(plan, start.cwd.clone(), units, left))))
}

/// The facts that a plan made with [`SOME_HOME`] needs.
fn plan_fact_queries(policy: &Policy, plan: &ExecutionPlan) -> Vec<FactQuery> {
    let mut context = JudgeContext::at(Timestamp::UNIX_EPOCH);
    context.home = Some(SOME_HOME.into());
    let limits = PlanContext { policy, context: &context, plan };
    let mut queries: Vec<FactQuery> = Vec::new();
    let mut add = |more: Vec<FactQuery>| {
        let within =
            more.iter().all(|query| plan.budget.spend(LOOKUP + step_fact_queries::fact_query_cost(query)));
        queries.extend(more);
        within
    };
    for step in &plan.steps {
        let within = add(step_fact_queries::step_fact_queries(policy, plan, step))
            && add(limits.walk_fact_queries(step))
            && add(limits.compared_directories_fact_queries(step))
            && add(limits.stored_files_fact_queries(step))
            && add(git_tracked_files::tracked_files_fact_queries(step))
            && add(limits.computed_fact_queries(step))
            && add(limits.option_fact_queries(step))
            && add(limits.undeclared_computed_fact_queries(step))
            && add(limits.unquoted(step).into_iter().flatten().map(FactQuery::Files).collect());
        if !within {
            return Vec::new();
        }
    }
    let targets = redirects(plan).map(|(text, redirect)| (text, &redirect.target));
    for (text, word) in targets.chain(looped_values(plan)) {
        if !add(step_fact_queries::path_fact_queries(policy, plan, touched_in(plan, text, word))) {
            return Vec::new();
        }
    }
    for query in &mut queries {
        for path in query.paths_mut() {
            if let Some(written) = from_home(path, SOME_HOME) {
                *path = written;
            }
        }
    }
    queries.sort_unstable();
    queries.dedup();
    queries
}

/// How many bytes are kept of a text that was not parsed or does not fit.
const BEGINNING: usize = 1024;

fn beginning(text: &str) -> &str {
    whole_values(text, BEGINNING)
}

/// The cost of keeping one part of a verdict besides its text, and of checking one word of a command.
const PART: usize = 1024;
const JUDGED: usize = 64;
/// The cost of looking up one fact.
const LOOKUP: usize = 4096;

/// Represents the home directory while it is unknown.
const SOME_HOME: &str = "/~";

fn redirects(plan: &ExecutionPlan) -> impl Iterator<Item = (usize, &Redirect)> {
    plan.texts
        .iter()
        .enumerate()
        .flat_map(|(at, text)| text.script.redirects.iter().map(move |redirect| (at, redirect)))
}

/// The values that the loops of every text iterate over.
fn looped_values(plan: &ExecutionPlan) -> impl Iterator<Item = (usize, &Word)> {
    plan.texts.iter().enumerate().flat_map(|(at, text)| {
        let looped = text.looped.iter().filter_map(|position| text.script.assignments.get(*position));
        looped.map(move |assignment| (at, &assignment.value))
    })
}

/// Judges a shell text within this many units into `verdict`, which has only the general danger so far.
pub(crate) fn judge<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    (text, units): (&str, usize),
    verdict: &mut Verdict,
    sink: &mut S,
) {
    if !judge_within(policy, view, (text, units), verdict, sink) {
        oversized_text::judge_oversized(policy, view, text, verdict, sink);
    }
}

/// Judges a text within this many units. `false`: too few; the result is incomplete and must be discarded.
pub(crate) fn judge_within<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    (text, units): (&str, usize),
    verdict: &mut Verdict,
    sink: &mut S,
) -> bool {
    let start = ShellInvocation::of(view.call);
    let home = view.context.home.as_deref();
    let analysed = view.analysed.take();
    let plan = analysed
        .and_then(|analysed| analysed.plan_of((text, units), start.cwd.as_deref(), home))
        .unwrap_or_else(|| ExecutionPlan::within(Budget::new(units), text, start.cwd.as_deref(), home));
    if !plan.budget.is_spent() {
        judge_plan(policy, view, (text, start), &plan, verdict, sink);
    }
    !plan.budget.is_spent()
}

/// Judges a text that was analysed completely. The result counts only if the budget sufficed.
fn judge_plan<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    (text, start): (&str, ShellInvocation),
    plan: &ExecutionPlan,
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let whole = search(policy, view, CommandSubject::Whole(plan), sink);
    let mut judging = PlanJudge::new(policy, view, plan, whole);
    judging.whole(sink);
    let top: Vec<usize> =
        (0..plan.steps.len()).filter(|at| plan.steps.get(*at).is_some_and(|s| s.parent.is_none())).collect();
    let mut parts: Vec<Part> = Vec::new();
    for at in top {
        parts.push(judging.step(at, sink));
        if plan.budget.is_spent() {
            return;
        }
    }
    parts.extend(judging.text_parts(0));
    for odd in start.problems {
        let part = judging.part(PartKind::Opaque, text, None, judging.asks(odd.reason));
        parts.push(Part { danger: odd.danger, ..part });
    }
    parts.sort_by_key(|part| part.span.map_or(u32::MAX, |span| span.0));
    judging.conclude(parts, verdict);
}

/// The decision for a part.
struct PartDecision {
    decision: Decision,
    reason: Reason,
    rule: Option<RuleRef>,
}

struct PlanJudge<'a> {
    policy: &'a Policy,
    view: &'a CallTargets<'a>,
    plan: &'a ExecutionPlan,
    limits: PlanContext<'a>,
    /// The result of the rules for the text as a whole.
    whole: RuleSearchOutcome,
    /// An allow whose glob matches every part and operator of the text.
    cover: Option<u32>,
    /// An `unrestricted` allow decides, which lifts the limits on shell text.
    free: bool,
    /// A deny or confirm that matches the text as a whole.
    overall: Option<PartDecision>,
    /// The commands that each command runs, by its position.
    run: Vec<InnerRuns>,
}

impl<'a> PlanJudge<'a> {
    fn new(
        policy: &'a Policy,
        view: &'a CallTargets<'a>,
        plan: &'a ExecutionPlan,
        whole: RuleSearchOutcome,
    ) -> PlanJudge<'a> {
        let context: &'a JudgeContext = view.context;
        let rule =
            policy.rules.get(whole.best as usize).filter(|_| whole.best != NO_RULE && !whole.exhausted);
        let allow = rule.filter(|rule| rule.effect == Effect::Allow && whole.unevaluated == NO_RULE);
        let extra = allow.and_then(|rule| policy.extra(&rule));
        PlanJudge {
            policy,
            view,
            plan,
            limits: PlanContext { policy, context, plan },
            whole,
            cover: extra.filter(|extra| extra.command_glob.is_some()).map(|_| whole.best),
            free: extra.is_some_and(|extra| extra.unrestricted),
            overall: None,
            run: runs(plan),
        }
    }

    fn cite(&self, rank: u32) -> Option<RuleRef> {
        (rank != NO_RULE).then(|| RuleRef::new(&self.policy.table, rank))
    }

    fn asks(&self, reason: Reason) -> PartDecision {
        let decision = if self.free { Decision::Allow } else { Decision::Confirm };
        PartDecision { decision, reason, rule: self.cite(self.whole.best).filter(|_| self.free) }
    }

    /// Matches rules against the text as a whole. Whole-tool rules apply to each command.
    fn whole<S: TraceSink>(&mut self, sink: &mut S) {
        let Some(rule) =
            self.policy.rules.get(self.whole.best as usize).filter(|_| self.whole.best != NO_RULE)
        else {
            return;
        };
        let globbed = self.policy.extra(&rule).is_some_and(|extra| extra.command_glob.is_some());
        if rule.effect == Effect::Deny
            || (rule.effect == Effect::Confirm && globbed)
            || self.plan.steps.is_empty()
        {
            sink.rule_seen(self.whole.best, RuleOutcome::Decided);
            let decision = rule.effect.into();
            self.overall = Some(PartDecision {
                decision,
                reason: Reason::Rule { rule: 0 },
                rule: self.cite(self.whole.best),
            });
        }
    }

    /// Judges a command and everything it runs.
    fn step<S: TraceSink>(&self, at: usize, sink: &mut S) -> Part {
        let Some(step) = self.plan.steps.get(at) else {
            return self.part(PartKind::Opaque, "", None, self.asks(Reason::TooMuch));
        };
        self.plan.budget.spend(JUDGED * (step.words.len() + 1));
        let ruling = self.rule_on(step, sink);
        // An allow within the limits has been checked already.
        let limited = ruling.decision == Decision::Allow && !self.free;
        let protected = (!limited && self.limits.touches_protected(step))
            .then(|| protected_path_danger().at(spans_of_words(step, &self.limits.protected_words(step))));
        let span = (step.text == 0).then_some((step.span.start, step.span.end));
        let text = self.written(step);
        let mut part = self.part(PartKind::Command, &text, span, ruling);
        let of_program = step.profile.danger.as_ref().map(Danger::from);
        let of_program = of_program.map(|danger| danger.at(spans_of_words(step, &step.profile.danger_words)));
        let of_program = worse(of_program, inner_program::danger_of_inner_program(self.plan, step));
        part.danger = worse(of_program, protected);
        let run = self.run.get(at).cloned().unwrap_or_default();
        for inner in run.steps.iter().take_while(|_| !self.plan.budget.is_spent()) {
            part.parts.push(self.step(*inner, sink));
        }
        part.parts.extend(run.texts.iter().flat_map(|text| self.text_parts(*text)));
        for detail in run.unknown {
            let ruling = self.asks(Reason::RunsUnknown { why: detail.into() });
            part.parts.push(self.part(PartKind::Opaque, &part.text.clone(), span, ruling));
        }
        part
    }

    /// The decision on one simple command.
    fn rule_on<S: TraceSink>(&self, step: &Step, sink: &mut S) -> PartDecision {
        let mut found = search(self.policy, self.view, CommandSubject::Step(self.plan, step), sink);
        if let Some(cover) = self.cover.filter(|_| step.text == 0 && step.parent.is_none()) {
            found.best = found.best.min(cover);
            if found.unevaluated > found.best {
                found.unevaluated = NO_RULE;
            }
        }
        let rule = self.policy.rules.get(found.best as usize).filter(|_| found.best != NO_RULE);
        let denied = rule.is_some_and(|rule| rule.effect == Effect::Deny);
        if found.exhausted && !denied {
            return self.asks(Reason::WorkLimit);
        }
        if found.unevaluated != NO_RULE && !denied {
            let rule = self.cite(found.unevaluated);
            return PartDecision {
                decision: Decision::Confirm,
                reason: Reason::NotEvaluated { rule: 0 },
                rule,
            };
        }
        let Some(rule) = rule else {
            // On the list by name, but not in this form: report the obstacle.
            let listed = step.profile.builtin.is_some()
                || matches!(step.profile.program.as_deref(), Some("cd" | "pushd" | "popd"));
            let reason = listed.then(|| self.limits.reason_against_builtin(step)).flatten();
            return self
                .asks(reason.or_else(|| allow_limits::outside_reason(step)).unwrap_or(Reason::NoRule));
        };
        let limit = match (rule.effect, rule.layer) {
            (Effect::Deny | Effect::Confirm, _) => None,
            (Effect::Allow, _) if self.free => match self.may_be_denied(step) {
                Some(rank) => {
                    let (reason, rule) = (Reason::NotEvaluated { rule: 0 }, self.cite(rank));
                    return PartDecision { decision: Decision::Confirm, reason, rule };
                }
                None => None,
            },
            (Effect::Allow, LayerKind::BuiltIn) => self.limits.reason_against_builtin(step),
            (Effect::Allow, _) => self.limits.reason_against_allow(step),
        };
        match limit {
            Some(reason) => {
                sink.rule_seen(found.best, RuleOutcome::Limited);
                self.asks(reason)
            }
            None => {
                sink.rule_seen(found.best, RuleOutcome::Decided);
                let reason = Reason::Rule { rule: 0 };
                PartDecision { decision: rule.effect.into(), reason, rule: self.cite(found.best) }
            }
        }
    }

    /// A user's deny that may match a computed name. The search, which goes by program, did not find it.
    fn may_be_denied(&self, step: &Step) -> Option<u32> {
        if step.words.first().is_none_or(|word| word.literal().is_some()) {
            return None;
        }
        let denies = |rule: &CompiledRule| {
            let speaks = |extra: &Conditions| extra.command.is_some() || extra.command_glob.is_some();
            rule.effect == Effect::Deny
                && rule.layer != LayerKind::BuiltIn
                && self.policy.extra(rule).is_some_and(speaks)
        };
        self.policy.rules.iter().position(|rule| denies(&rule)).and_then(|at| u32::try_from(at).ok())
    }

    /// The redirects, assignments and opaque parts of one text.
    fn text_parts(&self, index: usize) -> Vec<Part> {
        let Some(text) = self.plan.texts.get(index) else { return Vec::new() };
        let own = index == 0;
        let written = |span: Span| text.source.get(span.start as usize..span.end as usize).unwrap_or("");
        let place = |span: Span| own.then_some((span.start, span.end));
        let mut parts = Vec::new();
        for redirect in &text.script.redirects {
            if self.plan.budget.is_spent() {
                return parts;
            }
            if let Some(ruling) = self.rule_on_redirect(index, redirect, written(redirect.span)) {
                let mut part =
                    self.part(PartKind::Redirect, written(redirect.span), place(redirect.span), ruling);
                let at = place(redirect.span).map(|(start, end)| DangerSpan { start, end });
                part.danger = self.danger_of_redirect(index, redirect).map(|danger| danger.at(at));
                parts.push(part);
            }
        }
        for (at, assignment) in text.script.assignments.iter().enumerate() {
            if !self.plan.budget.spend(JUDGED) {
                return parts;
            }
            let appends = written(assignment.span).starts_with(&format!("{}+", assignment.name));
            let reason = self.reason_against_assignment(index, at, appends);
            if let Some(reason) = reason {
                let span = assignment.span;
                parts.push(self.part(PartKind::Assignment, written(span), place(span), self.asks(reason)));
            }
        }
        for word in &text.script.compared {
            if !self.plan.budget.spend(JUDGED) {
                return parts;
            }
            let unlisted = harmless_variables::unlisted_expansion(word, &self.plan.variables);
            if let Some(name) = unlisted.or_else(|| self.limits.unset_in_test(index, word)) {
                let ruling = self.asks(Reason::Expansion { text: name });
                parts.push(self.part(PartKind::Opaque, written(word.span), place(word.span), ruling));
            }
        }
        for opaque in &text.script.opaque {
            if self.plan.budget.is_spent() {
                return parts;
            }
            let ruling = self.asks(Reason::Opaque { kind: opaque.kind });
            let text = beginning(written(opaque.span));
            parts.push(self.part(PartKind::Opaque, text, place(opaque.span), ruling));
        }
        parts
    }

    fn written(&self, step: &Step) -> String {
        let source = self.plan.texts.get(step.text).map_or("", |text| text.source.as_str());
        let slice = |span: Span| source.get(span.start as usize..span.end as usize).unwrap_or("");
        // A command in backticks was decoded first: its words have no position in the source.
        let decoded = step.words.first().is_some_and(|word| {
            let written = slice(word.span);
            word.literal().is_some() && (written.contains('`') || written.contains("$("))
        });
        if decoded {
            return command_match::evaluated_text(self.plan, step, false).replace(COMPUTED, "…");
        }
        // Words from a brace expansion occur once in the text.
        let mut spans: Vec<Span> = step.words.iter().map(|word| word.span).collect();
        spans.dedup();
        spans.into_iter().map(slice).collect::<Vec<_>>().join(" ")
    }

    fn part(&self, kind: PartKind, text: &str, span: Option<(u32, u32)>, ruling: PartDecision) -> Part {
        let text = if self.plan.budget.spend(PART + text.len()) { text } else { beginning(text) };
        Part {
            kind,
            text: text.into(),
            span,
            decision: ruling.decision,
            reason: ruling.reason,
            rule: ruling.rule,
            danger: None,
            parts: Vec::new(),
        }
    }

    /// The strictest part is the verdict; the first such part gives the reason.
    fn conclude(self, parts: Vec<Part>, verdict: &mut Verdict) {
        let mut strictest: Option<&Part> = None;
        let mut danger: Option<Danger> = None;
        each(&parts, &mut |part| {
            if strictest.is_none_or(|found| found.decision < part.decision) {
                strictest = Some(part);
            }
            danger = worse(danger.take(), part.danger.clone());
            if allow_limits::is_about_protected(Some(&part.reason)) {
                danger = worse(danger.take(), Some(protected_path_danger()));
            }
        });
        danger = worse(untrusted_code::untrusted_code_danger(self.plan), danger);
        let (decision, reason, rule) = match (strictest, self.overall) {
            (Some(part), None) => (part.decision, part.reason.clone(), part.rule.clone()),
            (Some(part), Some(overall)) if part.decision > overall.decision => {
                (part.decision, part.reason.clone(), part.rule.clone())
            }
            (_, Some(overall)) => (overall.decision, overall.reason, overall.rule),
            (None, None) => (Decision::Confirm, Reason::NoRule, None),
        };
        verdict.decision = decision;
        verdict.reasons = smallvec![reason];
        verdict.rules = rule.into_iter().collect();
        let reads_only = decision == Decision::Allow && danger.is_none();
        verdict.danger = danger.unwrap_or_else(|| {
            if reads_only {
                Danger::new(DangerLevel::None, DangerCode::OnlyReads)
            } else {
                caution(DangerCode::RunsPrograms)
            }
        });
        let rank = verdict.rules.first().map_or(NO_RULE, RuleRef::rank);
        let decider = self.policy.rules.get(rank as usize).and_then(|rule| self.policy.extra(&rule));
        verdict.wait = decider.map(|extra| extra.wait).unwrap_or_default();
        verdict.parts = parts;
    }
}

/// Where words of a command are in the call's text. Empty inside an inner text.
fn spans_of_words<'s>(step: &'s Step, words: &'s [usize]) -> impl Iterator<Item = DangerSpan> + 's {
    let words = words.iter().filter(move |_| step.text == 0).filter_map(|at| step.words.get(*at));
    words.map(|word| DangerSpan { start: word.span.start, end: word.span.end })
}

fn each<'p>(parts: &'p [Part], visit: &mut dyn FnMut(&'p Part)) {
    for part in parts {
        visit(part);
        each(&part.parts, visit);
    }
}

fn caution(code: DangerCode) -> Danger {
    Danger::new(DangerLevel::Caution, code)
}
