//! May this call run?

use std::borrow::Cow;

use sekisho_shell::Budget;
use smallvec::{SmallVec, smallvec};

use crate::actions::{Action, Does, actions};
use crate::call::Call;
use crate::cite::RuleRef;
use crate::danger::touches_protected;
use crate::descriptor::Descriptor;
use crate::globs;
use crate::layer::Reads;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::rule::{Effect, LayerKind};
use crate::search::{Found, NONE, ReadOnly, View, search};
use crate::shell::{self, Asked, Start};
use crate::strictest::{Notes, Strictest};
use crate::surroundings::{Fact, Facts, Need, Surroundings};
use crate::target::{PathTarget, Searched, file_urls, paths_of, searched, searched_below};
use crate::text_field::{text_of, texts_of};
use crate::tools::{self, Tool, ToolKind};
use crate::trace::{Considered, Listening, Outcome, Silent, Sink};
use crate::unread;
use crate::verdict::{Danger, DangerCode, DangerLevel, Decision, Part, Verdict, Wait};

/// The canonical tool of what is described to search directories.
const SEARCHES: &str = "grep";

/// The facts to look up before judging a call. What is not looked up is unknown, and unknown never allows.
pub fn needs(policy: &Policy, call: &Call) -> Vec<Need> {
    match call.descriptor() {
        None => needs_by_name(policy, call),
        Some(described) => needs_of_actions(policy, call, described.tool()),
    }
}

/// What a call needs by the table of known tools.
fn needs_by_name(policy: &Policy, call: &Call) -> Vec<Need> {
    let paths = match tools::by_name(&call.tool) {
        Some(tool) if tool.kind == ToolKind::Shell => {
            let text = text_of(tool, &call.input);
            let needs = |text: Cow<'_, str>| shell::needs(policy, (&text, Budget::DEFAULT), &Start::of(call));
            return text.map(needs).unwrap_or_default();
        }
        Some(tool) if tool.kind.is_file() => paths_of(tool, call, None),
        Some(tool) if tool.kind == ToolKind::Web => file_urls(tool, &call.input),
        _ => Vec::new(),
    };
    needs_of_paths(policy, &paths, searched(call, None))
}

fn needs_of_paths(policy: &Policy, paths: &[PathTarget], searched: Option<Searched>) -> Vec<Need> {
    let mut needs: Vec<Need> = paths.iter().flat_map(PathTarget::needs).collect();
    let known = paths.iter().filter_map(PathTarget::known).flatten();
    let by_contents = known.filter(|path| policy.protected.depends_on_contents(path));
    needs.extend(by_contents.map(|path| Need::Contents(path.into())));
    let searched = searched.into_iter().flat_map(|searched| searched.places);
    needs.extend(searched.flatten().map(Need::Files));
    needs
}

