//! Finds the rule that decides a call.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use crate::call_targets::CallTargets;
use crate::command_field::{text_of, texts_of};
use crate::command_pattern::basename;
use crate::conditions::Conditions;
use crate::index::{Entries, Index, IndexEntry};
use crate::match_result::MatchResult;
use crate::policy::{CompiledRule, Policy};
use crate::rule::{Effect, LayerKind};
use crate::shell::{CommandSubject, Step, match_command as shell_fit};
use crate::tool_pattern::matches;
use crate::tools::{self, ToolKind, is_sub_agent_tool};
use crate::trace::{RuleOutcome, TraceSink};

/// How many comparisons one call may cost before only denies are searched. A typical call costs a handful.
const WORK_LIMIT: u32 = 1 << 16;

/// The cost of one comparison in the budget for a shell text.
const COMPARISON: usize = 16;
/// How many bytes a glob can be compared with in the time of one comparison.
const BYTES: usize = 64;

/// No rule.
pub(crate) const NO_RULE: u32 = u32::MAX;

/// The result of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleSearchOutcome {
    /// The strongest matching rule, or [`NO_RULE`].
    pub(crate) best: u32,
    /// A deny or confirm that could not be evaluated and would decide if it matched, or [`NO_RULE`].
    pub(crate) unevaluated: u32,
    /// The work limit was reached. Denies were still searched to the end.
    pub(crate) exhausted: bool,
}

/// Searches a policy for the deciding rule.
pub(crate) fn search<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    asked: CommandSubject<'_>,
    sink: &mut S,
) -> RuleSearchOutcome {
    let mut search = RuleSearch::new(policy, view, asked, sink);
    search.run(&policy.index, Purpose::Decide);
    let mut found = search.found();
    // A managed confirm yields only to managed allows.
    let loosened = found.best >= policy.denies
        && policy
            .rules
            .get(found.best as usize)
            .is_some_and(|rule| rule.effect == Effect::Allow && rule.layer != LayerKind::Managed);
    if let Some(managed) = policy.managed.as_ref().filter(|_| loosened) {
        let mut search = RuleSearch::new(policy, view, asked, sink);
        search.run(managed, Purpose::Decide);
        let among = search.found();
        let confirms =
            policy.rules.get(among.best as usize).is_some_and(|rule| rule.effect == Effect::Confirm);
        if confirms {
            found.best = among.best;
        }
        found.unevaluated = found.unevaluated.min(among.unevaluated);
        found.exhausted |= among.exhausted;
    }
    if S::ALL {
        RuleSearch::new(policy, view, asked, sink).run(&policy.inert, Purpose::Explain);
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Decide,
    /// The rules do not count; they are only traced.
    Explain,
}

struct RuleSearch<'a, S> {
    policy: &'a Policy,
    view: &'a CallTargets<'a>,
    asked: CommandSubject<'a>,
    sink: &'a mut S,
    best: u32,
    doubt: u32,
    work: u32,
    /// The cost of comparing a glob with the subject.
    glob_work: u32,
    /// Work on rules that can no longer decide. It is counted separately, so that tracing never changes a
    /// verdict.
    aside: u32,
}

