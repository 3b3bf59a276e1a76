//! Stored rules.

use sekisho_gate::WriteAccess;

use sekisho_gate::caller::Session;
use sekisho_gate::record::EventPayload;
use sekisho_gate::rule_store::StoredRule;
use sekisho_policy::{Effect, Examples, Rule};

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{rules_changed_record, seconds_after_start, stored_rule};

async fn all(desk: &StoreHarness, seconds: i64) -> Vec<StoredRule> {
    desk.0.rules.all(seconds_after_start(seconds)).await.expect("listing works").rules
}

async fn revision(desk: &StoreHarness) -> u64 {
    desk.0.rules.all(seconds_after_start(0)).await.expect("listing works").revision
}

async fn add(desk: &StoreHarness, rules: &[StoredRule], seconds: i64) {
    let record = rules_changed_record(seconds_after_start(seconds), "rules were made");
    desk.0.rules.add(WriteAccess::TESTS, rules.to_vec(), record).await.expect("adding works");
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
    let desk = StoreHarness::fresh(backend).await;
    assert_eq!(all(&desk, 0).await, []);
    let made = [
        rich(1),
        stored_rule("b", Effect::Deny, seconds_after_start(2)),
        stored_rule("a", Effect::Allow, seconds_after_start(3)),
        stored_rule("c", Effect::Allow, seconds_after_start(4)),
    ];
    add(&desk, &made[..2], 2).await;
    add(&desk, &made[2..], 4).await;
    assert_eq!(all(&desk, 5).await, made);
    assert_eq!(
        desk.changes().await,
        [EventPayload::RulesChanged, EventPayload::RulesChanged],
        "one a write, not one a rule"
    );
    let record = |seconds| rules_changed_record(seconds_after_start(seconds), "rules were made").entry;
    assert_eq!(desk.entries().await, [record(2), record(4)]);
}

pub(super) async fn replacement_keeps_the_position(backend: &dyn Backend) {
    let desk = StoreHarness::fresh(backend).await;
    let made = [rich(1), stored_rule("b", Effect::Deny, seconds_after_start(2))];
    add(&desk, &made, 2).await;
    let mut changed = made[0].clone();
    changed.effect = Effect::Allow;
    changed.updated_at = seconds_after_start(9);
    changed.rule = Rule { id: Some(changed.id), tool: Some("other".into()), ..Rule::default() };
    let record = rules_changed_record(seconds_after_start(9), "a rule was changed");
    assert_eq!(desk.0.rules.replace(WriteAccess::TESTS, changed.clone(), record.clone()).await, Ok(true));
    assert_eq!(all(&desk, 9).await, [changed, made[1].clone()]);
    assert_eq!(desk.entries().await[1..], [record.entry]);
    assert_eq!(desk.changes().await.len(), 2);
}

pub(super) async fn removed_rule_is_gone(backend: &dyn Backend) {
    let desk = StoreHarness::fresh(backend).await;
    let made = [rich(1), stored_rule("b", Effect::Deny, seconds_after_start(2))];
    add(&desk, &made, 2).await;
    let record = rules_changed_record(seconds_after_start(3), "a rule was removed");
    assert_eq!(desk.0.rules.remove(WriteAccess::TESTS, made[0].id, record.clone()).await, Ok(true));
    assert_eq!(all(&desk, 3).await, made[1..]);
    let before = (revision(&desk).await, desk.entries().await, desk.changes().await);
    assert_eq!(desk.0.rules.remove(WriteAccess::TESTS, made[0].id, record.clone()).await, Ok(false));
    assert_eq!(desk.0.rules.replace(WriteAccess::TESTS, made[0].clone(), record).await, Ok(false));
    assert_eq!((revision(&desk).await, desk.entries().await, desk.changes().await), before);
}

pub(super) async fn session_rules_end_with_their_session(backend: &dyn Backend) {
    let desk = StoreHarness::fresh(backend).await;
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
    add(&desk, &[of_session.clone(), expiring.clone()], 2).await;
    assert_eq!(all(&desk, 99).await, [of_session, expiring.clone()]);
    assert_eq!(
        all(&desk, 101).await,
        [expiring],
        "only those of sessions go; judging knows about the others"
    );
}

pub(super) async fn all_rules_are_added_or_none(backend: &dyn Backend) {
    let desk = StoreHarness::fresh(backend).await;
    let (kept, fresh) = (rich(1), stored_rule("b", Effect::Deny, seconds_after_start(2)));
    add(&desk, std::slice::from_ref(&kept), 1).await;
    let before = (revision(&desk).await, desk.written().await);
    let record = rules_changed_record(seconds_after_start(3), "rules were made");
    assert!(
        desk.0.rules.add(WriteAccess::TESTS, vec![fresh, kept.clone()], record).await.is_err(),
        "one of them is there"
    );
    assert_eq!(all(&desk, 3).await, [kept]);
    assert_eq!((revision(&desk).await, desk.written().await), before);
}

pub(super) async fn revision_grows(backend: &dyn Backend) {
    let desk = StoreHarness::fresh(backend).await;
    let mut told = desk.0.rules.revision();
    let first = revision(&desk).await;
    assert_eq!(*told.borrow_and_update(), first);
    let rule = stored_rule("a", Effect::Allow, seconds_after_start(1));
    let record = |text| rules_changed_record(seconds_after_start(2), text);
    add(&desk, std::slice::from_ref(&rule), 1).await;
    let second = revision(&desk).await;
    desk.0.rules.replace(WriteAccess::TESTS, rule.clone(), record("changed")).await.expect("replacing works");
    let third = revision(&desk).await;
    desk.0.rules.remove(WriteAccess::TESTS, rule.id, record("removed")).await.expect("removing works");
    let fourth = revision(&desk).await;
    assert!(first < second && second < third && third < fourth);
    let last = *told.wait_for(|told| *told >= fourth).await.expect("the store is there");
    assert_eq!(last, fourth);
}

pub(super) async fn rules_survive_reopening(backend: &dyn Backend) {
    let desk = StoreHarness::fresh(backend).await;
    let made = [rich(1), stored_rule("b", Effect::Deny, seconds_after_start(2))];
    add(&desk, &made, 2).await;
    let before = revision(&desk).await;
    let desk = StoreHarness(backend.reopen(desk.0).await);
    assert_eq!(all(&desk, 3).await, made);
    assert_eq!(revision(&desk).await, before);
    assert_eq!(*desk.0.rules.revision().borrow(), before);
    add(&desk, &[stored_rule("c", Effect::Allow, seconds_after_start(4))], 4).await;
    assert!(revision(&desk).await > before);
}
