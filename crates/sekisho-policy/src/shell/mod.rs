//! Judging a shell text part by part: the strictest part is the verdict.

mod advice;
mod closed;
mod command;
mod computed;
mod directories;
mod expression;
mod feeds;
mod fetched;
mod flow;
mod git;
mod git_arguments;
mod git_directories;
mod git_pathspecs;
mod git_tracked;
mod given;
mod joined;
mod ladder;
mod limits;
mod listers;
mod names;
mod plan;
mod prints;
mod raw;
mod raw_text;
mod search_list;
mod spellings;
mod start;
mod vanishing_words;
mod walks;
mod way;

use jiff::Timestamp;
use sekisho_shell::Budget;
use sekisho_shell::script::Redirect;
use sekisho_shell::word::{Span, Word};
use smallvec::smallvec;

pub use advice::{Advice, advise};
pub(crate) use command::{Asked, fit};
pub use ladder::allow_sets;
pub use names::{asked_commands, command_names};
pub(crate) use plan::{Plan, Step};
pub(crate) use raw::find_in_bare_words;
pub(crate) use start::Start;
pub use start::other_directory;

use crate::cite::RuleRef;
use crate::command_pattern::COMPUTED;
use crate::danger::{touches_protected, worse};
use crate::extra::Extra;
use crate::policy::{Compiled, Policy};
use crate::reason::Reason;
use crate::rule::{Effect, LayerKind};
use crate::search::{Found, NONE, View, search};
use crate::surroundings::{Need, Surroundings, from_home};
use crate::trace::{Outcome, Sink};
use crate::verdict::{Danger, DangerCode, DangerLevel, Decision, Part, PartKind, Verdict};
use crate::why::Detail;
use closed::Standing;
use limits::{Context, Touched};

/// The facts that judging a shell text depends on, which may cost so many units.
pub(crate) fn needs(policy: &Policy, (text, units): (&str, usize), start: &Start) -> Vec<Need> {
    // Where the home directory is, is not known here: paths below it are asked for by `~`.
    let plan = Plan::within(Budget::new(units), text, start.cwd.as_deref(), Some(SOME_HOME));
    // What is too large to judge needs no facts.
    if plan.budget.is_spent() {
        return Vec::new();
    }
    let mut around = Surroundings::at(Timestamp::UNIX_EPOCH);
    around.home = Some(SOME_HOME.into());
    let context = Context { policy, around: &around, plan: &plan };
    let mut needs: Vec<Need> = Vec::new();
    let mut add = |more: Vec<Need>| {
        let within = more.iter().all(|need| plan.budget.spend(LOOKUP + limits::size_of_need(need)));
        needs.extend(more);
        within
    };
    for step in &plan.steps {
        let within = add(limits::needs_of_step(policy, step))
            && add(context.needs_of_walk(step))
            && add(context.needs_of_compared_directories(step))
            && add(git_tracked::needs_of_tracked_files(step))
            && add(context.needs_of_computed(step))
            && add(context.needs_of_options(step))
            && add(context.unquoted(step).into_iter().flatten().map(Need::Files).collect());
        if !within {
            return Vec::new();
        }
    }
    let targets = redirects(&plan).map(|(text, redirect)| (text, &redirect.target));
    for (text, word) in targets.chain(looped_values(&plan)) {
        if !add(limits::needs_of_paths(policy, touched_in(&plan, text, word))) {
            return Vec::new();
        }
    }
    for need in &mut needs {
        for path in need.paths_mut() {
            if let Some(written) = from_home(path, SOME_HOME) {
                *path = written;
            }
        }
    }
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// How much of a text is kept that was not read, or that there is no room for.
const BEGINNING: usize = 1024;

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(BEGINNING)).unwrap_or(text)
}

/// What keeping one part of a verdict costs besides its text, and looking at one word of a command.
const PART: usize = 1024;
const JUDGED: usize = 64;
/// What looking up one fact costs.
const LOOKUP: usize = 4096;