impl<'a, S: TraceSink> RuleSearch<'a, S> {
    fn new(
        policy: &'a Policy,
        view: &'a CallTargets<'a>,
        asked: CommandSubject<'a>,
        sink: &'a mut S,
    ) -> RuleSearch<'a, S> {
        let size = match asked {
            CommandSubject::Whole(plan) => plan.size(),
            // Computed text may become anything, which is expensive to compare with a glob.
            CommandSubject::Step(_, step) if step.words.iter().any(|word| word.literal().is_none()) => {
                step.size * BYTES
            }
            CommandSubject::Step(_, step) => step.size,
            CommandSubject::Raw(_) | CommandSubject::Unread => 0,
        };
        let glob_work = u32::try_from(size / BYTES).unwrap_or(u32::MAX);
        RuleSearch { policy, view, asked, sink, best: NO_RULE, doubt: NO_RULE, work: 0, glob_work, aside: 0 }
    }

    fn found(&self) -> RuleSearchOutcome {
        let doubt = if self.doubt < self.best { self.doubt } else { NO_RULE };
        RuleSearchOutcome { best: self.best, unevaluated: doubt, exhausted: self.work > WORK_LIMIT }
    }

    fn run(&mut self, index: &Index, purpose: Purpose) {
        let view = self.view;
        let shown = view.shown();
        index.visit(&shown, |entries| self.consider(entries, shown.folded, Effect::Allow, purpose));
        match self.asked {
            CommandSubject::Step(_, step) => {
                for program in programs_of(step) {
                    index.visit_program(&program, shown.server, |entries| {
                        self.consider_commands(entries, purpose)
                    });
                }
            }
            CommandSubject::Raw(raw) => {
                let mut seen = BTreeSet::new();
                raw.each_name(|name| {
                    if let Some(number) = index.program_number(name).filter(|number| seen.insert(*number)) {
                        index.visit_program_number(number, shown.server, |entries| {
                            self.consider_commands(entries, purpose);
                        });
                    }
                });
            }
            CommandSubject::Whole(_) | CommandSubject::Unread => {}
        }
        // Deny and confirm patterns also match the canonical name of a known tool: `web_*` stops `WebFetch`.
        if let Some(tool) = view.tool.filter(|tool| tool.name != view.call.tool) {
            let folded = tool.name.as_bytes();
            index.visit_alias(folded, shown.server, |entries| {
                self.consider(entries, folded, Effect::Confirm, purpose);
            });
        }
    }

    /// Checks the rules of one atom, strongest first. Rules looser than `least` are skipped.
    #[inline]
    fn consider(&mut self, entries: &Entries, name: &[u8], least: Effect, purpose: Purpose) {
        for entry in entries.iter().copied().map(IndexEntry::of) {
            let rank = entry.rank();
            let idle = rank >= self.best;
            if (!S::ALL && idle) || self.has_spent(idle, rank) || self.is_too_much() {
                self.sink.work_limit_reached();
                return;
            }
            let Some(rule) = self.policy.rules.get(rank as usize) else { return };
            if rule.effect < least || (entry.is_local() && self.view.call.server.is_some()) {
                continue;
            }
            self.spend(idle, 1);
            if entry.checks_pattern() {
                self.spend(idle, u32::try_from(name.len() / 16).unwrap_or(u32::MAX));
                if !matches(self.policy.pattern(&rule), name) {
                    continue;
                }
            }
            self.weigh(rank, &rule, purpose);
        }
    }

    /// Checks the rules indexed by a program name. Their tool still has to be checked.
    fn consider_commands(&mut self, entries: &Entries, purpose: Purpose) {
        for entry in entries.iter().copied().map(IndexEntry::of) {
            let rank = entry.rank();
            if (!S::ALL && rank >= self.best) || self.has_spent(false, rank) || self.is_too_much() {
                self.sink.work_limit_reached();
                return;
            }
            let Some(rule) = self.policy.rules.get(rank as usize) else { return };
            self.spend(rank >= self.best, 1);
            if self.policy.extra(&rule).is_some_and(|extra| self.names_tool(&rule, extra)) {
                self.weigh(rank, &rule, purpose);
            }
        }
    }

    /// Whether a rule's `tool` or `tool_pattern` matches the call.
    fn names_tool(&self, rule: &CompiledRule, extra: &Conditions) -> bool {
        let (view, wide) = (self.view, rule.effect.is_wide());
        let named = extra.tool.as_deref().is_some_and(|tool| {
            let canonical = tools::canonical(tool).is_some();
            let local = view.call.server.is_none();
            let same = canonical && view.tool.is_some_and(|known| known.name == tool);
            (same && (wide || local))
                || (*tool == *view.call.tool && (wide || local || !canonical || rule.names_server))
        });
        let pattern = self.policy.pattern(rule);
        let shown = |name: &[u8]| !pattern.is_empty() && matches(pattern, name);
        named
            || extra.is_undecodable()
            || shown(view.folded.bytes())
            || (wide && view.tool.is_some_and(|tool| shown(tool.name.as_bytes())))
    }

    /// The work limit is reached for a rule of this rank. Denies are searched past it.
    #[inline]
    fn has_spent(&self, idle: bool, rank: u32) -> bool {
        (if idle { self.aside } else { self.work }) > WORK_LIMIT && rank >= self.policy.denies
    }

    /// The text exceeds its budget: results do not count any more, so the search stops.
    fn is_too_much(&self) -> bool {
        matches!(self.asked, CommandSubject::Whole(plan) | CommandSubject::Step(plan, _) if plan.budget.is_spent())
    }

    /// Counts work. Denies are searched past the limit, so the counter must not overflow.
    #[inline]
    fn spend(&mut self, idle: bool, work: u32) {
        if let (false, CommandSubject::Whole(plan) | CommandSubject::Step(plan, _)) = (idle, self.asked) {
            plan.budget.spend((work as usize).saturating_mul(COMPARISON));
        }
        let purse = if idle { &mut self.aside } else { &mut self.work };
        *purse = purse.saturating_add(work);
    }

    /// Checks the remaining conditions of a rule whose name matches.
    #[inline]
    fn weigh(&mut self, rank: u32, rule: &CompiledRule, purpose: Purpose) {
        let view = self.view;
        if rule.effect == Effect::Allow
            && rule.names_server
            && !view.call.server.as_ref().is_some_and(|s| s.proven)
        {
            self.sink.rule_seen(rank, RuleOutcome::Unproven);
            return;
        }
        // What is shipped about skills covers those that an administrator listed.
        let shipped_allow = rule.effect == Effect::Allow && rule.layer == LayerKind::BuiltIn;
        if shipped_allow && view.kind() == ToolKind::Skill && !view.call.loads_listed_skill() {
            return;
        }
        // What is shipped about sub-agents covers the tools of our own runs.
        if shipped_allow && is_sub_agent_tool(&view.call.tool) && !view.call.manages_sub_agents() {
            return;
        }
        let extra = self.policy.extra(rule);
        let fit = extra.map_or(MatchResult::Yes, |extra| {
            let glob = if extra.command_glob.is_some() { self.glob_work } else { 0 };
            self.spend(rank >= self.best, 4 + glob);
            self.fits(extra, rule.effect, rule.layer, rank)
        });
        match fit {
            MatchResult::No => {}
            _ if purpose == Purpose::Explain => self.sink.rule_seen(rank, RuleOutcome::CannotLoosen),
            MatchResult::Yes => {
                self.sink.rule_seen(rank, RuleOutcome::Outranked);
                self.best = self.best.min(rank);
            }
            // A condition on input that only an MCP server understands counts for users' rules, not for
            // shipped ones.
            MatchResult::Unknown if rule.layer == LayerKind::BuiltIn && view.call.server.is_some() => {}
            MatchResult::Unknown => {
                self.sink.rule_seen(rank, RuleOutcome::NotEvaluated);
                if rule.effect.is_wide() {
                    self.doubt = self.doubt.min(rank);
                }
            }
        }
    }

    fn fits(&mut self, extra: &Conditions, effect: Effect, layer: LayerKind, rank: u32) -> MatchResult {
        let (view, wide) = (self.view, effect.is_wide());
        if let Some(expected) = &extra.agent {
            match &view.call.agent {
                Some(agent) if *agent.id == **expected && (wide || agent.proven) => {}
                Some(agent) if *agent.id == **expected => {
                    self.sink.rule_seen(rank, RuleOutcome::Unproven);
                    return MatchResult::No;
                }
                _ => return MatchResult::No,
            }
        }
        if extra.expires_at.is_some_and(|end| end <= view.context.now) {
            self.sink.rule_seen(rank, RuleOutcome::Expired);
            return MatchResult::No;
        }
        let mut fit = if extra.unreadable { MatchResult::Unknown } else { MatchResult::Yes };
        if let Some(glob) = &extra.path {
            fit = fit.and(view.fits_path(glob, wide));
        }
        if let Some(host) = &extra.host {
            let fits = view.hosts().iter().map(|target| host.fit(target, wide));
            let lacks = view.lacks(|kind| matches!(kind, ToolKind::Web | ToolKind::Shell));
            fit = fit.and(if lacks { MatchResult::No } else { MatchResult::all_or_any(wide, fits) });
        }
        if let Some(skill) = &extra.skill {
            let lacks = view.lacks(|kind| kind == ToolKind::Skill);
            let unknown = if lacks { MatchResult::No } else { MatchResult::Unknown };
            let named = view.tool.filter(|tool| tool.kind == ToolKind::Skill).map(|tool| {
                let input = &view.call.input;
                match text_of(tool, input) {
                    Some(name) => MatchResult::of(*name == **skill),
                    // If there are several names, the tool may use any of them.
                    None if wide && texts_of(tool, input).iter().any(|name| **name == **skill) => {
                        MatchResult::Yes
                    }
                    None => unknown,
                }
            });
            fit = fit.and(named.unwrap_or(unknown));
        }
        if let Some(input) = &extra.input {
            let canonical = if wide { None } else { view.canonical_input() };
            fit = fit.and(input.fit(view.call, canonical, wide));
        }
        if (extra.command.is_some() || extra.command_glob.is_some())
            && view.lacks(|kind| kind == ToolKind::Shell)
        {
            return MatchResult::No;
        }
        let listed = layer == LayerKind::BuiltIn;
        fit.and(shell_fit(extra.command.as_ref(), extra.command_glob.as_ref(), effect, listed, self.asked))
    }
}

