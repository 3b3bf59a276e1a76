use sekisho_policy::Decision::{Allow, Confirm, Deny};
use sekisho_policy::{Effect, Example, Examples};

use super::*;

fn draft(effect: Effect, name: &str) -> RuleDraft {
    RuleDraft { effect, rule: tool(name) }
}

#[tokio::test]
async fn rule_changes_are_recorded_and_active_at_once() {
    let harness = RulebookHarness::new();
    let before = harness.book.generation();
    let added = harness.book.add(draft(Effect::Allow, "a"), &me(), at(0)).await.unwrap();
    assert_eq!((added.rule.id, &*added.created_by), (Some(added.id), "mia"));
    let line = harness.recorded().entry;
    assert_eq!((line.by, &line.body["id"]), (Some(me()), &json!(added.id)));
    assert_eq!(harness.decide("a"), Allow);
    assert!(harness.book.generation() > before);

    let replaced = harness.book.replace(added.id, draft(Effect::Deny, "a"), &me(), at(1)).await.unwrap();
    assert_eq!((replaced.id, replaced.created_at, replaced.updated_at), (added.id, at(0), at(1)));
    assert_eq!(harness.recorded().entry.body["before"]["effect"], "allow");
    assert_eq!(harness.decide("a"), Deny);

    assert_eq!(harness.book.remove(added.id, &me(), at(2)).await.unwrap(), replaced);
    assert!(harness.recorded().entry.text.contains("removed by mia"));
    assert_eq!(harness.decide("a"), Confirm);
    let gone = Err(RuleChangeError::NoSuchRule(added.id));
    assert_eq!(harness.book.remove(added.id, &me(), at(2)).await, gone);
    assert_eq!(harness.book.replace(added.id, draft(Effect::Deny, "a"), &me(), at(2)).await, gone);
    assert!(harness.rules.records.lock().unwrap().is_empty());
}

#[tokio::test]
async fn invalid_rule_is_not_written() {
    let harness = RulebookHarness::new();
    let mut faulty = draft(Effect::Allow, "read");
    faulty.rule.host = Some("x".into());
    let mut untrue = draft(Effect::Allow, "a");
    untrue.rule.examples =
        Some(Examples { matching: vec![Example::Text("b".into())], not_match: Vec::new() });
    for (draft, field) in [(faulty, "host"), (untrue, "examples")] {
        let error = harness.book.add(draft, &me(), at(0)).await.unwrap_err();
        assert!(matches!(&error, RuleChangeError::Rule(rule) if rule.field == field), "{error}");
    }
    assert!(harness.rules.rules.lock().unwrap().is_empty());
    // A rule that matches everything: only the database accepts it.
    harness.book.add(RuleDraft { effect: Effect::Allow, rule: Rule::default() }, &me(), at(0)).await.unwrap();
    assert_eq!(harness.decide("anything"), Allow);
}

#[tokio::test]
async fn replaced_session_rule_keeps_its_expiry() {
    let harness = RulebookHarness::new();
    let mine = session("t", None, "run:1");
    let rule = Rule { expires_at: Some(at(12)), ..tool("a") };
    let kept = stored(Effect::Allow, rule, Some(mine.clone()));
    harness.rules.put(vec![kept.clone()]);
    let replaced = harness.book.replace(kept.id, draft(Effect::Allow, "b"), &me(), at(1)).await.unwrap();
    assert_eq!((replaced.session, replaced.rule.expires_at), (Some(mine), Some(at(12))));
}

#[tokio::test]
async fn failed_write_changes_nothing() {
    let harness = RulebookHarness::new();
    harness.book.refresh(at(0)).await.unwrap();
    harness.rules.fail(Some("full"));
    let error = harness.book.add(draft(Effect::Allow, "a"), &me(), at(0)).await.unwrap_err();
    assert_eq!(error.to_string(), "full");
    assert_eq!(harness.decide("a"), Confirm);
}
