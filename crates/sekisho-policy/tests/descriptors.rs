//! What a descriptor changes in a verdict, and what it never changes.

use proptest::prelude::*;
use sekisho_policy::{
    Call, Decision, Descriptor, DescriptorKind, Effect, FactQuery, JudgeContext, Layer, LayerKind,
    LayerTrust, Layers, Policy, Reason, Rule, RuleOutcome, SourcedDescriptor, Verdict, call_paths, judge,
    judge_and_trace, judge_with_extra_rules, required_facts, shell_text,
};
use serde_json::{Value, json};

use crate::strategies::{LayerSpec, cases, compile, context, described_call, now, spec, specs};

/// All facts that a call needs with and without its descriptor.
fn whole(policy: &Policy, call: &Call, with: &Call) -> JudgeContext {
    let mut all = context(policy, call, true);
    for (query, fact) in context(policy, with, true).facts.iter() {
        all.facts.insert(query.clone(), fact.clone());
    }
    all
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn a_claimed_descriptor_never_loosens(
        specs in specs(), (call, tool) in described_call(), can_confirm: bool, shipped: bool,
    ) {
        let policy = if shipped { Policy::compile(Layers::from(Vec::new())) } else { compile(&specs) };
        let claimed = call.clone().with_descriptor(SourcedDescriptor::claimed(tool));
        let context = JudgeContext { can_confirm, ..whole(&policy, &call, &claimed) };
        let (without, with) = (judge(&policy, &call, &context), judge(&policy, &claimed, &context));
        prop_assert!(with.decision >= without.decision, "{:?} became {:?}", without, with);
        prop_assert!(with.danger.level >= without.danger.level, "{:?} became {:?}", without.danger, with.danger);
        // Whoever is asked sees the rules that ask.
        let asking = without.rules.iter().filter(|rule| rule.effect() != Effect::Allow);
        for rule in asking.filter(|_| with.decision == Decision::Confirm) {
            prop_assert!(with.rules.contains(rule), "{:?} became {:?}", without.rules, with.rules);
        }
    }

    #[test]
    fn claimed_descriptor_never_loosens_with_its_own_facts(
        specs in specs(), (call, tool) in described_call(),
    ) {
        // Each with the facts it needs itself, as callers look them up.
        let policy = compile(&specs);
        let claimed = call.clone().with_descriptor(SourcedDescriptor::claimed(tool));
        let without = judge(&policy, &call, &context(&policy, &call, true));
        let with = judge(&policy, &claimed, &context(&policy, &claimed, true));
        prop_assert!(with.decision >= without.decision, "{:?} became {:?}", without, with);
        let (before, after) = (required_facts(&policy, &call), required_facts(&policy, &claimed));
        prop_assert!(before.iter().all(|query| after.contains(query)));
    }

    #[test]
    fn unrelated_server_or_registry_proves_nothing(
        specs in specs(), (call, tool) in described_call(),
    ) {
        let policy = compile(&specs);
        let claimed = call.clone().with_descriptor(SourcedDescriptor::claimed(tool.clone()));
        let foreign = match &call.server {
            Some(server) if server.proven => SourcedDescriptor::by_registry(tool),
            Some(_) | None => SourcedDescriptor::by_pinned_server(tool),
        };
        let context = whole(&policy, &call, &claimed);
        prop_assert_eq!(judge(&policy, &call.with_descriptor(foreign), &context), judge(&policy, &claimed, &context));
    }

    #[test]
    fn described_verdict_is_repeatable_storable_and_explained(
        specs in specs(), (call, tool) in described_call(), proven: bool, can_confirm: bool,
    ) {
        let policy = compile(&specs);
        let call = described(call, tool, proven);
        let context = context(&policy, &call, can_confirm);
        let verdict = judge(&policy, &call, &context);
        prop_assert!(!verdict.reasons.is_empty());
        prop_assert_eq!(&judge(&policy, &call, &context), &verdict);
        let kept: Verdict = serde_json::from_str(&serde_json::to_string(&verdict).unwrap()).unwrap();
        prop_assert_eq!(&kept, &verdict);
        let (traced, considered) = judge_and_trace(&policy, &call, &context);
        prop_assert_eq!(&traced, &verdict);
        if let (Some(Reason::Rule { rule }), true) = (verdict.reasons.first(), verdict.parts.is_empty()) {
            let decided: Vec<_> = considered.iter().filter(|one| one.outcome == RuleOutcome::Decided).collect();
            prop_assert_eq!(decided.len(), 1);
            prop_assert_eq!(&decided[0].rule, &verdict.rules[*rule]);
        }
    }

    #[test]
    fn added_rule_changes_described_verdicts_only_toward_its_effect(
        specs in specs(), added in spec(), (call, tool) in described_call(), proven: bool,
    ) {
        let call = described(call, tool, proven);
        let before = compile(&specs);
        let context = context(&before, &call, true);
        let before = judge(&before, &call, &context).decision;
        for (effect, rule) in &added.rules {
            let more = LayerSpec { rules: vec![(*effect, rule.clone())], ..added.clone() };
            let with: Vec<_> = specs.iter().cloned().chain([more]).collect();
            let after = judge(&compile(&with), &call, &context).decision;
            match effect {
                Effect::Allow => prop_assert!(after <= before, "an allow tightened: {:?}", rule),
                Effect::Confirm | Effect::Deny => prop_assert!(after >= before, "{} loosened: {:?}", effect, rule),
            }
        }
    }

    #[test]
    fn extra_rules_see_every_rule_of_an_action(
        specs in specs(), added in spec(), (call, tool) in described_call(), proven: bool,
    ) {
        let call = described(call, tool, proven);
        let policy = compile(&specs);
        let context = context(&policy, &call, true);
        for (effect, rule) in &added.rules {
            let remembered =
                LayerSpec { kind: LayerKind::Session, standing: LayerTrust::Full, rules: vec![(*effect, rule.clone())] };
            let all: Vec<_> = specs.iter().cloned().chain([remembered]).collect();
            let expected = judge(&compile(&all), &call, &context).decision;
            let found = judge_with_extra_rules(&policy, &call, &context, *effect, std::slice::from_ref(rule)).unwrap();
            if let Some(found) = found {
                prop_assert_eq!(found.decision, expected);
            }
        }
    }
}

