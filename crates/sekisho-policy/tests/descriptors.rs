//! What a descriptor changes in a verdict, and what it never changes.

use proptest::prelude::*;
use sekisho_policy::{
    Call, Decision, Described, Descriptor, DescriptorKind, Effect, Layer, LayerKind, Layers, Need, Outcome,
    Policy, Reason, Rule, Standing, Surroundings, Verdict, judge, judge_and_trace, judge_remembering,
    named_paths, needs, shell_text,
};
use serde_json::{Value, json};

use crate::random::{Sheet, around, cases, compile, described_call, now, sheet, sheets};

/// Everything there is to know about a call with and without its descriptor.
fn whole(policy: &Policy, call: &Call, with: &Call) -> Surroundings {
    let mut all = around(policy, call, true);
    for (need, fact) in around(policy, with, true).facts.iter() {
        all.facts.insert(need.clone(), fact.clone());
    }
    all
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_claimed_descriptor_never_loosens(
        sheets in sheets(), (call, tool) in described_call(), can_confirm: bool, shipped: bool,
    ) {
        let policy = if shipped { Policy::compile(Layers::from(Vec::new())) } else { compile(&sheets) };
        let claimed = call.clone().described(Described::claimed(tool));
        let around = Surroundings { can_confirm, ..whole(&policy, &call, &claimed) };
        let (without, with) = (judge(&policy, &call, &around), judge(&policy, &claimed, &around));
        prop_assert!(with.decision >= without.decision, "{:?} became {:?}", without, with);
        prop_assert!(with.danger.level >= without.danger.level, "{:?} became {:?}", without.danger, with.danger);
        // Whoever is asked sees the rules that ask.
        let asking = without.rules.iter().filter(|rule| rule.effect() != Effect::Allow);
        for rule in asking.filter(|_| with.decision == Decision::Confirm) {
            prop_assert!(with.rules.contains(rule), "{:?} became {:?}", without.rules, with.rules);
        }
    }

    #[test]
    fn a_claimed_descriptor_never_loosens_what_was_looked_up_for_it(
        sheets in sheets(), (call, tool) in described_call(),
    ) {
        // Each with the facts it asks for itself, as hosts look them up.
        let policy = compile(&sheets);
        let claimed = call.clone().described(Described::claimed(tool));
        let without = judge(&policy, &call, &around(&policy, &call, true));
        let with = judge(&policy, &claimed, &around(&policy, &claimed, true));
        prop_assert!(with.decision >= without.decision, "{:?} became {:?}", without, with);
        let (before, after) = (needs(&policy, &call), needs(&policy, &claimed));
        prop_assert!(before.iter().all(|need| after.contains(need)));
    }

    #[test]
    fn a_server_or_registry_that_does_not_speak_for_the_call_proves_nothing(
        sheets in sheets(), (call, tool) in described_call(),
    ) {
        let policy = compile(&sheets);
        let claimed = call.clone().described(Described::claimed(tool.clone()));
        let foreign = match &call.server {
            Some(server) if server.proven => Described::by_registry(tool),
            Some(_) | None => Described::by_pinned_server(tool),
        };
        let around = whole(&policy, &call, &claimed);
        prop_assert_eq!(judge(&policy, &call.described(foreign), &around), judge(&policy, &claimed, &around));
    }

    #[test]
    fn a_described_verdict_can_be_had_again_kept_and_explained(
        sheets in sheets(), (call, tool) in described_call(), proven: bool, can_confirm: bool,
    ) {
        let policy = compile(&sheets);
        let call = described(call, tool, proven);
        let around = around(&policy, &call, can_confirm);
        let verdict = judge(&policy, &call, &around);
        prop_assert!(!verdict.reasons.is_empty());
        prop_assert_eq!(&judge(&policy, &call, &around), &verdict);
        let kept: Verdict = serde_json::from_str(&serde_json::to_string(&verdict).unwrap()).unwrap();
        prop_assert_eq!(&kept, &verdict);
        let (traced, considered) = judge_and_trace(&policy, &call, &around);
        prop_assert_eq!(&traced, &verdict);
        if let (Some(Reason::Rule { rule }), true) = (verdict.reasons.first(), verdict.parts.is_empty()) {
            let decided: Vec<_> = considered.iter().filter(|one| one.outcome == Outcome::Decided).collect();
            prop_assert_eq!(decided.len(), 1);
            prop_assert_eq!(&decided[0].rule, &verdict.rules[*rule]);
        }
    }

    #[test]
    fn an_added_rule_pulls_its_own_way_only_on_described_calls(
        sheets in sheets(), added in sheet(), (call, tool) in described_call(), proven: bool,
    ) {
        let call = described(call, tool, proven);
        let before = compile(&sheets);
        let around = around(&before, &call, true);
        let before = judge(&before, &call, &around).decision;
        for (effect, rule) in &added.rules {
            let more = Sheet { rules: vec![(*effect, rule.clone())], ..added.clone() };
            let with: Vec<_> = sheets.iter().cloned().chain([more]).collect();
            let after = judge(&compile(&with), &call, &around).decision;
            match effect {
                Effect::Allow => prop_assert!(after <= before, "an allow tightened: {:?}", rule),
                Effect::Confirm | Effect::Deny => prop_assert!(after >= before, "{} loosened: {:?}", effect, rule),
            }
        }
    }

    #[test]
    fn remembering_sees_every_rule_that_an_action_met(
        sheets in sheets(), added in sheet(), (call, tool) in described_call(), proven: bool,
    ) {
        let call = described(call, tool, proven);
        let policy = compile(&sheets);
        let around = around(&policy, &call, true);
        for (effect, rule) in &added.rules {
            let remembered =
                Sheet { kind: LayerKind::Session, standing: Standing::Full, rules: vec![(*effect, rule.clone())] };
            let all: Vec<_> = sheets.iter().cloned().chain([remembered]).collect();
            let expected = judge(&compile(&all), &call, &around).decision;
            let found = judge_remembering(&policy, &call, &around, *effect, std::slice::from_ref(rule)).unwrap();
            if let Some(found) = found {
                prop_assert_eq!(found.decision, expected);
            }
        }
    }
}