/// What the actions of a described call need; where they are only claimed, also what the call needs without them.
fn needs_of_actions(policy: &Policy, call: &Call, descriptor: &Descriptor) -> Vec<Need> {
    let mut needs = match call.proven_descriptor() {
        Some(_) => Vec::new(),
        None => needs_by_name(policy, call),
    };
    for action in actions(call, descriptor, None).iter().filter(|action| !action.tightens) {
        needs.extend(match &action.does {
            Does::Runs(text, units) => shell::needs(policy, (text, *units), &Start::of(call)),
            Does::RunsUnknown(_) => Vec::new(),
            Does::Touches { paths, .. } => {
                let searched = (action.tool == Some(SEARCHES)).then(|| searched_below(paths));
                needs_of_paths(policy, paths, searched)
            }
        });
    }
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// Decides a call. Total and pure: every call gets a verdict with a reason, and the same one each time.
pub fn judge(policy: &Policy, call: &Call, around: &Surroundings) -> Verdict {
    judge_with(policy, call, around, &mut Silent)
}

/// Decides a call and tells which other rules had to do with it, strongest first.
pub fn judge_and_trace(policy: &Policy, call: &Call, around: &Surroundings) -> (Verdict, Vec<Considered>) {
    let (verdict, listening) = judge_listening(policy, call, around);
    (verdict, listening.finish(&policy.table))
}

pub(crate) fn judge_listening(policy: &Policy, call: &Call, around: &Surroundings) -> (Verdict, Listening) {
    let mut listening = Listening::default();
    let verdict = judge_with(policy, call, around, &mut listening);
    (verdict, listening)
}

fn judge_with<S: Sink>(policy: &Policy, call: &Call, around: &Surroundings, sink: &mut S) -> Verdict {
    match call.descriptor() {
        None => judge_view(policy, &View::new(call, around), None, sink),
        Some(described) => judge_actions(policy, call, described.tool(), around, sink),
    }
}

/// Decides a call by what its tool is described to do: the strictest of its actions. Where that is only claimed, the call as
/// it is without a descriptor is judged as well.
fn judge_actions<S: Sink>(
    policy: &Policy,
    call: &Call,
    descriptor: &Descriptor,
    around: &Surroundings,
    sink: &mut S,
) -> Verdict {
    let proven = call.proven_descriptor().is_some();
    let actions = actions(call, descriptor, around.home.as_deref());
    // The parts of a text say where they stand in it, and only a text that is alone is shown.
    let one_text = proven && actions.len() == 1;
    let judge_action = |action: &Action<'_>, notes: &mut Notes<S>| {
        let view = View::of_action(call, around, action);
        let mut verdict = judge_view(policy, &view, Some(action), notes);
        if !one_text {
            verdict.parts.iter_mut().for_each(without_place);
        }
        verdict
    };
    let (first, further) = match actions.split_first() {
        Some((first, further)) if proven => (Some(first), further),
        _ => (None, actions.as_slice()),
    };
    let mut strictest = Strictest::of(|notes| match first {
        Some(action) => judge_action(action, notes),
        None => judge_view(policy, &View::new(call, around), None, notes),
    });
    for action in further {
        if action.tightens {
            strictest.and_if_ruled(|notes| judge_action(action, notes));
        } else {
            strictest.and(|notes| judge_action(action, notes));
        }
    }
    strictest.finish(sink)
}

fn without_place(part: &mut Part) {
    part.span = None;
    part.parts.iter_mut().for_each(without_place);
}

/// Decides a call, or one action of a described call.
fn judge_view<S: Sink>(
    policy: &Policy,
    view: &View<'_>,
    action: Option<&Action<'_>>,
    sink: &mut S,
) -> Verdict {
    let around = view.around;
    let mut verdict = Verdict {
        decision: Decision::Deny,
        reasons: SmallVec::new(),
        rules: SmallVec::new(),
        danger: danger_of(view),
        wait: Wait::default(),
        parts: Vec::new(),
        facts: facts_of(view),
    };
    let protected = protected_path(policy, view);
    if matches!(protected, Some(Reason::ProtectedPath { .. } | Reason::ProtectedAmong { .. })) {
        verdict.danger = touches_protected();
    }
    if let Some(broken) = policy.broken.iter().find(|broken| broken.kind <= LayerKind::Global) {
        verdict.reasons.push(Reason::ConfigBroken { layer: broken.kind, error: broken.error.clone() });
        return verdict;
    }
    if let Some(tool) = view.tool.filter(|tool| tool.kind == ToolKind::Shell) {
        judge_command(policy, view, (tool, action), &mut verdict, sink);
    } else {
        let found = search(policy, view, Asked::Unread, sink);
        decide(policy, view, found, &mut verdict, sink);
        if verdict.decision == Decision::Allow {
            limit_allow(policy, view, protected, &mut verdict);
        }
    }
    if let Some(problem) = action.and_then(|action| action.problem.clone()) {
        ask_first(&mut verdict, problem);
    }
    if verdict.decision < Decision::Deny
        && let Some(broken) = policy.broken.first()
    {
        let reason = Reason::ConfigBroken { layer: broken.kind, error: broken.error.clone() };
        tighten(&mut verdict, Decision::Confirm, reason);
    }
    if verdict.decision == Decision::Confirm && !around.can_confirm {
        tighten(&mut verdict, Decision::Deny, Reason::NobodyCanConfirm);
    }
    verdict
}

