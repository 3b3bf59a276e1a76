//! A policy that was converted to bytes and back judges as before.

use std::cell::Cell;

use proptest::prelude::*;
use sekisho_policy::{
    BrokenLayer, Call, Effect, JudgeContext, Layer, LayerKind, Layers, Policy, PolicyBytesError, Rule,
    Verdict, corpus, judge, judge_analysed, judge_and_trace, judge_with_extra_rules, required_facts,
    required_facts_and_analysis,
};

use crate::corpus::files;
use crate::strategies::{call, cases, compile, context, spec, specs};

fn again(policy: &Policy) -> Policy {
    Policy::from_bytes(policy.to_bytes()).unwrap()
}

/// Everything a policy decides about a call.
fn full_result(policy: &Policy, call: &Call, context: &JudgeContext) -> String {
    let (traced, considered) = judge_and_trace(policy, call, context);
    let verdict = judge(policy, call, context);
    assert_eq!(verdict, traced);
    let (queries, analysis) = required_facts_and_analysis(policy, call);
    assert_eq!(judge_analysed(policy, call, context, analysis), verdict);
    assert_eq!(queries, required_facts(policy, call));
    let rules: Vec<String> = considered
        .iter()
        .map(|one| {
            let rule = &one.rule;
            format!("{} {:?} {:?} {:?}", rule.describe(), rule.id(), rule.rule(), one.outcome)
        })
        .collect();
    let wire = serde_json::to_string(&(&verdict, &considered)).unwrap();
    format!(
        "{wire}\n{verdict:?}\n{rules:?}\n{:?}\n{:?}\n{}",
        required_facts(policy, call),
        policy.notices(),
        policy.len()
    )
}

proptest! {
    #![proptest_config(cases(900))]

    #[test]
    fn policy_from_bytes_judges_the_same(specs in specs(), call in call(), can_confirm: bool) {
        let policy = compile(&specs);
        let context = context(&policy, &call, can_confirm);
        let back = again(&policy);
        prop_assert_eq!(full_result(&back, &call, &context), full_result(&policy, &call, &context));
        prop_assert_eq!(back.to_bytes(), policy.to_bytes());
    }

    #[test]
    fn policy_from_bytes_judges_extra_rules_the_same(specs in specs(), added in spec(), call in call()) {
        let policy = compile(&specs);
        let context = context(&policy, &call, true);
        let back = again(&policy);
        for (effect, rule) in &added.rules {
            let remembering = |policy| judge_with_extra_rules(policy, &call, &context, *effect, std::slice::from_ref(rule));
            prop_assert_eq!(remembering(&back).unwrap(), remembering(&policy).unwrap());
        }
    }

    #[test]
    fn damaged_bytes_are_no_policy(
        specs in specs(),
        at in any::<prop::sample::Index>(),
        bit in 0_u8..8,
        kind in 0..4,
    ) {
        let whole = compile(&specs).to_bytes();
        let mut bytes = whole.clone();
        let at = at.index(bytes.len());
        match kind {
            0 => bytes[at] ^= 1 << bit,
            1 => bytes.truncate(at),
            2 => bytes[at..].fill(0),
            _ => bytes.insert(at, bit),
        }
        prop_assert!(bytes == whole || Policy::from_bytes(bytes).is_err());
    }

    #[test]
    fn random_bytes_are_no_policy(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(Policy::from_bytes(bytes).err(), Some(PolicyBytesError::NotAPolicy));
    }
}

#[test]
fn policy_from_bytes_passes_the_corpus() {
    let judged = Cell::new(0);
    let twice = |policy: &Policy, call: &Call, context: &JudgeContext| -> Verdict {
        judged.set(judged.get() + 1);
        let back = again(policy);
        assert_eq!(full_result(&back, call, context), full_result(policy, call, context), "{call:?}");
        judge(&back, call, context)
    };
    let failures: Vec<String> = files()
        .iter()
        .flat_map(|(name, text)| corpus::run_with(name, text, &twice).failures)
        .map(|failure| failure.to_string())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(judged.get() >= 150, "only {} calls", judged.get());
}

#[test]
fn every_field_round_trips() {
    let project = r#"{ "version": 1, "strict_redirects": true, "protected_paths": { "remove": [".env*"], "add": ["x/[ab]"] },
        "permissions": { "allow": [{ "tool": "bash", "unrestricted": true, "id": "0190163d-8694-739b-aea5-966c26f8ad91" }] } }"#;
    let layers = Layers {
        loaded: vec![Layer::parse(LayerKind::Project, "p.json", project).unwrap()],
        broken: vec![BrokenLayer {
            kind: LayerKind::Project,
            name: "q.json".into(),
            error: "line 1: what?".into(),
        }],
    };
    let policy = Policy::compile(layers);
    assert_eq!(policy.notices().len(), 3);
    let call = Call::new("Bash", serde_json::json!({ "command": "ls > x/a; cat .env" })).in_directory("/w");
    let context = context(&policy, &call, true);
    let said = full_result(&again(&policy), &call, &context);
    assert_eq!(said, full_result(&policy, &call, &context));
    for part in ["config_broken", "0190163d-8694-739b-aea5-966c26f8ad91", "CannotLoosen"] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
}

#[test]
fn bytes_of_another_build_differ_from_damaged_ones() {
    let bytes = compile(&[]).to_bytes();
    let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        Policy::from_bytes(bytes).err()
    };
    assert_eq!(with(0, b'S'), Some(PolicyBytesError::NotAPolicy));
    assert_eq!(with(line - 1, b'x'), Some(PolicyBytesError::OtherBuild));
    assert_eq!(with(line + 1, !bytes[line + 1]), Some(PolicyBytesError::Damaged));
    assert_eq!(with(bytes.len() - 1, b'x'), Some(PolicyBytesError::Damaged));
    assert_eq!(Policy::from_bytes(Vec::new()).err(), Some(PolicyBytesError::NotAPolicy));
    assert!(PolicyBytesError::OtherBuild.to_string().contains("compile it again"));
}

#[test]
fn policy_of_many_rules_round_trips() {
    let rules = (0..2_000).map(|at| {
        let rule =
            Rule { tool: Some("bash".into()), command: Some(format!("prog{at} sub")), ..Rule::default() };
        (if at % 7 == 0 { Effect::Deny } else { Effect::Allow }, rule)
    });
    let layer = Layer::from_rules(LayerKind::Database, "database", rules.collect()).unwrap();
    let policy = Policy::compile(Layers::from(vec![layer]));
    let back = again(&policy);
    for at in (0..2_000).step_by(37) {
        let call =
            Call::new("Bash", serde_json::json!({ "command": format!("prog{at} sub x") })).in_directory("/w");
        let context = context(&policy, &call, true);
        assert_eq!(full_result(&back, &call, &context), full_result(&policy, &call, &context));
    }
}
