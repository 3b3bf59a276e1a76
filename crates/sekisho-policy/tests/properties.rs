//! Properties of every policy and every call.

use proptest::prelude::*;
use sekisho_policy::{
    Decision, Effect, LayerKind, LayerTrust, Reason, RuleOutcome, Verdict, judge, judge_and_trace,
    judge_with_extra_rules,
};

use crate::strategies::{around, call, cases, compile, sheet, sheets};

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn added_rule_changes_verdicts_only_toward_its_effect(sheets in sheets(), added in sheet(), call in call()) {
        let before = compile(&sheets);
        let around = around(&before, &call, true);
        let before = judge(&before, &call, &around).decision;
        for (effect, rule) in &added.rules {
            let mut more = added.clone();
            more.rules = vec![(*effect, rule.clone())];
            let with: Vec<_> = sheets.iter().cloned().chain([more]).collect();
            let after = judge(&compile(&with), &call, &around).decision;
            match effect {
                Effect::Allow => prop_assert!(after <= before, "an allow tightened: {:?}", rule),
                Effect::Confirm | Effect::Deny => prop_assert!(after >= before, "{} loosened: {:?}", effect, rule),
            }
        }
    }

    #[test]
    fn order_does_not_matter(sheets in sheets(), call in call(), turn in 0_usize..5) {
        let policy = compile(&sheets);
        let around = around(&policy, &call, true);
        let mut turned = sheets.clone();
        turned.rotate_left(turn.min(sheets.len()));
        for sheet in &mut turned {
            sheet.rules.reverse();
            let middle = turn.min(sheet.rules.len());
            sheet.rules.rotate_left(middle);
        }
        let decision = judge(&policy, &call, &around).decision;
        prop_assert_eq!(judge(&compile(&turned), &call, &around).decision, decision);
    }

    #[test]
    fn verdict_is_repeatable_storable_and_explained(sheets in sheets(), call in call(), can_confirm: bool) {
        let policy = compile(&sheets);
        let around = around(&policy, &call, can_confirm);
        let verdict = judge(&policy, &call, &around);
        prop_assert!(!verdict.reasons.is_empty());
        prop_assert_eq!(&judge(&policy, &call, &around), &verdict);

        let kept: Verdict = serde_json::from_str(&serde_json::to_string(&verdict).unwrap()).unwrap();
        prop_assert_eq!(&kept, &verdict);

        let (traced, considered) = judge_and_trace(&policy, &call, &around);
        prop_assert_eq!(&traced, &verdict);
        let decided: Vec<_> = considered.iter().filter(|one| one.outcome == RuleOutcome::Decided).collect();
        let by_rule = verdict.reasons.iter().any(|reason| matches!(reason, Reason::Rule { .. }));
        prop_assert_eq!(decided.len(), usize::from(by_rule));
        prop_assert!(decided.iter().all(|one| Some(&one.rule) == verdict.rules.first()));
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn extra_rules_equal_compiling_everything(sheets in sheets(), added in sheet(), call in call()) {
        let policy = compile(&sheets);
        let around = around(&policy, &call, true);
        for (effect, rule) in &added.rules {
            let remembered = crate::strategies::LayerSpec {
                kind: LayerKind::Session,
                standing: LayerTrust::Full,
                rules: vec![(*effect, rule.clone())],
            };
            let all: Vec<_> = sheets.iter().cloned().chain([remembered]).collect();
            let expected = judge(&compile(&all), &call, &around);
            let found = judge_with_extra_rules(&policy, &call, &around, *effect, std::slice::from_ref(rule)).unwrap();
            match found {
                Some(found) => {
                    prop_assert_eq!(found.decision, expected.decision);
                    // Of two confirms of equal strength, one of them not evaluated, either may be cited.
                    if expected.decision != Decision::Confirm {
                        prop_assert_eq!(found.reasons, expected.reasons);
                    }
                }
                None => prop_assert_eq!(judge(&policy, &call, &around).decision, Decision::Deny),
            }
        }
    }
}
