//! Finding the rule that decides a call.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use smallvec::SmallVec;

use crate::actions::{Action, Does};
use crate::call::Call;
use crate::command_pattern::basename;
use crate::extra::Extra;
use crate::fit::Fit;
use crate::hosts::{HostTarget, hosts_of};
use crate::index::{Entries, Entry, Index, Shown};
use crate::paths::{PathGlob, is_within};
use crate::pattern::{Folded, matches};
use crate::policy::{Compiled, Policy};
use crate::rule::{Effect, LayerKind};
use crate::shell::{Asked, Step, fit as shell_fit};
use crate::surroundings::Surroundings;
use crate::target::{PathTarget, file_urls, paths_of};
use crate::text_field::{text_of, texts_of};
use crate::tools::{self, TOOLS, Tool, ToolKind};
use crate::trace::{Outcome, Sink};

/// How many comparisons one call may cost before only denies are looked for. An everyday call costs a handful.
const WORK_LIMIT: u32 = 1 << 16;

/// What one comparison costs of the budget for a shell text.
const COMPARISON: usize = 16;
/// How many bytes a glob is held against in the time of one comparison.
const BYTES: usize = 64;

/// No rule.
pub(crate) const NONE: u32 = u32::MAX;

/// A call with what is known about it, worked out once and only if a rule asks.
pub(crate) struct View<'a> {
    pub(crate) call: &'a Call,
    pub(crate) around: &'a Surroundings,
    pub(crate) tool: Option<&'static Tool>,
    canonical: Option<usize>,
    folded: Folded<'a>,
    paths: OnceCell<Vec<PathTarget>>,
    hosts: OnceCell<Vec<HostTarget>>,
    /// One action of a described call, and whether its tool is said to change nothing.
    pub(crate) described: Option<ReadOnly>,
}

/// Whether a tool is said to change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadOnly(pub(crate) bool);

impl<'a> View<'a> {
    pub(crate) fn new(call: &'a Call, around: &'a Surroundings) -> View<'a> {
        let canonical = tools::index_of(&call.tool);
        View {
            call,
            around,
            tool: canonical.and_then(|index| TOOLS.get(index)),
            canonical,
            folded: Folded::new(&call.tool),
            paths: OnceCell::new(),
            hosts: OnceCell::new(),
            described: None,
        }
    }

    /// One action of a described call: the call under its own name and that of the canonical tool that does this.
    pub(crate) fn of_action(call: &'a Call, around: &'a Surroundings, action: &Action<'_>) -> View<'a> {
        let canonical = action.tool.and_then(tools::index_of);
        let (paths, hosts) = match &action.does {
            Does::Touches { paths, hosts } => (paths.clone(), hosts.clone()),
            Does::Runs(..) | Does::RunsUnknown(_) => (Vec::new(), Vec::new()),
        };
        View {
            tool: canonical.and_then(|index| TOOLS.get(index)),
            canonical,
            paths: OnceCell::from(paths),
            hosts: OnceCell::from(hosts),
            described: Some(ReadOnly(action.read_only)),
            ..View::new(call, around)
        }
    }

    pub(crate) fn kind(&self) -> ToolKind {
        self.tool.map_or(ToolKind::Other, |tool| tool.kind)
    }

    fn shown(&self) -> Shown<'_> {
        Shown {
            name: &self.call.tool,
            folded: self.folded.bytes(),
            canonical: self.canonical,
            server: self.call.server.as_ref().map(|server| server.id.as_str()),
        }
    }

    /// The paths a call names, to a file tool or as a `file:` URL; none for other tools.
    pub(crate) fn paths(&self) -> &[PathTarget] {
        self.paths.get_or_init(|| match self.tool {
            Some(tool) if tool.kind.is_file() => paths_of(tool, self.call, self.around.home.as_deref()),
            Some(tool) if tool.kind == ToolKind::Web => file_urls(tool, &self.call.input),
            _ => Vec::new(),
        })
    }

    /// Whether the tool surely has nothing that `speaks` of: a note has no path. An MCP server's tool may have anything.
    fn lacks(&self, speaks: fn(ToolKind) -> bool) -> bool {
        let kind = self.kind();
        self.call.server.is_none() && kind != ToolKind::Other && !speaks(kind)
    }

    /// How a glob holds over everything the call's paths may turn out to be.
    fn fits_path(&self, glob: &PathGlob, wide: bool) -> Fit {
        let (root, home) = (self.around.root.as_deref(), self.around.home.as_deref());
        let touches = |kind: ToolKind| kind.is_file() || kind == ToolKind::Shell;
        if self.paths().is_empty() && self.lacks(touches) {
            return Fit::No;
        }
        let readings = self.paths().iter().flat_map(|target| target.readings(&self.around.facts));
        Fit::over(wide, readings.map(|path| path.map_or(Fit::Unknown, |path| glob.fit(path, root, home))))
    }

    /// The first path of the call that leads out of the workspace, by whatever links. Without a root nothing lies in it.
    pub(crate) fn outside_workspace(&self) -> Option<&str> {
        let root = self.around.root.as_deref();
        let outside = |path: &&str| root.is_none_or(|root| !is_within(path, root));
        let ends = self.paths().iter().flat_map(|target| target.led_to(&self.around.facts));
        ends.flatten().find(outside)
    }

    /// The first path of the call from which a walk would come through the home directory and what is kept there.
    pub(crate) fn walks_home(&self) -> Option<&str> {
        let home = self.around.home.as_deref()?;
        let starts = self.paths().iter().flat_map(|target| target.readings(&self.around.facts));
        starts.flatten().find(|path| is_within(home, path))
    }

    fn hosts(&self) -> &[HostTarget] {
        self.hosts.get_or_init(|| match self.tool {
            Some(tool) if tool.kind == ToolKind::Web => hosts_of(tool, &self.call.input),
            _ => Vec::new(),
        })
    }
}

