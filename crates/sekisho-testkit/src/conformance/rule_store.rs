//! Stored rules.

use sekisho_gate::WriteAccess;

use sekisho_gate::caller::Session;
use sekisho_gate::record::EventPayload;
use sekisho_gate::rule_store::StoredRule;
use sekisho_policy::{Effect, Examples, Rule};

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{rules_changed_record, seconds_after_start, stored_rule};

async fn all(harness: &StoreHarness, seconds: i64) -> Vec<StoredRule> {
    harness.0.rules.all(seconds_after_start(seconds)).await.expect("listing works").rules
}

async fn revision(harness: &StoreHarness) -> u64 {
    harness.0.rules.all(seconds_after_start(0)).await.expect("listing works").revision
}

async fn add(harness: &StoreHarness, rules: &[StoredRule], seconds: i64) {
    let record = rules_changed_record(seconds_after_start(seconds), "rules were made");
    harness.0.rules.add(WriteAccess::TESTS, rules.to_vec(), record).await.expect("adding works");
}

/// A value with every field a store could lose.
fn rich(seconds: i64) -> StoredRule {
    let mut rich = stored_rule("deploy", Effect::Confirm, seconds_after_start(seconds));
    rich.rule = Rule {
        priority: -7,
        server: Some("sérver".into()),
        agent: Some("builder".into()),
        timeout_s: Some(7),
        on_timeout: Some(sekisho_policy::OnTimeout::Park),
        note: Some("a \"note\"\n関所".into()),
        examples: Some(Examples::default()),
        ..rich.rule
    };
    rich.updated_at = seconds_after_start(seconds + 1);
    rich
}

pub(super) async fn list_is_in_creation_order(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(all(&harness, 0).await, []);
    let made = [
        rich(1),
        stored_rule("b", Effect::Deny, seconds_after_start(2)),
        stored_rule("a", Effect::Allow, seconds_after_start(3)),
        stored_rule("c", Effect::Allow, seconds_after_start(4)),
    ];
    add(&harness, &made[..2], 2).await;
    add(&harness, &made[2..], 4).await;
    assert_eq!(all(&harness, 5).await, made);
    assert_eq!(
        harness.changes().await,
        [EventPayload::RulesChanged, EventPayload::RulesChanged],
        "one a write, not one a rule"
    );
    let record = |seconds| rules_changed_record(seconds_after_start(seconds), "rules were made").entry;
    assert_eq!(harness.entries().await, [record(2), record(4)]);
}

pub(super) async fn replacement_keeps_the_position(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let made = [rich(1), stored_rule("b", Effect::Deny, seconds_after_start(2))];
    add(&harness, &made, 2).await;
    let mut changed = made[0].clone();
    changed.effect = Effect::Allow;
    changed.updated_at = seconds_after_start(9);
    changed.rule = Rule { id: Some(changed.id), tool: Some("other".into()), ..Rule::default() };
    let record = rules_changed_record(seconds_after_start(9), "a rule was changed");
    assert_eq!(harness.0.rules.replace(WriteAccess::TESTS, changed.clone(), record.clone()).await, Ok(true));
    assert_eq!(all(&harness, 9).await, [changed, made[1].clone()]);
    assert_eq!(harness.entries().await[1..], [record.entry]);
    assert_eq!(harness.changes().await.len(), 2);
}

pub(super) async fn removed_rule_is_gone(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let made = [rich(1), stored_rule("b", Effect::Deny, seconds_after_start(2))];
    add(&harness, &made, 2).await;
    let record = rules_changed_record(seconds_after_start(3), "a rule was removed");
    assert_eq!(harness.0.rules.remove(WriteAccess::TESTS, made[0].id, record.clone()).await, Ok(true));
    assert_eq!(all(&harness, 3).await, made[1..]);
    let before = (revision(&harness).await, harness.entries().await, harness.changes().await);
    assert_eq!(harness.0.rules.remove(WriteAccess::TESTS, made[0].id, record.clone()).await, Ok(false));
    assert_eq!(harness.0.rules.replace(WriteAccess::TESTS, made[0].clone(), record).await, Ok(false));
    assert_eq!((revision(&harness).await, harness.entries().await, harness.changes().await), before);
}

pub(super) async fn session_rules_end_with_their_session(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let session = Session {
        credential: "token-1".into(),
        agent: Some("builder".into()),
        scope: "conversation:conversation-1".into(),
    };
    let mut of_session = stored_rule("a", Effect::Allow, seconds_after_start(1));
    of_session.session = Some(session);
    of_session.rule.expires_at = Some(seconds_after_start(100));
    let mut expiring = stored_rule("b", Effect::Allow, seconds_after_start(2));
    expiring.rule.expires_at = Some(seconds_after_start(100));
    add(&harness, &[of_session.clone(), expiring.clone()], 2).await;
    assert_eq!(all(&harness, 99).await, [of_session, expiring.clone()]);
    assert_eq!(
        all(&harness, 101).await,
        [expiring],
        "only those of sessions go; judging knows about the others"
    );
}

pub(super) async fn all_rules_are_added_or_none(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (kept, fresh) = (rich(1), stored_rule("b", Effect::Deny, seconds_after_start(2)));
    add(&harness, std::slice::from_ref(&kept), 1).await;
    let before = (revision(&harness).await, harness.written().await);
    let record = rules_changed_record(seconds_after_start(3), "rules were made");
    assert!(
        harness.0.rules.add(WriteAccess::TESTS, vec![fresh, kept.clone()], record).await.is_err(),
        "one of them is there"
    );
    assert_eq!(all(&harness, 3).await, [kept]);
    assert_eq!((revision(&harness).await, harness.written().await), before);
}

pub(super) async fn revision_grows(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let mut told = harness.0.rules.revision();
    let first = revision(&harness).await;
    assert_eq!(*told.borrow_and_update(), first);
    let rule = stored_rule("a", Effect::Allow, seconds_after_start(1));
    let record = |text| rules_changed_record(seconds_after_start(2), text);
    add(&harness, std::slice::from_ref(&rule), 1).await;
    let second = revision(&harness).await;
    harness
        .0
        .rules
        .replace(WriteAccess::TESTS, rule.clone(), record("changed"))
        .await
        .expect("replacing works");
    let third = revision(&harness).await;
    harness.0.rules.remove(WriteAccess::TESTS, rule.id, record("removed")).await.expect("removing works");
    let fourth = revision(&harness).await;
    assert!(first < second && second < third && third < fourth);
    let last = *told.wait_for(|told| *told >= fourth).await.expect("the store is there");
    assert_eq!(last, fourth);
}

pub(super) async fn rules_survive_reopening(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let made = [rich(1), stored_rule("b", Effect::Deny, seconds_after_start(2))];
    add(&harness, &made, 2).await;
    let before = revision(&harness).await;
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!(all(&harness, 3).await, made);
    assert_eq!(revision(&harness).await, before);
    assert_eq!(*harness.0.rules.revision().borrow(), before);
    add(&harness, &[stored_rule("c", Effect::Allow, seconds_after_start(4))], 4).await;
    assert!(revision(&harness).await > before);
}
