//! Stored rules.

use jiff::SignedDuration;
use sekisho_gate::WriteAccess;
use sekisho_gate::caller::Session;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::ledger::LedgerReader;
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use sekisho_policy::{Effect, Example, Examples, OnTimeout, Rule};
use uuid::Uuid;

use crate::harness::{TempDatabase, at, line, replica, wait};

fn stored(number: u128, effect: Effect, session: Option<&str>) -> StoredRule {
    let id = Uuid::from_u128(number);
    let session = session.map(|scope| Session { credential: "me".into(), agent: None, scope: scope.into() });
    StoredRule {
        id,
        effect,
        rule: Rule { id: Some(id), tool: Some("send_mail".into()), ..Rule::default() },
        session,
        created_at: at(0),
        updated_at: at(1),
        created_by: "Ann".into(),
    }
}

/// A rule with every field set.
fn whole() -> StoredRule {
    let text = |name: &str| Some(name.to_owned());
    let mut whole = stored(9, Effect::Confirm, None);
    whole.rule = Rule {
        id: Some(whole.id),
        priority: -7,
        server: text("server"),
        tool: text("tool"),
        tool_pattern: text("t*"),
        agent: text("agent"),
        command: text("git push"),
        command_glob: text("git *"),
        skill_name: text("skill"),
        input: text(r#"{"id":7}"#),
        path: text("/w/**"),
        host: text("*.example.org"),
        timeout_s: Some(u32::MAX),
        on_timeout: Some(OnTimeout::Park),
        expires_at: Some(at(99)),
        note: text("why"),
        examples: Some(Examples { matching: vec![Example::Text("git push".into())], not_match: Vec::new() }),
        unrestricted: true,
    };
    whole
}

#[test]
fn rules_round_trip_in_order() {
    let place = TempDatabase::new();
    let rules = vec![
        stored(5, Effect::Deny, None),
        stored(3, Effect::Allow, Some("run:1")),
        whole(),
        stored(1, Effect::Allow, None),
    ];
    {
        let store = place.store();
        wait(store.add(WriteAccess::TESTS, rules[..2].to_vec(), line(1))).unwrap();
        wait(store.add(WriteAccess::TESTS, rules[2..].to_vec(), line(1))).unwrap();
    }
    let store = place.store();
    assert_eq!(wait(store.all(at(2))), Ok(StoredRules { revision: 2, rules }));
    assert_eq!((*store.revision().borrow(), *store.head().borrow()), (2, 2));
}

#[test]
fn rules_are_added_all_or_none() {
    let place = TempDatabase::new();
    let store = place.store();
    wait(store.add(WriteAccess::TESTS, vec![stored(1, Effect::Allow, None)], line(1))).unwrap();
    for session in [None, Some("run:1")] {
        let twice = vec![stored(2, Effect::Deny, None), stored(1, Effect::Deny, session)];
        assert!(!wait(store.add(WriteAccess::TESTS, twice, line(1))).unwrap_err().transient);
    }
    let all = wait(store.all(at(2))).unwrap();
    assert_eq!((all.revision, all.rules), (1, vec![stored(1, Effect::Allow, None)]));
    assert_eq!((place.count("events"), place.count("audit_log")), (1, 1));
}

#[test]
fn replacing_keeps_the_position_and_removing_deletes() {
    let place = TempDatabase::new();
    let store = place.store();
    let rules = [1, 2, 3].map(|number| stored(number, Effect::Allow, None));
    wait(store.add(WriteAccess::TESTS, rules.to_vec(), line(1))).unwrap();
    let changed = stored(2, Effect::Deny, Some("run:1"));
    assert_eq!(wait(store.replace(WriteAccess::TESTS, changed.clone(), line(1))), Ok(true));
    assert_eq!(wait(store.replace(WriteAccess::TESTS, stored(7, Effect::Allow, None), line(1))), Ok(false));
    assert_eq!(wait(store.remove(WriteAccess::TESTS, rules[0].id, line(1))), Ok(true));
    assert_eq!(wait(store.remove(WriteAccess::TESTS, rules[0].id, line(1))), Ok(false));
    let all = wait(store.all(at(2))).unwrap();
    assert_eq!((all.revision, all.rules), (3, vec![changed, rules[2].clone()]));
    assert_eq!(place.count("events"), 3);
}

#[test]
fn rules_of_an_ended_session_are_deleted() {
    let place = TempDatabase::new();
    let store = place.store();
    let mut brief = stored(1, Effect::Allow, Some("run:1"));
    brief.rule.expires_at = Some(at(10).checked_add(SignedDuration::from_nanos(1)).unwrap());
    let mut database = stored(2, Effect::Allow, None);
    database.rule.expires_at = Some(at(10));
    wait(store.add(WriteAccess::TESTS, vec![brief.clone(), database.clone()], line(1))).unwrap();
    assert_eq!(wait(store.all(at(10))).unwrap().rules, [brief, database.clone()]);
    assert_eq!(wait(store.all(at(11))).unwrap().rules, [database]);
    wait(store.sweep(WriteAccess::TESTS, replica(), at(11))).unwrap();
    assert_eq!(place.count("session_rules"), 0);
}
