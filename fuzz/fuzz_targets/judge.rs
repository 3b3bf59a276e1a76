//! Any rules and any call: a verdict with a reason, always the same, and moved in the right direction by each
//! rule.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sekisho_policy::{
    Call, Effect, Fact, FactQuery, IdClaim, JudgeContext, Layer, LayerKind, LayerTrust, Layers, Policy, Rule,
    Verdict, judge, judge_and_trace, required_facts, validate,
};
use serde_json::{Map, Value};

#[derive(Arbitrary, Clone, Debug)]
struct AnyRule {
    effect: u8,
    layer: u8,
    priority: i32,
    server: Option<String>,
    tool: Option<String>,
    tool_pattern: Option<String>,
    agent: Option<String>,
    /// A path, a host or a skill's name.
    about: (u8, String),
    expires: Option<i32>,
}

#[derive(Arbitrary, Debug)]
struct AnyCall {
    tool: (u8, String),
    server: Option<(String, bool)>,
    agent: Option<(String, bool)>,
    cwd: Option<String>,
    fields: Vec<(u8, String)>,
    can_confirm: bool,
    facts_known: bool,
}

const TOOLS: &[&str] = &[
    "read",
    "Write",
    "apply_patch",
    "Grep",
    "Glob",
    "list_dir",
    "web_fetch",
    "Skill",
    "todo_write",
    "bash",
    "read_many_files",
];
const FIELDS: &[&str] =
    &["path", "file_path", "paths", "pattern", "glob", "input", "url", "prompt", "name", "cwd", "include"];
const LAYERS: &[(LayerKind, LayerTrust)] = &[
    (LayerKind::Managed, LayerTrust::Full),
    (LayerKind::Global, LayerTrust::Full),
    (LayerKind::Project, LayerTrust::Untrusted),
    (LayerKind::Project, LayerTrust::Full),
    (LayerKind::Session, LayerTrust::Full),
];

fn pick<T: Copy>(list: &[T], at: u8) -> Option<T> {
    list.get(usize::from(at) % (list.len() + 1)).copied()
}

/// The rule with its layer, if the loader accepts it.
fn layer_of(any: AnyRule) -> Option<(Effect, Layer)> {
    let effect = pick(&[Effect::Allow, Effect::Confirm, Effect::Deny], any.effect)?;
    let (kind, trust) = pick(LAYERS, any.layer)?;
    let mut rule = Rule {
        priority: any.priority,
        server: any.server,
        tool: any.tool,
        tool_pattern: any.tool_pattern,
        agent: any.agent,
        expires_at: any.expires.and_then(|at| jiff::Timestamp::new(at.into(), 0).ok()),
        ..Rule::default()
    };
    match any.about.0 % 4 {
        0 => rule.path = Some(any.about.1),
        1 => rule.host = Some(any.about.1),
        2 => rule.skill_name = Some(any.about.1),
        _ => {}
    }
    validate::rule(effect, &rule).ok()?;
    let mut layer = Layer::from_rules(kind, "fuzzed", vec![(effect, rule)]).ok()?;
    layer.trust = trust;
    Some((effect, layer))
}

fn call_of(any: &AnyCall) -> Call {
    let claim = |name: &Option<(String, bool)>| name.clone().map(|(id, proven)| IdClaim { id, proven });
    let fields = any.fields.iter().map(|(at, text)| {
        let name = pick(FIELDS, *at).unwrap_or("other_path");
        (name.to_owned(), Value::String(text.clone()))
    });
    let tool = pick(TOOLS, any.tool.0).map_or_else(|| any.tool.1.clone(), Into::into);
    Call {
        server: claim(&any.server),
        agent: claim(&any.agent),
        cwd: any.cwd.clone(),
        ..Call::new(tool, Value::Object(fields.collect::<Map<_, _>>()))
    }
}

fuzz_target!(|input: (Vec<AnyRule>, AnyCall)| {
    let (rules, any_call) = input;
    let call = call_of(&any_call);
    let layers: Vec<(Effect, Layer)> = rules.into_iter().filter_map(layer_of).collect();
    let compile = |layers: &[(Effect, Layer)]| {
        Policy::compile(Layers::from(layers.iter().map(|(_, layer)| layer.clone()).collect::<Vec<_>>()))
    };
    let policy = compile(&layers);
    let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
    (context.root, context.home) = (Some("/w".into()), Some("/home/u".into()));
    context.can_confirm = any_call.can_confirm;
    for query in required_facts(&policy, &call).into_iter().filter(|_| any_call.facts_known) {
        let FactQuery::Resolve(path) = &query else { continue };
        let fact = sekisho_policy::paths::normalise_lexically(path).map(Fact::Resolved);
        fact.into_iter().for_each(|fact| context.facts.insert(query.clone(), fact));
    }
    let verdict = judge(&policy, &call, &context);
    assert!(!verdict.reasons.is_empty());
    assert_eq!(judge(&policy, &call, &context), verdict);
    assert_eq!(judge_and_trace(&policy, &call, &context).0, verdict);
    let parsed: Verdict = serde_json::from_str(&serde_json::to_string(&verdict).unwrap()).unwrap();
    assert_eq!(parsed, verdict);
    if let Some(((effect, _), rest)) = layers.split_last() {
        let without = judge(&compile(rest), &call, &context).decision;
        match effect {
            Effect::Allow => assert!(verdict.decision <= without, "an allow tightened"),
            Effect::Confirm | Effect::Deny => assert!(verdict.decision >= without, "{effect} loosened"),
        }
    }
});
