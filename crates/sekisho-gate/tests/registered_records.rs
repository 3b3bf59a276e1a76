//! Components write their own audit records.

use sekisho_gate::answer::Actor;
use sekisho_gate::feed::Update;
use sekisho_gate::record::{Event, EventPayload, RecordKind};
use sekisho_gate::registered_records::{
    Component, ComponentError, ComponentRecord, MAX_BODY_BYTES, MAX_BODY_DEPTH,
};
use serde_json::{Value, json};

use crate::harness::GateHarness;

fn part() -> Component {
    let schema = json!({
        "type": "object",
        "required": ["run"],
        "properties": { "run": { "type": "integer" } },
    });
    Component::new("agent").event("run_started", schema.clone()).kind("step_done", schema)
}

fn line(body: Value) -> ComponentRecord {
    ComponentRecord {
        text: "a run started".into(),
        body,
        credential: Some("token:a".into()),
        ..ComponentRecord::default()
    }
}

#[tokio::test]
async fn registered_kind_is_recorded_and_published() {
    let harness = GateHarness::new(json!({})).await;
    let recorder = harness.gate.register(part()).unwrap();
    let mut feed = harness.gate.subscribe(None);
    assert!(matches!(feed.next().await.unwrap(), Update::Snapshot(_)));
    recorder.record("step_done", line(json!({ "run": 1 }))).await.unwrap();
    recorder.record("run_started", line(json!({ "run": 1, "password": "hunter2hunter2" }))).await.unwrap();
    let entries = harness.ledger.entries();
    let kinds: Vec<&str> = entries.iter().map(|entry| entry.kind.name()).collect();
    assert_eq!(kinds, ["agent.step_done", "agent.run_started"]);
    let Update::Event(changed) = feed.next().await.unwrap() else { panic!("a change comes next") };
    let EventPayload::Part { kind, data, credential } = &changed.event.change else { panic!("{changed:?}") };
    assert_eq!((kind.name(), credential.as_deref()), ("agent.run_started", Some("token:a")));
    assert_eq!(data["run"], 1);
    assert!(!data.to_string().contains("hunter2"), "the event is masked: {data}");
}

#[tokio::test]
async fn body_that_violates_its_schema_is_not_recorded() {
    let harness = GateHarness::new(json!({})).await;
    let recorder = harness.gate.register(part()).unwrap();
    let refused = |body| recorder.record("run_started", line(body));
    let Err(ComponentError::Body { kind, why }) = refused(json!({ "run": "one" })).await else { panic!() };
    assert_eq!(kind, "agent.run_started");
    assert!(why.starts_with("`body/run`: "), "{why}");
    let long = json!({ "run": 1, "note": "x".repeat(MAX_BODY_BYTES) });
    assert!(matches!(refused(long).await, Err(ComponentError::Body { .. })));
    let unknown = recorder.record("run_ended", line(json!({ "run": 1 }))).await;
    assert_eq!(unknown, Err(ComponentError::Unknown("agent.run_ended".into())));
    harness.ledger.fail_all();
    let broken = refused(json!({ "run": 1 })).await;
    assert!(matches!(broken, Err(ComponentError::NotRecorded(_))), "{broken:?}");
    assert_eq!(harness.ledger.entries(), []);
}

#[tokio::test]
async fn record_that_no_parser_would_accept_is_not_written() {
    let harness = GateHarness::new(json!({})).await;
    let recorder = harness.gate.register(Component::new("agent").event("seen", json!(true))).unwrap();
    let nested = |depth: usize| (0..depth).fold(json!("x"), |inner, _| json!([inner]));
    // A tool result can be nested 127 levels deep. With one more level around it, no parser accepts the
    // event.
    for depth in [MAX_BODY_DEPTH + 1, 127, 300] {
        let refused = recorder.record("seen", line(nested(depth))).await;
        assert!(matches!(refused, Err(ComponentError::Body { .. })), "{depth}");
    }
    let long = ComponentRecord {
        text: "x".repeat(MAX_BODY_BYTES),
        tool: Some("y".into()),
        ..ComponentRecord::default()
    };
    assert!(matches!(recorder.record("seen", long).await, Err(ComponentError::Body { .. })));
    assert_eq!(harness.ledger.entries(), []);

    let mut feed = harness.gate.subscribe(None);
    assert!(matches!(feed.next().await.unwrap(), Update::Snapshot(_)));
    let by = Some(Actor::Rule("a rule".into()));
    recorder.record("seen", ComponentRecord { by, ..line(nested(MAX_BODY_DEPTH)) }).await.unwrap();
    let Update::Event(changed) = feed.next().await.unwrap() else { panic!("a change comes next") };
    let text = serde_json::to_string(&changed.event).unwrap();
    let parsed: Event = serde_json::from_str(&text).unwrap();
    assert_eq!(parsed, changed.event);
    let EventPayload::Part { data, .. } = parsed.change else { panic!("{parsed:?}") };
    assert_eq!(data, nested(MAX_BODY_DEPTH));
}

#[tokio::test]
async fn area_is_registered_once_with_valid_names() {
    let harness = GateHarness::new(json!({})).await;
    let any = || json!(true);
    let register = |part: Component| harness.gate.register(part).map(drop);
    assert_eq!(register(part()), Ok(()));
    assert_eq!(register(part()), Err(ComponentError::Taken("agent".into())));
    let twice = Component::new("pipeline").kind("begun", any()).event("begun", any());
    assert_eq!(register(twice), Err(ComponentError::Taken("pipeline.begun".into())));
    for (area, kind) in [("", "checkpoint"), ("Agent", "run"), ("a.b", "c"), ("tools", "call.begun")] {
        let refused = register(Component::new(area).kind(kind, any()));
        assert_eq!(refused, Err(ComponentError::Name(format!("{area}.{kind}"))));
    }
    let bad = register(Component::new("tools").kind("begun", json!({ "type": "nonsense" })));
    assert!(matches!(bad, Err(ComponentError::Schema { .. })), "{bad:?}");
    let known = harness.gate.kinds();
    assert!(known.iter().take(RecordKind::BUILTIN.len()).map(|known| &known.kind).eq(&RecordKind::BUILTIN));
    let parts: Vec<&str> =
        known.iter().skip(RecordKind::BUILTIN.len()).map(|known| known.kind.name()).collect();
    assert_eq!(parts, ["agent.run_started", "agent.step_done"], "no rejected kinds");
    assert!(known.iter().skip(RecordKind::BUILTIN.len()).all(|known| known.schema.is_some()));
}