/// Every name by which a rule about this command may be indexed.
fn programs_of(step: &Step) -> SmallVec<[String; 2]> {
    let mut names: SmallVec<[String; 2]> = SmallVec::new();
    let mut add = |name: &str| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    if let Some(word) = step.words.first().and_then(|word| word.literal()) {
        add(&word);
        add(basename(&word));
    }
    let readings = std::iter::once(&step.profile.leading_words).chain(&step.profile.leading_alternatives);
    readings.filter_map(|words| words.first()).for_each(|word| add(word));
    names
}

#[cfg(test)]
mod tests {
    use crate::{Call, Decision, JudgeContext, Layer, LayerKind, Layers, Policy, Reason, Rule, judge};

    #[test]
    fn input_matches_whatever_its_order_blanks_and_numbers() {
        let rule =
            |input: &str| Rule { tool: Some("frob".into()), input: Some(input.into()), ..Rule::default() };
        let decide = |effect, input: &str, call: serde_json::Value| {
            let layer = Layer::from_rules(LayerKind::Global, "test", vec![(effect, rule(input))]).unwrap();
            let policy = Policy::compile(Layers::from(vec![layer]));
            judge(&policy, &Call::new("frob", call), &JudgeContext::at(jiff::Timestamp::UNIX_EPOCH)).decision
        };
        let call = || serde_json::json!({ "a": 1, "b": [true, "x"] });
        for (input, is_same, is_contained) in [
            (r#"{"a":1,"b":[true,"x"]}"#, true, true),
            (r#"{ "b": [ true, "x" ], "a": 1 }"#, true, true),
            (r#"{"a":1.0,"b":[true,"x"]}"#, true, true),
            (r#"{"a":1}"#, false, true),
            (r#"{"a":1,"b":["x",true]}"#, false, false),
            (r#"{"a":1,"c":null}"#, false, false),
        ] {
            let allowed = decide(crate::Effect::Allow, input, call());
            assert_eq!(allowed == Decision::Allow, is_same, "{input}");
            let denied = decide(crate::Effect::Deny, input, call());
            assert_eq!(denied == Decision::Deny, is_contained, "{input}");
        }
        for mistake in ["{", "", "{'a': 1}", "[1]", r#"{"a":1,"a":2}"#] {
            let refused =
                Layer::from_rules(LayerKind::Global, "test", vec![(crate::Effect::Allow, rule(mistake))]);
            assert!(refused.is_err(), "{mistake}");
        }
    }

    #[test]
    fn work_counter_does_not_overflow() {
        // 1024 denies that cost 2^22 each add up to 2^32: a wrapping counter would be back at zero.
        let rule = |pattern: &str| Rule { tool_pattern: Some(pattern.into()), ..Rule::default() };
        let mut rules = vec![(crate::Effect::Deny, rule("a*b")); 1024];
        rules.push((crate::Effect::Allow, rule("*")));
        let layer = Layer::from_rules(LayerKind::Global, "test", rules).unwrap();
        let policy = Policy::compile(Layers::from(vec![layer]));
        let name = "a".repeat(16 * ((1 << 22) - 1));
        let context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        let verdict = judge(&policy, &Call::new(name, serde_json::Value::Null), &context);
        assert_eq!((verdict.decision, &verdict.reasons[0]), (Decision::Confirm, &Reason::WorkLimit));
    }
}