/// What a search came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The strongest matching rule, or [`NONE`].
    pub(crate) best: u32,
    /// A deny or confirm that could not be evaluated and would decide if it matched, or [`NONE`].
    pub(crate) doubt: u32,
    /// The work limit was reached; denies were searched to the end all the same.
    pub(crate) exhausted: bool,
}

/// Searches a policy for the rule that decides.
pub(crate) fn search<S: Sink>(policy: &Policy, view: &View<'_>, asked: Asked<'_>, sink: &mut S) -> Found {
    let mut search = Search::new(policy, view, asked, sink);
    search.run(&policy.index, Purpose::Decide);
    let mut found = search.found();
    // A managed confirm yields to managed allows only.
    let loosened = found.best >= policy.denies
        && policy
            .rules
            .get(found.best as usize)
            .is_some_and(|rule| rule.effect == Effect::Allow && rule.layer != LayerKind::Managed);
    if let Some(managed) = policy.managed.as_ref().filter(|_| loosened) {
        let mut search = Search::new(policy, view, asked, sink);
        search.run(managed, Purpose::Decide);
        let among = search.found();
        let confirms =
            policy.rules.get(among.best as usize).is_some_and(|rule| rule.effect == Effect::Confirm);
        if confirms {
            found.best = among.best;
        }
        found.doubt = found.doubt.min(among.doubt);
        found.exhausted |= among.exhausted;
    }
    if S::ALL {
        Search::new(policy, view, asked, sink).run(&policy.inert, Purpose::Explain);
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Decide,
    /// The rules do not count; they are only written down.
    Explain,
}

struct Search<'a, S> {
    policy: &'a Policy,
    view: &'a View<'a>,
    asked: Asked<'a>,
    sink: &'a mut S,
    best: u32,
    doubt: u32,
    work: u32,
    /// What holding a glob against what is asked costs.
    glob_work: u32,
    /// Work on rules that can no longer decide: the trace's own, so that listening never changes a verdict.
    aside: u32,
}

