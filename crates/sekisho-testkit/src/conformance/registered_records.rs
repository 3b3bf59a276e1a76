//! Records of other components.

use sekisho_gate::WriteAccess;
use sekisho_gate::answer::{Actor, Role};
use sekisho_gate::audit::AuditQuery;
use sekisho_gate::record::{AuditEntry, EventPayload, Record, RecordKind};
use serde_json::{Value, json};

use super::Backend;
use super::audit_chains::verify;
use super::harness::{ALL, StoreHarness};
use crate::fixtures::{approver, audit_config, seconds_after_start};

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

fn kind(name: &str) -> RecordKind {
    RecordKind::from_name(name).expect("it is a kind")
}

fn told(kind: &RecordKind, data: Value) -> EventPayload {
    EventPayload::Part { kind: kind.clone(), data, credential: Some("token:a".into()) }
}

pub(super) async fn component_record_is_treated_like_any_other(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let started = kind("agent.run_started");
    let body = json!({ "run": 7, "prompt": format!("use {SECRET}") });
    for (seconds, who) in [(1, None), (2, Some(Actor::Person(approver(Role::Approver))))] {
        let text = format!("run 7 started with {SECRET}");
        let entry = AuditEntry {
            credential: Some("token:a".into()),
            ..AuditEntry::without_call(started.clone(), seconds_after_start(seconds), who, text, body.clone())
        };
        let record = Record { entry, event: Some(told(&started, Value::Null)) };
        harness.0.ledger.append_records(WriteAccess::TESTS, vec![record]).await.expect("noting works");
    }
    let harness = StoreHarness(backend.reopen(harness.0).await);
    let query = AuditQuery { kind: Some("agent.run_started".into()), ..AuditQuery::default() };
    let rows = harness.0.audit.search(query).await.expect("searching works");
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.kind == "agent.run_started"));
    let events = harness.0.ledger.events(0, ALL).await.expect("reading works");
    assert_eq!(events.len(), 2);
    for event in &events {
        let EventPayload::Part { kind, data, credential } = &event.change else { panic!("{event:?}") };
        assert_eq!((kind, credential.as_deref()), (&started, Some("token:a")));
        assert_eq!(data["run"], 7, "{data}");
        assert!(data["prompt"].as_str().is_some_and(|prompt| prompt.starts_with("use ")), "{data}");
    }
    let written = format!("{rows:?}{events:?}");
    assert!(!written.contains(SECRET), "{written}");
    verify(&harness, &audit_config().keys, &[]).await.expect("the chain holds");
}

pub(super) async fn event_of_a_newer_version_is_kept(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let newer = kind("quota");
    let entry = AuditEntry::without_call(
        newer.clone(),
        seconds_after_start(1),
        None,
        "a quota was used up".into(),
        Value::Null,
    );
    let record = Record { entry, event: Some(EventPayload::Unknown) };
    harness.0.ledger.append_records(WriteAccess::TESTS, vec![record]).await.expect("noting works");
    assert_eq!(harness.changes().await, [EventPayload::Unknown]);
    let query = AuditQuery { kind: Some(newer.name().into()), ..AuditQuery::default() };
    assert_eq!(harness.0.audit.search(query).await.expect("searching works").len(), 1);
}
