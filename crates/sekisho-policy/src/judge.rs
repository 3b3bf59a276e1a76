//! Decides whether a call may run.

use std::borrow::Cow;

use sekisho_shell::Budget;
use smallvec::{SmallVec, smallvec};

use crate::ambiguous_command_input;
use crate::automation_files::is_automation_file;
use crate::call::Call;
use crate::call_paths::{PathTarget, file_urls, paths_of};
use crate::call_targets::{CallTargets, ReadOnly};
use crate::command_field::{text_of, texts_of};
use crate::danger::protected_path_danger;
use crate::descriptor::Descriptor;
use crate::descriptor_actions::{Action, ActionKind, actions};
use crate::facts::{Fact, FactQuery, Facts};
use crate::git_ops;
use crate::judge_context::JudgeContext;
use crate::layer::Reads;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::rule::{Effect, LayerKind};
use crate::rule_ref::RuleRef;
use crate::rule_search::{NO_RULE, RuleSearchOutcome, search};
use crate::shell::{self, AnalysedText, CommandSubject, ShellInvocation};
use crate::strictest_verdict::{StrictestVerdict, TraceBuffer};
use crate::tool_globs;
use crate::tool_search::{ToolSearch, searched_below, tool_search};
use crate::tools::{self, Tool, ToolKind};
use crate::trace::{ConsideredRule, NoTrace, RuleOutcome, TraceCollector, TraceSink};
use crate::verdict::{Danger, DangerCode, DangerLevel, Decision, Part, Verdict, Wait};

/// The canonical tool for descriptors that search directories.
const SEARCHES: &str = "grep";

/// The facts to look up before judging a call. A fact that is not looked up is unknown, and unknown never
/// allows.
pub fn required_facts(policy: &Policy, call: &Call) -> Vec<FactQuery> {
    match call.descriptor() {
        None => queries_by_name(policy, call),
        Some(described) => action_queries(policy, call, described.tool()),
    }
}

/// The analysis of a call's shell text, made for its facts.
#[derive(Default)]
pub struct CallAnalysis(Option<Box<AnalysedText>>);

/// Like [`required_facts`], and keeps the analysis of a shell text for [`judge_analysed`].
pub fn required_facts_and_analysis(policy: &Policy, call: &Call) -> (Vec<FactQuery>, CallAnalysis) {
    let (queries, analysed) = match call.descriptor() {
        None => facts_by_name(policy, call),
        Some(_) => (required_facts(policy, call), None),
    };
    (queries, CallAnalysis(analysed))
}

/// The facts a call needs according to the table of known tools.
fn queries_by_name(policy: &Policy, call: &Call) -> Vec<FactQuery> {
    facts_by_name(policy, call).0
}

/// The facts a call needs according to the table of known tools, and the analysis of its shell text.
fn facts_by_name(policy: &Policy, call: &Call) -> (Vec<FactQuery>, Option<Box<AnalysedText>>) {
    if let Some(Action { kind: ActionKind::Runs(text, units), .. }) = git_ops::read_action(call) {
        return (shell::shell_fact_queries(policy, (&text, units), &ShellInvocation::of(call)), None);
    }
    let tool = tools::by_name(&call.tool);
    let paths = match tool {
        Some(tool) if tool.kind == ToolKind::Shell => {
            let text = text_of(tool, &call.input);
            let facts = |text: Cow<'_, str>| {
                shell::shell_facts_and_analysis(policy, (&text, Budget::DEFAULT), &ShellInvocation::of(call))
            };
            return text.map(facts).unwrap_or_default();
        }
        Some(tool) if tool.kind.is_file() => paths_of(tool, call, None),
        Some(tool) if tool.kind == ToolKind::Web => file_urls(tool, &call.input),
        _ => Vec::new(),
    };
    (path_queries(policy, &paths, tool.and_then(|tool| tool_search(tool, call, None))), None)
}