impl<'a, S: Sink> Search<'a, S> {
    fn new(policy: &'a Policy, view: &'a View<'a>, asked: Asked<'a>, sink: &'a mut S) -> Search<'a, S> {
        let size = match asked {
            Asked::Whole(plan) => plan.size(),
            // What is computed may become anything, which is costly to hold against a glob.
            Asked::Step(_, step) if step.words.iter().any(|word| word.literal().is_none()) => {
                step.size * BYTES
            }
            Asked::Step(_, step) => step.size,
            Asked::Raw(_) | Asked::Unread => 0,
        };
        let glob_work = u32::try_from(size / BYTES).unwrap_or(u32::MAX);
        Search { policy, view, asked, sink, best: NONE, doubt: NONE, work: 0, glob_work, aside: 0 }
    }

    fn found(&self) -> Found {
        let doubt = if self.doubt < self.best { self.doubt } else { NONE };
        Found { best: self.best, doubt, exhausted: self.work > WORK_LIMIT }
    }

    fn run(&mut self, index: &Index, purpose: Purpose) {
        let view = self.view;
        let shown = view.shown();
        index.visit(&shown, |entries| self.consider(entries, shown.folded, Effect::Allow, purpose));
        if let Asked::Step(_, step) = self.asked {
            for program in programs_of(step) {
                index.visit_program(&program, shown.server, |entries| {
                    self.consider_commands(entries, purpose)
                });
            }
        }
        if let Asked::Raw(raw) = self.asked {
            let mut seen = BTreeSet::new();
            raw.each_name(|name| {
                if let Some(number) = index.program_number(name).filter(|number| seen.insert(*number)) {
                    index.visit_program_number(number, shown.server, |entries| {
                        self.consider_commands(entries, purpose);
                    });
                }
            });
        }
        // Deny and confirm patterns also see a known tool by its canonical name: `web_*` stops `WebFetch`.
        if let Some(tool) = view.tool.filter(|tool| tool.name != view.call.tool) {
            let folded = tool.name.as_bytes();
            index.visit_alias(folded, shown.server, |entries| {
                self.consider(entries, folded, Effect::Confirm, purpose);
            });
        }
    }

    /// Looks through the rules under one atom, strongest first. Rules looser than `least` are passed over.
    #[inline]
    fn consider(&mut self, entries: &Entries, name: &[u8], least: Effect, purpose: Purpose) {
        for entry in entries.iter().copied().map(Entry::of) {
            let rank = entry.rank();
            let idle = rank >= self.best;
            let spent =
                (if idle { self.aside } else { self.work }) > WORK_LIMIT && rank >= self.policy.denies;
            if (!S::ALL && idle) || spent || self.is_too_much() {
                self.sink.gives_up();
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

    /// Looks through the rules filed under a program's name. Which tool they speak of is still to be checked.
    fn consider_commands(&mut self, entries: &Entries, purpose: Purpose) {
        for entry in entries.iter().copied().map(Entry::of) {
            let rank = entry.rank();
            let spent = self.work > WORK_LIMIT && rank >= self.policy.denies;
            if (!S::ALL && rank >= self.best) || spent || self.is_too_much() {
                self.sink.gives_up();
                return;
            }
            let Some(rule) = self.policy.rules.get(rank as usize) else { return };
            self.spend(rank >= self.best, 1);
            if self.policy.extra(&rule).is_some_and(|extra| self.names_tool(&rule, extra)) {
                self.weigh(rank, &rule, purpose);
            }
        }
    }

    /// Whether a rule's `tool` or `tool_pattern` covers the call.
    fn names_tool(&self, rule: &Compiled, extra: &Extra) -> bool {
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
            || extra.is_lost()
            || shown(view.folded.bytes())
            || (wide && view.tool.is_some_and(|tool| shown(tool.name.as_bytes())))
    }

    /// The text costs more than it may: whatever is found does not count, so nothing more is looked for.
    fn is_too_much(&self) -> bool {
        matches!(self.asked, Asked::Whole(plan) | Asked::Step(plan, _) if plan.budget.is_spent())
    }

    /// Counts work; denies are searched past the limit, so the count must hold.
    #[inline]
    fn spend(&mut self, idle: bool, work: u32) {
        if let (false, Asked::Whole(plan) | Asked::Step(plan, _)) = (idle, self.asked) {
            plan.budget.spend((work as usize).saturating_mul(COMPARISON));
        }
        let purse = if idle { &mut self.aside } else { &mut self.work };
        *purse = purse.saturating_add(work);
    }

    /// A rule whose name fits: does the rest?
    #[inline]
    fn weigh(&mut self, rank: u32, rule: &Compiled, purpose: Purpose) {
        let view = self.view;
        if rule.effect == Effect::Allow
            && rule.names_server
            && !view.call.server.as_ref().is_some_and(|s| s.proven)
        {
            self.sink.saw(rank, Outcome::Unproven);
            return;
        }
        let extra = self.policy.extra(rule);
        let fit = extra.map_or(Fit::Yes, |extra| {
            let glob = if extra.command_glob.is_some() { self.glob_work } else { 0 };
            self.spend(rank >= self.best, 4 + glob);
            self.fits(extra, rule.effect, rule.layer, rank)
        });
        match fit {
            Fit::No => {}
            _ if purpose == Purpose::Explain => self.sink.saw(rank, Outcome::CannotLoosen),
            Fit::Yes => {
                self.sink.saw(rank, Outcome::Outranked);
                self.best = self.best.min(rank);
            }
            // What only an MCP server understands is asked about by people's rules, not by the shipped ones.
            Fit::Unknown if rule.layer == LayerKind::BuiltIn && view.call.server.is_some() => {}
            Fit::Unknown => {
                self.sink.saw(rank, Outcome::NotEvaluated);
                if rule.effect.is_wide() {
                    self.doubt = self.doubt.min(rank);
                }
            }
        }
    }

    fn fits(&mut self, extra: &Extra, effect: Effect, layer: LayerKind, rank: u32) -> Fit {
        let (view, wide) = (self.view, effect.is_wide());
        if let Some(expected) = &extra.agent {
            match &view.call.agent {
                Some(agent) if *agent.id == **expected && (wide || agent.proven) => {}
                Some(agent) if *agent.id == **expected => {
                    self.sink.saw(rank, Outcome::Unproven);
                    return Fit::No;
                }
                _ => return Fit::No,
            }
        }
        if extra.expires_at.is_some_and(|end| end <= view.around.now) {
            self.sink.saw(rank, Outcome::Expired);
            return Fit::No;
        }
        let mut fit = if extra.unreadable { Fit::Unknown } else { Fit::Yes };
        if let Some(glob) = &extra.path {
            fit = fit.and(view.fits_path(glob, wide));
        }
        if let Some(host) = &extra.host {
            let fits = view.hosts().iter().map(|target| host.fit(target, wide));
            let lacks = view.lacks(|kind| matches!(kind, ToolKind::Web | ToolKind::Shell));
            fit = fit.and(if lacks { Fit::No } else { Fit::over(wide, fits) });
        }
        if let Some(skill) = &extra.skill {
            let lacks = view.lacks(|kind| kind == ToolKind::Skill);
            let unknown = if lacks { Fit::No } else { Fit::Unknown };
            let named = view.tool.filter(|tool| tool.kind == ToolKind::Skill).map(|tool| {
                let input = &view.call.input;
                match text_of(tool, input) {
                    Some(name) => Fit::of(*name == **skill),
                    // Of several names the tool may take any.
                    None if wide && texts_of(tool, input).iter().any(|name| **name == **skill) => Fit::Yes,
                    None => unknown,
                }
            });
            fit = fit.and(named.unwrap_or(unknown));
        }
        if (extra.command.is_some() || extra.command_glob.is_some())
            && view.lacks(|kind| kind == ToolKind::Shell)
        {
            return Fit::No;
        }
        let listed = layer == LayerKind::BuiltIn;
        fit.and(shell_fit(extra.command.as_ref(), extra.command_glob.as_ref(), effect, listed, self.asked))
    }
}

/// Every name under which a rule about this command may be filed.
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
    let readings = std::iter::once(&step.reading.leading).chain(&step.reading.leading_alternatives);
    readings.filter_map(|words| words.first()).for_each(|word| add(word));
    names
}

#[cfg(test)]
mod tests {
    use crate::{Call, Decision, Layer, LayerKind, Layers, Policy, Reason, Rule, Surroundings, judge};

    #[test]
    fn work_that_would_overflow_its_count_is_still_too_much() {
        // 1024 denies that cost 2^22 each come to 2^32: a count that wraps would be back at zero.
        let rule = |pattern: &str| Rule { tool_pattern: Some(pattern.into()), ..Rule::default() };
        let mut rules = vec![(crate::Effect::Deny, rule("a*b")); 1024];
        rules.push((crate::Effect::Allow, rule("*")));
        let layer = Layer::of_rules(LayerKind::Global, "test", rules).unwrap();
        let policy = Policy::compile(Layers::from(vec![layer]));
        let name = "a".repeat(16 * ((1 << 22) - 1));
        let around = Surroundings::at(jiff::Timestamp::UNIX_EPOCH);
        let verdict = judge(&policy, &Call::new(name, serde_json::Value::Null), &around);
        assert_eq!((verdict.decision, &verdict.reasons[0]), (Decision::Confirm, &Reason::WorkLimit));
    }
}