/// Judges what a shell tool would run.
fn judge_command<S: Sink>(
    policy: &Policy,
    view: &View<'_>,
    (tool, action): (&Tool, Option<&Action<'_>>),
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let input = &view.call.input;
    match action.map(|action| &action.does) {
        Some(Does::Runs(text, units)) => shell::judge(policy, view, (text, *units), verdict, sink),
        Some(Does::RunsUnknown(named)) => judge_unread(policy, view, named, verdict, sink),
        // With an empty command, another field may hold the one that counts.
        Some(Does::Touches { .. }) | None => {
            match text_of(tool, input).filter(|text| !text.trim().is_empty()) {
                Some(text) => shell::judge(policy, view, (&text, Budget::DEFAULT), verdict, sink),
                None => judge_unread(policy, view, &texts_of(tool, input), verdict, sink),
            }
        }
    }
}

/// Judges a call to a shell tool whose input has no one text: at least a question.
fn judge_unread<S: Sink>(
    policy: &Policy,
    view: &View<'_>,
    named: &[Cow<'_, str>],
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let Some(found) = unread::judge(policy, view, named, verdict, sink) else { return };
    decide(policy, view, found, verdict, sink);
    if verdict.reasons.as_slice() == [Reason::NoRule] {
        verdict.reasons = smallvec![Reason::ShellUnread];
    } else if !verdict.reasons.contains(&Reason::ShellUnread) {
        tighten(verdict, Decision::Confirm, Reason::ShellUnread);
    }
}

/// The decision by rules alone.
fn decide<S: Sink>(policy: &Policy, view: &View<'_>, found: Found, verdict: &mut Verdict, sink: &mut S) {
    let rule = policy.rules.get(found.best as usize).filter(|_| found.best != NONE);
    let denied = rule.is_some_and(|rule| rule.effect == Effect::Deny);
    let (decision, reason, cited) = match rule {
        _ if found.exhausted && !denied => (Decision::Confirm, Reason::WorkLimit, None),
        _ if found.doubt != NONE && !denied => {
            let unread = view.kind() == ToolKind::Shell;
            let reason = if unread { Reason::ShellUnread } else { Reason::NotEvaluated { rule: 0 } };
            (Decision::Confirm, reason, Some(found.doubt))
        }
        Some(rule) => {
            sink.saw(found.best, Outcome::Decided);
            verdict.wait = policy.extra(&rule).map(|extra| extra.wait).unwrap_or_default();
            (rule.effect.into(), Reason::Rule { rule: 0 }, Some(found.best))
        }
        None => (Decision::Confirm, Reason::NoRule, None),
    };
    verdict.decision = decision;
    verdict.reasons = smallvec![reason];
    verdict.rules = cited.map(|rank| RuleRef::new(&policy.table, rank)).into_iter().collect();
}

/// What no allow covers: protected paths, files that cannot be told. Then what built-in allows do not cover.
fn limit_allow(policy: &Policy, view: &View<'_>, protected: Option<Reason>, verdict: &mut Verdict) {
    // What an MCP server does with a field called `path` is its own affair.
    let foreign = view.call.server.is_some();
    let unknown = |target: &PathTarget| target.readings(&view.around.facts).any(|path| path.is_none());
    let listed = verdict.rules.first().is_some_and(|rule| rule.layer() == LayerKind::BuiltIn);
    if let Some(reason) = protected {
        tighten(verdict, Decision::Confirm, reason);
    } else if !foreign && view.paths().iter().any(unknown) {
        tighten(verdict, Decision::Confirm, Reason::PathUnknown);
    } else if listed && let Some(reason) = limit_of_list(policy, view) {
        tighten(verdict, Decision::Confirm, reason);
    }
}

/// Why a file tool that is on the built-in list is asked about all the same. The shell's readers have the same limits.
fn limit_of_list(policy: &Policy, view: &View<'_>) -> Option<Reason> {
    let outside = || view.outside_workspace().filter(|_| policy.reads == Reads::Workspace);
    let walked = || view.walks_home().filter(|_| view.kind() == ToolKind::Search);
    if let Some(path) = outside() {
        return Some(Reason::OutsideWorkspace { path: path.into() });
    }
    walked().map(|path| Reason::WalksHome { path: path.into() })
}

/// The first protected path among the call's.
fn protected_path(policy: &Policy, view: &View<'_>) -> Option<Reason> {
    let (root, home) = (view.around.root.as_deref(), view.around.home.as_deref());
    let readings = view.paths().iter().flat_map(|target| target.readings(&view.around.facts));
    let named = readings.flatten().find_map(|path| {
        let pattern = policy.protected.named(path, &view.around.facts, root, home)?;
        Some(Reason::ProtectedPath { path: path.into(), pattern: pattern.into() })
    });
    named.or_else(|| searched_path(policy, view))
}

/// How many bytes of globs are held against protected names; eight more count for each.
const MOST_COMPARED: usize = 4096;

/// Why the files that a search tool would look into are not opened without a question.
fn searched_path(policy: &Policy, view: &View<'_>) -> Option<Reason> {
    let home = view.around.home.as_deref();
    let searched = match view.described {
        None => searched(view.call, home),
        Some(_) => view.tool.filter(|tool| tool.name == SEARCHES).map(|_| searched_below(view.paths())),
    }?;
    let mut compared = 0;
    let meant = searched.globs.iter().find_map(|glob| {
        // Where they cannot be told, all files are searched.
        let names = globs::last_names(glob).unwrap_or_default();
        compared += names.iter().map(|name| 8 + name.len()).sum::<usize>();
        if compared > MOST_COMPARED {
            return Some(Reason::PathUnknown);
        }
        names.iter().find_map(|name| {
            let pattern = policy.protected.named_by(name).filter(|pattern| *pattern != "*")?;
            Some(Reason::ProtectedPath { path: glob.clone(), pattern: pattern.into() })
        })
    });
    meant.or_else(|| searched.climbs.then_some(Reason::PathUnknown)).or_else(|| {
        searched.places.iter().flatten().find_map(|search| {
            match view.around.facts.answer(&Need::Files(search.clone()), home) {
                Some(Fact::Files(found)) => found.reason(search, true),
                _ => Some(Reason::PathUnknown),
            }
        })
    })
}

/// Makes a verdict stricter, the new reason first.
fn tighten(verdict: &mut Verdict, decision: Decision, reason: Reason) {
    if verdict.decision < decision {
        verdict.decision = decision;
        verdict.reasons.insert(0, reason);
    } else {
        verdict.reasons.push(reason);
    }
}

/// Makes a verdict a question, if it is no deny, the new reason first.
fn ask_first(verdict: &mut Verdict, reason: Reason) {
    if verdict.decision == Decision::Deny {
        verdict.reasons.push(reason);
    } else {
        verdict.decision = Decision::Confirm;
        verdict.reasons.insert(0, reason);
    }
}

/// The facts about the call's own paths, as far as they were looked up.
fn facts_of(view: &View<'_>) -> Facts {
    if view.around.facts.is_empty() { Facts::default() } else { view.around.facts.clone() }
}

fn danger_of(view: &View<'_>) -> Danger {
    let (level, code) = match view.kind() {
        ToolKind::Read | ToolKind::Search if view.described == Some(ReadOnly(false)) => {
            (DangerLevel::Caution, DangerCode::ReadsAndMayChange)
        }
        _ if view.call.server.is_some() && view.described.is_none() => {
            (DangerLevel::Caution, DangerCode::UnknownServerTool)
        }
        ToolKind::Notes => (DangerLevel::None, DangerCode::StaysInConversation),
        ToolKind::Read | ToolKind::Search => (DangerLevel::None, DangerCode::ReadsFiles),
        ToolKind::Skill => (DangerLevel::None, DangerCode::LoadsInstructions),
        ToolKind::Write => (DangerLevel::Caution, DangerCode::ChangesFiles),
        ToolKind::Web | ToolKind::WebSearch => (DangerLevel::Caution, DangerCode::ReachesNetwork),
        ToolKind::Shell => (DangerLevel::Caution, DangerCode::RunsPrograms),
        ToolKind::Other => (DangerLevel::Caution, DangerCode::UnknownTool),
    };
    Danger::new(level, code)
}