fn path_queries(policy: &Policy, paths: &[PathTarget], searched: Option<ToolSearch>) -> Vec<FactQuery> {
    let mut queries: Vec<FactQuery> = paths.iter().flat_map(PathTarget::queries).collect();
    let known = paths.iter().filter_map(PathTarget::known).flatten();
    let by_contents = known.filter(|path| policy.protected.depends_on_contents(path));
    queries.extend(by_contents.map(|path| FactQuery::Contents(path.into())));
    let searched = searched.into_iter().flat_map(|searched| searched.places);
    queries.extend(searched.flatten().map(FactQuery::Files));
    queries
}

/// The facts that the actions of a described call need. If the descriptor is only claimed, also the facts the
/// call needs without it.
fn action_queries(policy: &Policy, call: &Call, descriptor: &Descriptor) -> Vec<FactQuery> {
    let mut queries = match call.proven_descriptor() {
        Some(_) => Vec::new(),
        None => queries_by_name(policy, call),
    };
    for action in actions(call, descriptor, None).iter().filter(|action| !action.tightens) {
        queries.extend(match &action.kind {
            ActionKind::Runs(text, units) => {
                shell::shell_fact_queries(policy, (text, *units), &ShellInvocation::of(call))
            }
            ActionKind::RunsUnknown(_) => Vec::new(),
            ActionKind::Touches { paths, .. } => {
                let searched = (action.tool == Some(SEARCHES)).then(|| searched_below(paths));
                path_queries(policy, paths, searched)
            }
        });
    }
    queries.sort_unstable();
    queries.dedup();
    queries
}

/// Decides a call. Pure, and never fails: every call gets a verdict with a reason, and the same one each
/// time.
pub fn judge(policy: &Policy, call: &Call, context: &JudgeContext) -> Verdict {
    judge_with(policy, call, context, None, &mut NoTrace)
}

/// Like [`judge`], without analysing the call's shell text again. The analysis is never freed: this is for a process
/// that judges one call and exits.
pub fn judge_analysed(
    policy: &Policy,
    call: &Call,
    context: &JudgeContext,
    analysis: CallAnalysis,
) -> Verdict {
    judge_with(policy, call, context, analysis.0, &mut NoTrace)
}

/// Decides a call and returns the other rules that were considered, strongest first.
pub fn judge_and_trace(
    policy: &Policy,
    call: &Call,
    context: &JudgeContext,
) -> (Verdict, Vec<ConsideredRule>) {
    let (verdict, listening) = judge_collecting(policy, call, context);
    (verdict, listening.finish(&policy.table))
}

pub(crate) fn judge_collecting(
    policy: &Policy,
    call: &Call,
    context: &JudgeContext,
) -> (Verdict, TraceCollector) {
    let mut listening = TraceCollector::default();
    let verdict = judge_with(policy, call, context, None, &mut listening);
    (verdict, listening)
}

fn judge_with<S: TraceSink>(
    policy: &Policy,
    call: &Call,
    context: &JudgeContext,
    analysed: Option<Box<AnalysedText>>,
    sink: &mut S,
) -> Verdict {
    if !context.requires_approval {
        return judge_described_or_named(policy, call, context, analysed, sink);
    }
    let mut verdict = judge_described_or_named(policy, call, context, analysed, sink);
    if verdict.decision == Decision::Allow {
        tighten(&mut verdict, Decision::Confirm, Reason::ApprovalRequired);
        if !context.can_confirm {
            tighten(&mut verdict, Decision::Deny, Reason::NobodyCanConfirm);
        }
    }
    verdict
}

/// Decides a call according to its descriptor, or to its name.
fn judge_described_or_named<S: TraceSink>(
    policy: &Policy,
    call: &Call,
    context: &JudgeContext,
    analysed: Option<Box<AnalysedText>>,
    sink: &mut S,
) -> Verdict {
    match call.descriptor() {
        None => judge_by_name(policy, call, context, analysed, sink),
        Some(described) => judge_actions(policy, call, described.tool(), context, sink),
    }
}

