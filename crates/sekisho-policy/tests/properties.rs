//! Properties of every policy and every call.

use proptest::prelude::*;
use sekisho_policy::{
    Decision, Effect, JudgeContext, LayerKind, LayerTrust, Reason, RuleOutcome, Verdict, judge,
    judge_and_trace, judge_with_extra_rules,
};

use crate::strategies::{call, cases, compile, context, spec, specs};

proptest! {
    #![proptest_config(cases(1_200))]

    #[test]
    fn added_rule_changes_verdicts_only_toward_its_effect(specs in specs(), added in spec(), call in call()) {
        let before = compile(&specs);
        let context = context(&before, &call, true);
        let before = judge(&before, &call, &context).decision;
        for (effect, rule) in &added.rules {
            let mut more = added.clone();
            more.rules = vec![(*effect, rule.clone())];
            let with: Vec<_> = specs.iter().cloned().chain([more]).collect();
            let after = judge(&compile(&with), &call, &context).decision;
            match effect {
                Effect::Allow => prop_assert!(after <= before, "an allow tightened: {:?}", rule),
                Effect::Confirm | Effect::Deny => prop_assert!(after >= before, "{} loosened: {:?}", effect, rule),
            }
        }
    }

    #[test]
    fn required_approval_turns_an_allow_into_a_question_and_nothing_else(
        specs in specs(), call in call(), can_confirm: bool,
    ) {
        let policy = compile(&specs);
        let context = context(&policy, &call, can_confirm);
        let usual = judge(&policy, &call, &context);
        let required = judge(&policy, &call, &JudgeContext { requires_approval: true, ..context });
        if usual.decision != Decision::Allow {
            prop_assert_eq!(required, usual);
        } else if can_confirm {
            prop_assert_eq!(required.decision, Decision::Confirm);
            prop_assert_eq!(required.reasons.first(), Some(&Reason::ApprovalRequired));
            prop_assert_eq!(&required.reasons[1..], usual.reasons.as_slice());
        } else {
            prop_assert_eq!(required.decision, Decision::Deny);
            prop_assert_eq!(required.reasons.first(), Some(&Reason::NobodyCanConfirm));
        }
    }

    #[test]
    fn order_does_not_matter(specs in specs(), call in call(), turn in 0_usize..5) {
        let policy = compile(&specs);
        let context = context(&policy, &call, true);
        let mut turned = specs.clone();
        turned.rotate_left(turn.min(specs.len()));
        for spec in &mut turned {
            spec.rules.reverse();
            let middle = turn.min(spec.rules.len());
            spec.rules.rotate_left(middle);
        }
        let decision = judge(&policy, &call, &context).decision;
        prop_assert_eq!(judge(&compile(&turned), &call, &context).decision, decision);
    }

    #[test]
    fn verdict_is_repeatable_storable_and_explained(specs in specs(), call in call(), can_confirm: bool) {
        let policy = compile(&specs);
        let context = context(&policy, &call, can_confirm);
        let verdict = judge(&policy, &call, &context);
        prop_assert!(!verdict.reasons.is_empty());
        prop_assert_eq!(&judge(&policy, &call, &context), &verdict);

        let kept: Verdict = serde_json::from_str(&serde_json::to_string(&verdict).unwrap()).unwrap();
        prop_assert_eq!(&kept, &verdict);

        let (traced, considered) = judge_and_trace(&policy, &call, &context);
        prop_assert_eq!(&traced, &verdict);
        let decided: Vec<_> = considered.iter().filter(|one| one.outcome == RuleOutcome::Decided).collect();
        let by_rule = verdict.reasons.iter().any(|reason| matches!(reason, Reason::Rule { .. }));
        prop_assert_eq!(decided.len(), usize::from(by_rule));
        prop_assert!(decided.iter().all(|one| Some(&one.rule) == verdict.rules.first()));
    }
}

proptest! {
    #![proptest_config(cases(1_200))]

    #[test]
    fn extra_rules_equal_compiling_everything(specs in specs(), added in spec(), call in call()) {
        let policy = compile(&specs);
        let context = context(&policy, &call, true);
        for (effect, rule) in &added.rules {
            let remembered = crate::strategies::LayerSpec {
                kind: LayerKind::Session,
                standing: LayerTrust::Full,
                rules: vec![(*effect, rule.clone())],
            };
            let all: Vec<_> = specs.iter().cloned().chain([remembered]).collect();
            let expected = judge(&compile(&all), &call, &context);
            let found = judge_with_extra_rules(&policy, &call, &context, *effect, std::slice::from_ref(rule)).unwrap();
            match found {
                Some(found) => {
                    prop_assert_eq!(found.decision, expected.decision);
                    // Of two confirms of equal strength, one of them not evaluated, either may be cited.
                    if expected.decision != Decision::Confirm {
                        prop_assert_eq!(found.reasons, expected.reasons);
                    }
                }
                None => prop_assert_eq!(judge(&policy, &call, &context).decision, Decision::Deny),
            }
        }
    }
}