/// The call with what is proven of its tool, or only claimed.
fn described(call: Call, tool: Descriptor, proven: bool) -> Call {
    let described = match (&call.server, proven) {
        (_, false) => Described::claimed(tool),
        (Some(_), true) => Described::by_pinned_server(tool),
        (None, true) => Described::by_registry(tool),
    };
    call.described(described)
}

fn tool(written: Value) -> Descriptor {
    serde_json::from_value(written).unwrap()
}

fn registered(name: &str, written: Value, input: Value) -> Call {
    Call::new(name, input).in_directory("/w").described(Described::by_registry(tool(written)))
}

#[test]
fn the_text_of_a_proven_shell_tool_is_told() {
    let shell = || json!({ "kind": "shell", "commands": ["/a/b"] });
    let call = registered("my_exec", shell(), json!({ "a": { "b": "ls -l" } }));
    assert_eq!(shell_text(&call).as_deref(), Some("ls -l"));
    let words = registered("my_exec", shell(), json!({ "a": { "b": ["ls", "a b"] } }));
    assert_eq!(shell_text(&words).as_deref(), Some("ls 'a b'"));
    assert_eq!(shell_text(&registered("my_exec", shell(), json!({ "a": "ls" }))), None);
    // Of several commands none is the one.
    let several = json!({ "kind": "shell", "commands": ["a", "b"] });
    assert_eq!(shell_text(&registered("x", several, json!({ "a": "ls", "b": "pwd" }))), None);
    // The table does not speak for a tool that is proven to be something else.
    let reader = json!({ "kind": "read_files", "reads": ["command"] });
    assert_eq!(shell_text(&registered("bash", reader.clone(), json!({ "command": "ls" }))), None);
    let claimed = Call::new("bash", json!({ "command": "ls" })).described(Described::claimed(tool(reader)));
    assert_eq!(shell_text(&claimed).as_deref(), Some("ls"));
}