/// Decides a call according to the table of known tools. A read action of `git_ops` is judged as the command
/// that does the same. A rule for the tool decides if it is as strict, or if no rule covers the command.
fn judge_by_name<S: TraceSink>(
    policy: &Policy,
    call: &Call,
    context: &JudgeContext,
    analysed: Option<Box<AnalysedText>>,
    sink: &mut S,
) -> Verdict {
    let own = CallTargets::new(call, context);
    own.analysed.set(analysed);
    match git_ops::read_action(call) {
        None => judge_view(policy, &own, None, sink),
        Some(action) => judge_git_read(policy, &own, &action, sink),
    }
}

/// Decides a read action of `git_ops`.
fn judge_git_read<S: TraceSink>(
    policy: &Policy,
    own: &CallTargets<'_>,
    action: &Action<'_>,
    sink: &mut S,
) -> Verdict {
    let view = CallTargets::of_action(own.call, own.context, action);
    let ruled = judge_view(policy, own, None, &mut NoTrace);
    let read = judge_view(policy, &view, Some(action), &mut NoTrace);
    let decides = ruled.decision >= read.decision || read.reasons.contains(&Reason::NoRule);
    if decides && !ruled.rules.is_empty() {
        return judge_view(policy, own, None, sink);
    }
    let mut verdict = judge_view(policy, &view, Some(action), sink);
    // The input has no text that parts could refer to.
    verdict.parts.iter_mut().for_each(without_place);
    verdict
}