/// The call with a proven or claimed descriptor.
fn described(call: Call, tool: Descriptor, proven: bool) -> Call {
    let described = match (&call.server, proven) {
        (_, false) => SourcedDescriptor::claimed(tool),
        (Some(_), true) => SourcedDescriptor::by_pinned_server(tool),
        (None, true) => SourcedDescriptor::by_registry(tool),
    };
    call.with_descriptor(described)
}

fn tool(written: Value) -> Descriptor {
    serde_json::from_value(written).unwrap()
}

fn registered(name: &str, written: Value, input: Value) -> Call {
    Call::new(name, input).in_directory("/w").with_descriptor(SourcedDescriptor::by_registry(tool(written)))
}

#[test]
fn proven_shell_tool_has_a_text() {
    let shell = || json!({ "kind": "shell", "commands": ["/a/b"] });
    let call = registered("my_exec", shell(), json!({ "a": { "b": "ls -l" } }));
    assert_eq!(shell_text(&call).as_deref(), Some("ls -l"));
    let words = registered("my_exec", shell(), json!({ "a": { "b": ["ls", "a b"] } }));
    assert_eq!(shell_text(&words).as_deref(), Some("ls 'a b'"));
    assert_eq!(shell_text(&registered("my_exec", shell(), json!({ "a": "ls" }))), None);
    // With several commands there is no single text.
    let several = json!({ "kind": "shell", "commands": ["a", "b"] });
    assert_eq!(shell_text(&registered("x", several, json!({ "a": "ls", "b": "pwd" }))), None);
    // The table is not used for a tool that is proven to be something else.
    let reader = json!({ "kind": "read_files", "reads": ["command"] });
    assert_eq!(shell_text(&registered("bash", reader.clone(), json!({ "command": "ls" }))), None);
    let claimed = Call::new("bash", json!({ "command": "ls" }))
        .with_descriptor(SourcedDescriptor::claimed(tool(reader)));
    assert_eq!(shell_text(&claimed).as_deref(), Some("ls"));
}