/// Stands for the home directory while it is not known where that is.
const SOME_HOME: &str = "/~";

fn redirects(plan: &Plan) -> impl Iterator<Item = (usize, &Redirect)> {
    plan.texts
        .iter()
        .enumerate()
        .flat_map(|(at, text)| text.script.redirects.iter().map(move |redirect| (at, redirect)))
}

/// What the loops of every text run over.
fn looped_values(plan: &Plan) -> impl Iterator<Item = (usize, &Word)> {
    plan.texts.iter().enumerate().flat_map(|(at, text)| {
        let looped = text.looped.iter().filter_map(|position| text.script.assignments.get(*position));
        looped.map(move |assignment| (at, &assignment.value))
    })
}

/// The file a word names that belongs to no command. It may be opened from any directory the script passes through.
fn touched_in(plan: &Plan, text: usize, word: &Word) -> Vec<Touched> {
    let places = plan.texts.get(text).map_or(&[][..], |text| text.places.as_slice());
    let steps = places.iter().filter_map(|at| plan.steps.get(*at));
    let mut touched: Vec<Touched> = steps.flat_map(|step| limits::touched_by(step, word)).collect();
    touched.dedup();
    if touched.is_empty() { vec![Touched::Unknown] } else { touched }
}

/// Judges a shell text, which may cost so many units, into `verdict`, which so far says nothing but the danger of shell tools
/// in general.
pub(crate) fn judge<S: Sink>(
    policy: &Policy,
    view: &View<'_>,
    (text, units): (&str, usize),
    verdict: &mut Verdict,
    sink: &mut S,
) {
    if !judge_within(policy, view, (text, units), verdict, sink) {
        raw::judge(policy, view, text, verdict, sink);
    }
}

/// Judges a text that may cost so many units. `false` if they do not suffice: what was found so far is not all there is, so
/// it counts for nothing.
pub(crate) fn judge_within<S: Sink>(
    policy: &Policy,
    view: &View<'_>,
    (text, units): (&str, usize),
    verdict: &mut Verdict,
    sink: &mut S,
) -> bool {
    let start = Start::of(view.call);
    let home = view.around.home.as_deref();
    let plan = Plan::within(Budget::new(units), text, start.cwd.as_deref(), home);
    if !plan.budget.is_spent() {
        judge_plan(policy, view, (text, start), &plan, verdict, sink);
    }
    !plan.budget.is_spent()
}

/// Judges a text that was read to its end. The result counts only if the budget sufficed.
fn judge_plan<S: Sink>(
    policy: &Policy,
    view: &View<'_>,
    (text, start): (&str, Start),
    plan: &Plan,
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let whole = search(policy, view, Asked::Whole(plan), sink);
    let mut judging = Judging::new(policy, view, plan, whole);
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
    for odd in start.odd {
        let part = judging.part(PartKind::Opaque, text, None, judging.asks(odd.reason));
        parts.push(Part { danger: odd.danger, ..part });
    }
    parts.sort_by_key(|part| part.span.map_or(u32::MAX, |span| span.0));
    judging.conclude(parts, verdict);
}

/// What was decided for a part.
struct Ruling {
    decision: Decision,
    reason: Reason,
    rule: Option<RuleRef>,
}

struct Judging<'a> {
    policy: &'a Policy,
    view: &'a View<'a>,
    plan: &'a Plan,
    context: Context<'a>,
    /// What the text as a whole came to.
    whole: Found,
    /// An allow whose glob names every part and operator of the text.
    cover: Option<u32>,
    /// An `unrestricted` allow decides, which drops the limits on shell text.
    free: bool,
    /// A deny or confirm that speaks of the text as a whole.
    overall: Option<Ruling>,
    /// What each command runs, by its position.
    run: Vec<Run>,
}

/// What one command runs.
#[derive(Clone, Default)]
struct Run {
    steps: Vec<usize>,
    texts: Vec<usize>,
    unknown: Vec<Detail>,
}

