//! A second, naive judge, compared with the real one.
//!
//! It checks every rule, without index, order of strength or folding table. A difference is a bug in one of
//! the two.

use proptest::prelude::*;
use sekisho_policy::tools::{self, ToolKind};
use sekisho_policy::{Call, Decision, Effect, JudgeContext, LayerKind, LayerTrust, Reason, Rule, judge};

use crate::strategies::{LayerSpec, call, cases, compile, context, now, specs};

/// Whether a condition holds; `None` if unknown.
type Maybe = Option<bool>;

fn any(answers: &[Maybe]) -> Maybe {
    if answers.contains(&Some(true)) {
        Some(true)
    } else if answers.contains(&None) {
        None
    } else {
        Some(false)
    }
}

fn all(answers: &[Maybe]) -> Maybe {
    if answers.contains(&Some(false)) {
        Some(false)
    } else if answers.contains(&None) {
        None
    } else {
        Some(true)
    }
}

fn lower(text: &str) -> Vec<char> {
    let keep = |c: char| !c.is_ascii() && c.to_lowercase().any(|lower| lower.is_ascii());
    text.chars().flat_map(|c| if keep(c) { vec![c] } else { c.to_lowercase().collect() }).collect()
}

fn wildcard(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=name.len()).any(|skip| wildcard(rest, &name[skip..])),
        ([p, pattern @ ..], [n, name @ ..]) => p == n && wildcard(pattern, name),
        _ => false,
    }
}

fn kind(call: &Call) -> ToolKind {
    tools::by_name(&call.tool).map_or(ToolKind::Other, |tool| tool.kind)
}

fn name_matches(effect: Effect, rule: &Rule, call: &Call) -> bool {
    let wide = effect != Effect::Allow;
    let ours = tools::by_name(&call.tool).map(|tool| tool.name);
    let by_tool = rule.tool.as_deref().is_some_and(|tool| {
        let canonical = tools::canonical(tool).is_some();
        if canonical && (wide || rule.server.is_none()) {
            ours == Some(tool) && (wide || call.server.is_none())
        } else {
            tool == call.tool
        }
    });
    let by_pattern = rule.tool_pattern.as_deref().is_some_and(|pattern| {
        let matches = |name: &str| wildcard(&lower(pattern), &lower(name));
        matches(&call.tool) || (wide && ours.is_some_and(matches))
    });
    by_tool || by_pattern || (rule.tool.is_none() && rule.tool_pattern.is_none())
}

/// Every path that the call may touch.
fn readings(call: &Call, context: &JudgeContext) -> Vec<Option<String>> {
    let Some(path) = call.input.get("path").and_then(|path| path.as_str()) else { return vec![None] };
    let relative = !path.starts_with('/');
    let written = match (&call.cwd, relative) {
        (_, false) => path.to_owned(),
        (Some(cwd), true) => format!("{cwd}/{path}"),
        (None, true) => return vec![None],
    };
    let resolved = context.facts.resolved(&written).map(str::to_owned);
    let mut readings = vec![Some(written), resolved];
    readings.extend((relative && call.server.is_some()).then_some(None));
    readings
}

/// The few forms of globs that the random rules use: `/directory`, `name`, `*.ending`.
fn glob(glob: &str, path: &str, wide: bool) -> bool {
    let fold = |text: &str| if wide { text.to_lowercase() } else { text.to_owned() };
    let (glob, path) = (fold(glob), fold(path));
    match (glob.strip_prefix('/'), glob.strip_prefix('*')) {
        (Some(_), _) => path == glob || path.starts_with(&format!("{glob}/")),
        (_, Some(ending)) => path.split('/').any(|segment| segment.ends_with(ending)),
        _ => path.split('/').any(|segment| segment == glob),
    }
}

fn host(rule: &str, call: &Call, wide: bool) -> Maybe {
    let url = call.input.get("url")?.as_str()?.to_lowercase();
    let (plain, rest) = match url.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, url.as_str()),
    };
    let host = rest.split(['/', ':']).next().filter(|host| !host.is_empty())?;
    let fits = rule.strip_prefix('*').map_or(host == rule, |suffix| host.ends_with(suffix));
    Some(fits && (plain || wide))
}

fn matches(layer: LayerKind, effect: Effect, rule: &Rule, call: &Call, context: &JudgeContext) -> Maybe {
    let wide = effect != Effect::Allow;
    let named = |wanted: &Option<String>, found: &Option<sekisho_policy::IdClaim>| {
        wanted.is_none()
            || found.as_ref().is_some_and(|f| Some(&f.id) == wanted.as_ref() && (wide || f.proven))
    };
    let plain = name_matches(effect, rule, call)
        && named(&rule.server, &call.server)
        && named(&rule.agent, &call.agent)
        && rule.expires_at.is_none_or(|end| end > now());
    if !plain {
        return Some(false);
    }
    let (kind, over) = (kind(call), if wide { any } else { all });
    let guess = if kind == ToolKind::Other || call.server.is_some() { None } else { Some(false) };
    let mut answers = vec![Some(true)];
    if let Some(path) = &rule.path {
        let fits = |reading: &Option<String>| reading.as_ref().map(|reading| glob(path, reading, wide));
        answers.push(match kind {
            _ if kind.is_file() => over(&readings(call, context).iter().map(fits).collect::<Vec<_>>()),
            ToolKind::Shell => None,
            _ => guess,
        });
    }
    if let Some(name) = &rule.host {
        answers.push(match kind {
            ToolKind::Web => host(name, call, wide),
            ToolKind::Shell => None,
            _ => guess,
        });
    }
    if let Some(skill) = &rule.skill_name {
        let name = call.input.get("name").and_then(|name| name.as_str());
        answers.push(if kind == ToolKind::Skill { name.map(|name| name == skill) } else { guess });
    }
    let answer = all(&answers);
    if layer == LayerKind::BuiltIn && call.server.is_some() { Some(answer == Some(true)) } else { answer }
}