/// Decides a described call: the strictest verdict of its actions. If the descriptor is only claimed, the
/// call is also judged without it.
fn judge_actions<S: TraceSink>(
    policy: &Policy,
    call: &Call,
    descriptor: &Descriptor,
    context: &JudgeContext,
    sink: &mut S,
) -> Verdict {
    let proven = call.proven_descriptor().is_some();
    let actions = actions(call, descriptor, context.home.as_deref());
    // Parts refer to positions in a text, and only a single text is displayed.
    let one_text = proven && actions.len() == 1;
    let judge_action = |action: &Action<'_>, notes: &mut TraceBuffer<S>| {
        let view = CallTargets::of_action(call, context, action);
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
    let mut strictest = StrictestVerdict::of(|notes| match first {
        Some(action) => judge_action(action, notes),
        None => judge_by_name(policy, call, context, None, notes),
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
fn judge_view<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    action: Option<&Action<'_>>,
    sink: &mut S,
) -> Verdict {
    let context = view.context;
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
        verdict.danger = protected_path_danger();
    }
    if let Some(broken) = policy.broken.iter().find(|broken| broken.kind <= LayerKind::Global) {
        verdict.reasons.push(Reason::ConfigBroken { layer: broken.kind, error: broken.error.clone() });
        return verdict;
    }
    if let Some(tool) = view.tool.filter(|tool| tool.kind == ToolKind::Shell) {
        judge_command(policy, view, (tool, action), &mut verdict, sink);
    } else {
        let found = search(policy, view, CommandSubject::Unread, sink);
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
    if verdict.decision == Decision::Confirm && !context.can_confirm {
        tighten(&mut verdict, Decision::Deny, Reason::NobodyCanConfirm);
    }
    verdict
}

/// Judges what a shell tool would run.
fn judge_command<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    (tool, action): (&Tool, Option<&Action<'_>>),
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let input = &view.call.input;
    match action.map(|action| &action.kind) {
        Some(ActionKind::Runs(text, units)) => shell::judge(policy, view, (text, *units), verdict, sink),
        Some(ActionKind::RunsUnknown(named)) => judge_ambiguous_command(policy, view, named, verdict, sink),
        // If the command is empty, another field may contain the effective one.
        Some(ActionKind::Touches { .. }) | None => {
            match text_of(tool, input).filter(|text| !text.trim().is_empty()) {
                Some(text) => shell::judge(policy, view, (&text, Budget::DEFAULT), verdict, sink),
                None => judge_ambiguous_command(policy, view, &texts_of(tool, input), verdict, sink),
            }
        }
    }
}

/// Judges a call to a shell tool whose input has no single text: at least confirm.
fn judge_ambiguous_command<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    named: &[Cow<'_, str>],
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let Some(found) = ambiguous_command_input::judge(policy, view, named, verdict, sink) else { return };
    decide(policy, view, found, verdict, sink);
    if verdict.reasons.as_slice() == [Reason::NoRule] {
        verdict.reasons = smallvec![Reason::ShellUnread];
    } else if !verdict.reasons.contains(&Reason::ShellUnread) {
        tighten(verdict, Decision::Confirm, Reason::ShellUnread);
    }
}

/// The decision by rules alone.
fn decide<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    found: RuleSearchOutcome,
    verdict: &mut Verdict,
    sink: &mut S,
) {
    let rule = policy.rules.get(found.best as usize).filter(|_| found.best != NO_RULE);
    let denied = rule.is_some_and(|rule| rule.effect == Effect::Deny);
    let (decision, reason, cited) = match rule {
        _ if found.exhausted && !denied => (Decision::Confirm, Reason::WorkLimit, None),
        _ if found.unevaluated != NO_RULE && !denied => {
            let unread = view.kind() == ToolKind::Shell;
            let reason = if unread { Reason::ShellUnread } else { Reason::NotEvaluated { rule: 0 } };
            (Decision::Confirm, reason, Some(found.unevaluated))
        }
        Some(rule) => {
            sink.rule_seen(found.best, RuleOutcome::Decided);
            verdict.wait = policy.extra(&rule).map(|extra| extra.wait).unwrap_or_default();
            (rule.effect.into(), Reason::Rule { rule: 0 }, Some(found.best))
        }
        None => (Decision::Confirm, Reason::NoRule, None),
    };
    verdict.decision = decision;
    verdict.reasons = smallvec![reason];
    verdict.rules = cited.map(|rank| RuleRef::new(&policy.table, rank)).into_iter().collect();
}

/// Cases that no allow rule covers: protected paths, and files that are unknown. Then the cases that built-in
/// allow rules do not cover.
fn limit_allow(policy: &Policy, view: &CallTargets<'_>, protected: Option<Reason>, verdict: &mut Verdict) {
    // What an MCP server does with a field called `path` is up to the server.
    let foreign = view.call.server.is_some();
    let unknown = |target: &PathTarget| target.readings(&view.context.facts).any(|path| path.is_none());
    let built_in = verdict.rules.first().is_some_and(|rule| rule.layer() == LayerKind::BuiltIn);
    if let Some(reason) = protected {
        tighten(verdict, Decision::Confirm, reason);
    } else if !foreign && view.paths().iter().any(unknown) {
        tighten(verdict, Decision::Confirm, Reason::PathUnknown);
    } else if built_in && let Some(reason) = builtin_limit(policy, view) {
        tighten(verdict, Decision::Confirm, reason);
    }
}

/// Why a call to a file tool on the built-in list still needs confirmation. Shell commands that read files have
/// the same limits.
fn builtin_limit(policy: &Policy, view: &CallTargets<'_>) -> Option<Reason> {
    let outside = || view.outside_workspace().filter(|_| policy.reads == Reads::Workspace);
    let walked = || view.walks_home().filter(|_| view.kind() == ToolKind::Search);
    if let Some(path) = outside() {
        return Some(Reason::outside(path.into(), view.context.root.as_deref()));
    }
    walked().map(|path| Reason::WalksHome { path: path.into() })
}

/// The first protected path of the call.
fn protected_path(policy: &Policy, view: &CallTargets<'_>) -> Option<Reason> {
    let (root, home) = (view.context.root.as_deref(), view.context.home.as_deref());
    let readings = view.paths().iter().flat_map(|target| target.readings(&view.context.facts));
    let named = readings.flatten().find_map(|path| {
        let pattern = policy.protected.protecting_pattern_if_named(path, &view.context.facts, root, home)?;
        Some(Reason::ProtectedPath { path: path.into(), pattern: pattern.into() })
    });
    named.or_else(|| searched_path(policy, view))
}

/// How many bytes of globs are compared with protected names; each glob counts eight more.
const MAX_COMPARED: usize = 4096;

/// Why a search tool needs confirmation before it opens files.
fn searched_path(policy: &Policy, view: &CallTargets<'_>) -> Option<Reason> {
    let home = view.context.home.as_deref();
    let searched = match view.described {
        None => view.tool.and_then(|tool| tool_search(tool, view.call, home)),
        Some(_) => view.tool.filter(|tool| tool.name == SEARCHES).map(|_| searched_below(view.paths())),
    }?;
    let mut compared = 0;
    let meant = searched.globs.iter().find_map(|glob| {
        // If they are unknown, all files are searched.
        let names = tool_globs::last_names(glob).unwrap_or_default();
        compared += names.iter().map(|name| 8 + name.len()).sum::<usize>();
        if compared > MAX_COMPARED {
            return Some(Reason::PathUnknown);
        }
        names.iter().find_map(|name| {
            let pattern =
                policy.protected.secret_pattern_for_name_glob(name).filter(|pattern| *pattern != "*")?;
            Some(Reason::ProtectedPath { path: glob.clone(), pattern: pattern.into() })
        })
    });
    meant.or_else(|| searched.climbs.then_some(Reason::PathUnknown)).or_else(|| {
        searched.places.iter().flatten().find_map(|search| {
            match view.context.facts.answer(&FactQuery::Files(search.clone()), home) {
                Some(Fact::Files(found)) => found.reason(search, true),
                _ => Some(Reason::PathUnknown),
            }
        })
    })
}

/// Makes a verdict stricter and puts the new reason first.
fn tighten(verdict: &mut Verdict, decision: Decision, reason: Reason) {
    if verdict.decision < decision {
        verdict.decision = decision;
        verdict.reasons.insert(0, reason);
    } else {
        verdict.reasons.push(reason);
    }
}

/// Makes a verdict a confirm, unless it is a deny, and puts the new reason first.
fn ask_first(verdict: &mut Verdict, reason: Reason) {
    if verdict.decision == Decision::Deny {
        verdict.reasons.push(reason);
    } else {
        verdict.decision = Decision::Confirm;
        verdict.reasons.insert(0, reason);
    }
}

/// The facts about the call's own paths, as far as they were looked up.
fn facts_of(view: &CallTargets<'_>) -> Facts {
    if view.context.facts.is_empty() { Facts::default() } else { view.context.facts.clone() }
}

fn changes_automation(view: &CallTargets<'_>) -> bool {
    view.paths().iter().any(|path| match path {
        PathTarget::Known { lexical, walked, .. } => {
            is_automation_file(lexical) || walked.as_deref().is_some_and(is_automation_file)
        }
        PathTarget::Unknown => false,
    })
}

fn danger_of(view: &CallTargets<'_>) -> Danger {
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
        ToolKind::Write if changes_automation(view) => (DangerLevel::Danger, DangerCode::ChangesAutomation),
        ToolKind::Write => (DangerLevel::Caution, DangerCode::ChangesFiles),
        ToolKind::Web | ToolKind::WebSearch => (DangerLevel::Caution, DangerCode::ReachesNetwork),
        ToolKind::Shell => (DangerLevel::Caution, DangerCode::RunsPrograms),
        ToolKind::Other => (DangerLevel::Caution, DangerCode::UnknownTool),
    };
    Danger::new(level, code)
}