fn runs(plan: &Plan) -> Vec<Run> {
    let mut runs = vec![Run::default(); plan.steps.len()];
    let mut add = |parent: Option<usize>, note: &dyn Fn(&mut Run)| {
        if let Some(run) = parent.and_then(|parent| runs.get_mut(parent)) {
            note(run);
        }
    };
    for (at, step) in plan.steps.iter().enumerate() {
        add(step.parent.filter(|parent| *parent != at), &|run| run.steps.push(at));
    }
    for (at, text) in plan.texts.iter().enumerate() {
        add(text.parent, &|run| run.texts.push(at));
    }
    for unknown in &plan.unknown {
        add(Some(unknown.parent), &|run| run.unknown.push(unknown.why));
    }
    runs
}

impl<'a> Judging<'a> {
    fn new(policy: &'a Policy, view: &'a View<'a>, plan: &'a Plan, whole: Found) -> Judging<'a> {
        let around: &'a Surroundings = view.around;
        let rule = policy.rules.get(whole.best as usize).filter(|_| whole.best != NONE && !whole.exhausted);
        let allow = rule.filter(|rule| rule.effect == Effect::Allow && whole.doubt == NONE);
        let extra = allow.and_then(|rule| policy.extra(&rule));
        Judging {
            policy,
            view,
            plan,
            context: Context { policy, around, plan },
            whole,
            cover: extra.filter(|extra| extra.command_glob.is_some()).map(|_| whole.best),
            free: extra.is_some_and(|extra| extra.unrestricted),
            overall: None,
            run: runs(plan),
        }
    }

    fn cite(&self, rank: u32) -> Option<RuleRef> {
        (rank != NONE).then(|| RuleRef::new(&self.policy.table, rank))
    }

    fn asks(&self, reason: Reason) -> Ruling {
        let decision = if self.free { Decision::Allow } else { Decision::Confirm };
        Ruling { decision, reason, rule: self.cite(self.whole.best).filter(|_| self.free) }
    }

    /// What rules say of the text as a whole. Whole-tool rules speak through each command instead.
    fn whole<S: Sink>(&mut self, sink: &mut S) {
        let Some(rule) = self.policy.rules.get(self.whole.best as usize).filter(|_| self.whole.best != NONE)
        else {
            return;
        };
        let globbed = self.policy.extra(&rule).is_some_and(|extra| extra.command_glob.is_some());
        if rule.effect == Effect::Deny
            || (rule.effect == Effect::Confirm && globbed)
            || self.plan.steps.is_empty()
        {
            sink.saw(self.whole.best, Outcome::Decided);
            let decision = rule.effect.into();
            self.overall =
                Some(Ruling { decision, reason: Reason::Rule { rule: 0 }, rule: self.cite(self.whole.best) });
        }
    }

    /// A command and everything it runs.
    fn step<S: Sink>(&self, at: usize, sink: &mut S) -> Part {
        let Some(step) = self.plan.steps.get(at) else {
            return self.part(PartKind::Opaque, "", None, self.asks(Reason::TooMuch));
        };
        self.plan.budget.spend(JUDGED * (step.words.len() + 1));
        let ruling = self.rule_on(step, sink);
        // What a rule allowed within the limits has been looked at already.
        let limited = ruling.decision == Decision::Allow && !self.free;
        let protected = (!limited && self.context.touches_protected(step)).then(touches_protected);
        let span = (step.text == 0).then_some((step.span.start, step.span.end));
        let text = self.written(step);
        let mut part = self.part(PartKind::Command, &text, span, ruling);
        part.danger = worse(step.reading.danger.as_ref().map(danger_of), protected);
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
    fn rule_on<S: Sink>(&self, step: &Step, sink: &mut S) -> Ruling {
        let mut found = search(self.policy, self.view, Asked::Step(self.plan, step), sink);
        if let Some(cover) = self.cover.filter(|_| step.text == 0 && step.parent.is_none()) {
            found.best = found.best.min(cover);
            if found.doubt > found.best {
                found.doubt = NONE;
            }
        }
        let rule = self.policy.rules.get(found.best as usize).filter(|_| found.best != NONE);
        let denied = rule.is_some_and(|rule| rule.effect == Effect::Deny);
        if found.exhausted && !denied {
            return self.asks(Reason::WorkLimit);
        }
        if found.doubt != NONE && !denied {
            let rule = self.cite(found.doubt);
            return Ruling { decision: Decision::Confirm, reason: Reason::NotEvaluated { rule: 0 }, rule };
        }
        let Some(rule) = rule else {
            // On the list by name, but not like this: say what stands in the way.
            let listed = step.reading.builtin.is_some() || step.reading.program.as_deref() == Some("cd");
            let reason = listed.then(|| self.context.of_builtin(step)).flatten().unwrap_or(Reason::NoRule);
            return self.asks(reason);
        };
        let limit = match (rule.effect, rule.layer) {
            (Effect::Deny | Effect::Confirm, _) => None,
            (Effect::Allow, _) if self.free => match self.may_be_denied(step) {
                Some(rank) => {
                    let (reason, rule) = (Reason::NotEvaluated { rule: 0 }, self.cite(rank));
                    return Ruling { decision: Decision::Confirm, reason, rule };
                }
                None => None,
            },
            (Effect::Allow, LayerKind::BuiltIn) => self.context.of_builtin(step),
            (Effect::Allow, _) => self.context.of_allow(step),
        };
        match limit {
            Some(reason) => {
                sink.saw(found.best, Outcome::Limited);
                self.asks(reason)
            }
            None => {
                sink.saw(found.best, Outcome::Decided);
                let reason = Reason::Rule { rule: 0 };
                Ruling { decision: rule.effect.into(), reason, rule: self.cite(found.best) }
            }
        }
    }

    /// A deny of the user's that a command with a computed name may be. Rules are filed by the program they speak of, so
    /// the search did not come by them.
    fn may_be_denied(&self, step: &Step) -> Option<u32> {
        if step.words.first().is_none_or(|word| word.literal().is_some()) {
            return None;
        }
        let denies = |rule: &Compiled| {
            let speaks = |extra: &Extra| extra.command.is_some() || extra.command_glob.is_some();
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
                part.danger = self.danger_of_redirect(index, redirect);
                parts.push(part);
            }
        }
        for (at, assignment) in text.script.assignments.iter().enumerate() {
            if !self.plan.budget.spend(JUDGED) {
                return parts;
            }
            let looped = text.looped.binary_search(&at).is_ok() && closed::is_loop_name(&assignment.name);
            let appends = written(assignment.span).starts_with(&format!("{}+", assignment.name));
            let harmless = assignment.temporary && !appends && closed::is_harmless_assignment(assignment);
            let reason = if looped {
                self.reason_against_loop(index, &assignment.value)
            } else if harmless {
                None
            } else {
                Some(Reason::Assignment { name: assignment.name.clone() })
            };
            if let Some(reason) = reason {
                let span = assignment.span;
                parts.push(self.part(PartKind::Assignment, written(span), place(span), self.asks(reason)));
            }
        }
        for opaque in &text.script.opaque {
            if self.plan.budget.is_spent() {
                return parts;
            }
            let ruling = self.asks(Reason::Opaque { kind: opaque.why });
            let text = beginning(written(opaque.span));
            parts.push(self.part(PartKind::Opaque, text, place(opaque.span), ruling));
        }
        parts
    }

    /// What a loop runs over becomes the operand of its commands: it must not name what is protected.
    fn reason_against_loop(&self, text: usize, value: &Word) -> Option<Reason> {
        if let Some(text) = closed::foreign_expansion(value, &self.plan.variables) {
            return Some(Reason::Expansion { text });
        }
        let reads = self.plan.steps.iter().all(limits::reads);
        touched_in(self.plan, text, value).iter().find_map(|touched| self.context.of_path(touched, reads))
    }

    /// The decision on a redirect; `None` for one that says nothing.
    fn rule_on_redirect(&self, text: usize, redirect: &Redirect, written: &str) -> Option<Ruling> {
        let standing = closed::standing_of(redirect, &self.plan.variables);
        if let Some(cover) = self.cover.filter(|_| text == 0) {
            let reason = Reason::Rule { rule: 0 };
            return Some(Ruling { decision: Decision::Allow, reason, rule: self.cite(cover) });
        }
        let reason = Reason::Redirect { text: written.into() };
        match standing {
            Standing::Opens => Some(self.asks(reason)),
            _ if self.policy.strict_redirects => Some(self.asks(reason)),
            Standing::Inert => None,
            Standing::Reads => {
                let touched = touched_in(self.plan, text, &redirect.target);
                let of_path =
                    |path: &Touched| self.context.of_path(path, true).or_else(|| self.context.outside(path));
                let reason = touched.iter().find_map(of_path)?;
                Some(self.asks(reason))
            }
        }
    }

    /// What a redirect does to the world, whatever rules say of it.
    fn danger_of_redirect(&self, text: usize, redirect: &Redirect) -> Option<Danger> {
        let standing = closed::standing_of(redirect, &self.plan.variables);
        // Bash opens these names itself, as connections.
        if ["/dev/tcp/", "/dev/udp/"].iter().any(|name| redirect.target.prefix().starts_with(name)) {
            return Some(Danger::new(DangerLevel::Danger, DangerCode::OpensRawConnection));
        }
        let touched = || match self.plan.texts.get(text).filter(|text| text.places.is_empty()) {
            // A redirect without a command, in a text that has none.
            Some(text) => limits::touched_from(&text.start, &redirect.target),
            None => touched_in(self.plan, text, &redirect.target),
        };
        if standing != Standing::Inert && touched().iter().any(|path| self.context.is_protected(path)) {
            return Some(touches_protected());
        }
        (standing == Standing::Opens).then(|| caution(DangerCode::OpensFileByRedirect))
    }

    fn written(&self, step: &Step) -> String {
        let source = self.plan.texts.get(step.text).map_or("", |text| text.source.as_str());
        let slice = |span: Span| source.get(span.start as usize..span.end as usize).unwrap_or("");
        // A command in backticks stands in a text that was decoded first: its words have no place in the source.
        let decoded = step.words.first().is_some_and(|word| {
            let written = slice(word.span);
            word.literal().is_some() && (written.contains('`') || written.contains("$("))
        });
        if decoded {
            return command::evaluated_text(self.plan, step, false).replace(COMPUTED, "…");
        }
        // The words that braces give are written once.
        let mut spans: Vec<Span> = step.words.iter().map(|word| word.span).collect();
        spans.dedup();
        spans.into_iter().map(slice).collect::<Vec<_>>().join(" ")
    }

    fn part(&self, kind: PartKind, text: &str, span: Option<(u32, u32)>, ruling: Ruling) -> Part {
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
            if limits::is_about_protected(Some(&part.reason)) {
                danger = worse(danger.take(), Some(touches_protected()));
            }
        });
        danger = worse(fetched::runs_brought(self.plan), danger);
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
        let rank = verdict.rules.first().map_or(NONE, RuleRef::rank);
        let decider = self.policy.rules.get(rank as usize).and_then(|rule| self.policy.extra(&rule));
        verdict.wait = decider.map(|extra| extra.wait).unwrap_or_default();
        verdict.parts = parts;
    }
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

fn danger_of(danger: &sekisho_shell::programs::Danger) -> Danger {
    let level = match danger.level {
        sekisho_shell::programs::DangerLevel::Caution => DangerLevel::Caution,
        sekisho_shell::programs::DangerLevel::Danger => DangerLevel::Danger,
    };
    Danger::new(level, danger.code)
}