#[test]
fn proven_file_tool_has_paths() {
    let files = json!({ "kind": "write_files", "writes": ["to", "/more/*"] });
    let call = registered("save", files.clone(), json!({ "to": "b", "more": ["a", "/x"], "path": "c" }));
    let expected = ["/w/a", "/w/b", "/x"].map(String::from);
    assert_eq!(call_paths(&call, None).as_deref(), Some(&expected[..]));
    assert_eq!(call_paths(&registered("save", files, json!({ "to": "b" })), None), None);
}

#[test]
fn facts_of_every_action_are_required() {
    let policy = Policy::compile(Layers::from(Vec::new()));
    let all = json!({ "kind": "composite", "commands": ["run"], "reads": ["from"], "writes": ["to"] });
    let input = json!({ "run": "cat c", "from": "a", "to": ["b"] });
    let found = required_facts(&policy, &registered("x", all.clone(), input.clone()));
    for path in ["/w/a", "/w/b", "/w/c"] {
        assert!(found.contains(&FactQuery::Resolve(path.into())), "{path} in {found:?}");
    }
    let searches = json!({ "kind": "search_files", "searches": ["root"] });
    let found = required_facts(&policy, &registered("x", searches, json!({ "root": "/w/src" })));
    assert!(
        found.iter().any(|query| matches!(query, FactQuery::Files(search) if search.directory == "/w/src"))
    );
    // A claimed descriptor adds to the facts needed by the name.
    let claimed = Call::new("Read", json!({ "file_path": "d", "run": "cat c", "from": "a", "to": "b" }));
    let claimed = claimed.in_directory("/w").with_descriptor(SourcedDescriptor::claimed(tool(all)));
    let found = required_facts(&policy, &claimed);
    for path in ["/w/a", "/w/b", "/w/c", "/w/d"] {
        assert!(found.contains(&FactQuery::Resolve(path.into())), "{path} in {found:?}");
    }
}

#[test]
fn many_commands_cost_no_more_than_one() {
    let commands: Vec<String> = (0..5_000).map(|at| format!("echo {at}")).collect();
    let call =
        registered("batch", json!({ "kind": "shell", "commands": ["/all/*"] }), json!({ "all": commands }));
    let rule = Rule { tool: Some("bash".into()), command: Some("echo 4999".into()), ..Rule::default() };
    let layer = Layer::from_rules(LayerKind::Global, "test", vec![(Effect::Deny, rule)]).unwrap();
    let context = JudgeContext::at(now());
    let open = judge(&Policy::compile(Layers::from(Vec::new())), &call, &context);
    assert_eq!((open.decision, &open.reasons[0]), (Decision::Confirm, &Reason::TooMuch));
    let denied = judge(&Policy::compile(Layers::from(vec![layer])), &call, &context);
    assert_eq!(denied.decision, Decision::Deny);
}

#[test]
fn parts_refer_to_the_displayed_text_or_none() {
    let policy = Policy::compile(Layers::from(Vec::new()));
    let context = JudgeContext::at(now());
    let one = registered("x", json!({ "kind": "shell", "commands": ["a"] }), json!({ "a": "curl x; ls" }));
    assert_eq!(judge(&policy, &one, &context).parts[0].span, Some((0, 6)));
    let two = json!({ "kind": "shell", "commands": ["a", "b"] });
    let two = registered("x", two, json!({ "a": "curl x; ls", "b": "curl y" }));
    let parts = judge(&policy, &two, &context).parts;
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    assert_eq!(texts, ["curl x", "ls", "curl y"]);
    assert!(parts.iter().all(|part| part.span.is_none()));
}

#[test]
fn reading_is_harmless_only_if_nothing_changes() {
    let policy = Policy::compile(Layers::from(Vec::new()));
    let level = |read_only: bool| {
        let files = json!({ "kind": "read_files", "reads": ["a"], "readOnly": read_only });
        judge(&policy, &registered("x", files, json!({ "a": "b" })), &JudgeContext::at(now())).danger.level
    };
    assert!(level(true) < level(false));
    assert_eq!(tool(json!({ "kind": "unknown", "readOnly": true })).kind(), DescriptorKind::Unknown);
}