/// One rule and its result: layer, effect, priority, answer, and location (layer's position, line).
struct Seen {
    layer: LayerKind,
    effect: Effect,
    priority: i64,
    answer: Maybe,
    place: (String, u32),
}

fn look(specs: &[LayerSpec], call: &Call, context: &JudgeContext) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut add = |layer, effect, rule: &Rule, priority, place| {
        seen.push(Seen {
            layer,
            effect,
            priority,
            answer: matches(layer, effect, rule, call, context),
            place,
        });
    };
    for (at, spec) in specs.iter().enumerate() {
        for (line, (effect, rule)) in (1..).zip(&spec.rules) {
            if *effect != Effect::Allow || spec.standing == LayerTrust::Full {
                add(spec.kind, *effect, rule, i64::from(rule.priority), (at.to_string(), line));
            }
        }
    }
    for tool in ["write", "edit", "delete"] {
        // `**/.local/state/sekisho`; among the random paths only that one has a segment of this name.
        let rule = Rule { tool: Some(tool.into()), path: Some("sekisho".into()), ..Rule::default() };
        add(LayerKind::BuiltIn, Effect::Deny, &rule, i64::MIN, ("built-in".into(), 0));
    }
    seen
}

/// The decision, and the rules that may be cited for it.
fn reference(specs: &[LayerSpec], call: &Call, context: &JudgeContext) -> (Decision, Vec<(String, u32)>) {
    let seen = look(specs, call, context);
    let places = |holds: &dyn Fn(&Seen) -> bool| -> Vec<(String, u32)> {
        seen.iter().filter(|seen| holds(seen)).map(|seen| seen.place.clone()).collect()
    };
    let yes = |seen: &&Seen| seen.answer == Some(true);
    if seen.iter().any(|seen| seen.effect == Effect::Deny && yes(&seen)) {
        return (Decision::Deny, places(&|seen| seen.effect == Effect::Deny && yes(&seen)));
    }
    let best = seen.iter().filter(yes).map(|seen| (seen.priority, seen.effect)).max();
    // A rule that might match counts as a confirm wherever a match would confirm or deny.
    let asks = |seen: &Seen| seen.effect == Effect::Confirm && seen.answer != Some(false);
    let might = |seen: &Seen| {
        let stronger =
            seen.effect == Effect::Deny || best.is_none_or(|best| best <= (seen.priority, seen.effect));
        seen.effect != Effect::Allow && seen.answer.is_none() && stronger
    };
    let managed = |holds: &dyn Fn(&Seen) -> bool| {
        let rules = seen.iter().filter(|seen| seen.layer == LayerKind::Managed && holds(seen));
        rules.map(|seen| seen.priority).max()
    };
    let opened = managed(&|seen| seen.effect == Effect::Allow && yes(&seen));
    let held = managed(&asks).filter(|confirm| opened.is_none_or(|allow| allow <= *confirm));
    let mut ground =
        places(&|seen| might(seen) || (yes(&seen) && Some((seen.priority, seen.effect)) == best));
    let allowed =
        best.is_some_and(|best| best.1 == Effect::Allow) && !seen.iter().any(might) && held.is_none();
    if held.is_some() && best.is_some_and(|best| best.1 == Effect::Allow) {
        ground = places(&|seen| {
            might(seen) || (asks(seen) && seen.layer == LayerKind::Managed && Some(seen.priority) == held)
        });
    }
    let limited = kind(call) == ToolKind::Shell
        || kind(call).is_file()
            && readings(call, context).iter().any(|reading| match reading {
                None => call.server.is_none(),
                Some(path) => path.contains("/.env") || path.contains("/.local/state/sekisho"),
            });
    let decision = match (allowed && !limited, context.can_confirm) {
        (true, _) => Decision::Allow,
        (false, true) => Decision::Confirm,
        (false, false) => Decision::Deny,
    };
    (decision, ground)
}

proptest! {
    #![proptest_config(cases(6_000))]

    #[test]
    fn judging_equals_the_reference(specs in specs(), call in call(), can_confirm in proptest::bool::weighted(0.9)) {
        let policy = compile(&specs);
        let context = context(&policy, &call, can_confirm);
        let verdict = judge(&policy, &call, &context);
        let (decision, ground) = reference(&specs, &call, &context);
        prop_assert_eq!(verdict.decision, decision, "{:?}", verdict);
        prop_assert!(!verdict.reasons.is_empty());
        if verdict.reasons.iter().any(|r| matches!(r, Reason::Rule { .. } | Reason::NotEvaluated { .. })) {
            let rule = &verdict.rules[0];
            let place = (rule.source().to_owned(), if rule.layer() == LayerKind::BuiltIn { 0 } else { rule.line() });
            prop_assert!(ground.contains(&place), "{:?} is not among {:?}", verdict, ground);
        }
    }
}