#[test]
fn the_paths_of_a_proven_file_tool_are_told() {
    let files = json!({ "kind": "write_files", "writes": ["to", "/more/*"] });
    let call = registered("save", files.clone(), json!({ "to": "b", "more": ["a", "/x"], "path": "c" }));
    let expected = ["/w/a", "/w/b", "/x"].map(String::from);
    assert_eq!(named_paths(&call, None).as_deref(), Some(&expected[..]));
    assert_eq!(named_paths(&registered("save", files, json!({ "to": "b" })), None), None);
}

#[test]
fn the_facts_of_every_action_are_asked_for() {
    let policy = Policy::compile(Layers::from(Vec::new()));
    let all = json!({ "kind": "composite", "commands": ["run"], "reads": ["from"], "writes": ["to"] });
    let input = json!({ "run": "cat c", "from": "a", "to": ["b"] });
    let found = needs(&policy, &registered("x", all.clone(), input.clone()));
    for path in ["/w/a", "/w/b", "/w/c"] {
        assert!(found.contains(&Need::Resolve(path.into())), "{path} in {found:?}");
    }
    let searches = json!({ "kind": "search_files", "searches": ["root"] });
    let found = needs(&policy, &registered("x", searches, json!({ "root": "/w/src" })));
    assert!(found.iter().any(|need| matches!(need, Need::Files(search) if search.directory == "/w/src")));
    // What is claimed adds to what the name asks for.
    let claimed = Call::new("Read", json!({ "file_path": "d", "run": "cat c", "from": "a", "to": "b" }));
    let claimed = claimed.in_directory("/w").described(Described::claimed(tool(all)));
    let found = needs(&policy, &claimed);
    for path in ["/w/a", "/w/b", "/w/c", "/w/d"] {
        assert!(found.contains(&Need::Resolve(path.into())), "{path} in {found:?}");
    }
}

#[test]
fn many_commands_cost_no_more_than_one() {
    let commands: Vec<String> = (0..5_000).map(|at| format!("echo {at}")).collect();
    let call =
        registered("batch", json!({ "kind": "shell", "commands": ["/all/*"] }), json!({ "all": commands }));
    let rule = Rule { tool: Some("bash".into()), command: Some("echo 4999".into()), ..Rule::default() };
    let layer = Layer::of_rules(LayerKind::Global, "test", vec![(Effect::Deny, rule)]).unwrap();
    let around = Surroundings::at(now());
    let open = judge(&Policy::compile(Layers::from(Vec::new())), &call, &around);
    assert_eq!((open.decision, &open.reasons[0]), (Decision::Confirm, &Reason::TooMuch));
    let denied = judge(&Policy::compile(Layers::from(vec![layer])), &call, &around);
    assert_eq!(denied.decision, Decision::Deny);
}

#[test]
fn parts_stand_in_the_text_that_is_shown_or_nowhere() {
    let policy = Policy::compile(Layers::from(Vec::new()));
    let around = Surroundings::at(now());
    let one = registered("x", json!({ "kind": "shell", "commands": ["a"] }), json!({ "a": "curl x; ls" }));
    assert_eq!(judge(&policy, &one, &around).parts[0].span, Some((0, 6)));
    let two = json!({ "kind": "shell", "commands": ["a", "b"] });
    let two = registered("x", two, json!({ "a": "curl x; ls", "b": "curl y" }));
    let parts = judge(&policy, &two, &around).parts;
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    assert_eq!(texts, ["curl x", "ls", "curl y"]);
    assert!(parts.iter().all(|part| part.span.is_none()));
}

#[test]
fn reading_is_harmless_only_where_nothing_is_changed() {
    let policy = Policy::compile(Layers::from(Vec::new()));
    let level = |read_only: bool| {
        let files = json!({ "kind": "read_files", "reads": ["a"], "readOnly": read_only });
        judge(&policy, &registered("x", files, json!({ "a": "b" })), &Surroundings::at(now())).danger.level
    };
    assert!(level(true) < level(false));
    assert_eq!(tool(json!({ "kind": "unknown", "readOnly": true })).kind(), DescriptorKind::Unknown);
}
