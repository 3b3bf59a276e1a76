//! Parts of the program put their own lines on the record.

use sekisho_gate::answer::By;
use sekisho_gate::feed::Update;
use sekisho_gate::parts::{DEEPEST_BODY, LARGEST_BODY, Part, PartError, PartLine};
use sekisho_gate::record::{Change, Event, Kind};
use serde_json::{Value, json};

use crate::world::World;

fn part() -> Part {
    let schema = json!({
        "type": "object",
        "required": ["run"],
        "properties": { "run": { "type": "integer" } },
    });
    Part::new("agent").event("run_started", schema.clone()).kind("step_done", schema)
}

fn line(body: Value) -> PartLine {
    PartLine { text: "a run started".into(), body, credential: Some("token:a".into()), ..PartLine::default() }
}

#[tokio::test]
async fn a_registered_kind_is_recorded_and_told() {
    let world = World::new(json!({})).await;
    let recorder = world.gate.register(part()).unwrap();
    let mut feed = world.gate.subscribe(None);
    assert!(matches!(feed.next().await.unwrap(), Update::Snapshot(_)));
    recorder.record("step_done", line(json!({ "run": 1 }))).await.unwrap();
    recorder.record("run_started", line(json!({ "run": 1, "password": "hunter2hunter2" }))).await.unwrap();
    let entries = world.ledger.entries();
    let kinds: Vec<&str> = entries.iter().map(|entry| entry.kind.name()).collect();
    assert_eq!(kinds, ["agent.step_done", "agent.run_started"]);
    let Update::Change(changed) = feed.next().await.unwrap() else { panic!("a change comes next") };
    let Change::Part { kind, data, credential } = &changed.event.change else { panic!("{changed:?}") };
    assert_eq!((kind.name(), credential.as_deref()), ("agent.run_started", Some("token:a")));
    assert_eq!(data["run"], 1);
    assert!(!data.to_string().contains("hunter2"), "what is told is masked: {data}");
}

#[tokio::test]
async fn a_body_that_does_not_fit_is_not_recorded() {
    let world = World::new(json!({})).await;
    let recorder = world.gate.register(part()).unwrap();
    let refused = |body| recorder.record("run_started", line(body));
    let Err(PartError::Body { kind, why }) = refused(json!({ "run": "one" })).await else { panic!() };
    assert_eq!(kind, "agent.run_started");
    assert!(why.starts_with("`body/run`: "), "{why}");
    let long = json!({ "run": 1, "note": "x".repeat(LARGEST_BODY) });
    assert!(matches!(refused(long).await, Err(PartError::Body { .. })));
    let unknown = recorder.record("run_ended", line(json!({ "run": 1 }))).await;
    assert_eq!(unknown, Err(PartError::Unknown("agent.run_ended".into())));
    world.ledger.break_down();
    let broken = refused(json!({ "run": 1 })).await;
    assert!(matches!(broken, Err(PartError::NotRecorded(_))), "{broken:?}");
    assert_eq!(world.ledger.entries(), []);
}

#[tokio::test]
async fn a_line_that_could_not_be_read_again_is_not_recorded() {
    let world = World::new(json!({})).await;
    let recorder = world.gate.register(Part::new("agent").event("seen", json!(true))).unwrap();
    let nested = |depth: usize| (0..depth).fold(json!("x"), |inner, _| json!([inner]));
    // As deep as what a tool gives can be: one level more around it, and no reader takes the event.
    for depth in [DEEPEST_BODY + 1, 127, 300] {
        let refused = recorder.record("seen", line(nested(depth))).await;
        assert!(matches!(refused, Err(PartError::Body { .. })), "{depth}");
    }
    let long = PartLine { text: "x".repeat(LARGEST_BODY), tool: Some("y".into()), ..PartLine::default() };
    assert!(matches!(recorder.record("seen", long).await, Err(PartError::Body { .. })));
    assert_eq!(world.ledger.entries(), []);

    let mut feed = world.gate.subscribe(None);
    assert!(matches!(feed.next().await.unwrap(), Update::Snapshot(_)));
    let by = Some(By::Rule("a rule".into()));
    recorder.record("seen", PartLine { by, ..line(nested(DEEPEST_BODY)) }).await.unwrap();
    let Update::Change(changed) = feed.next().await.unwrap() else { panic!("a change comes next") };
    let told = serde_json::to_string(&changed.event).unwrap();
    let read: Event = serde_json::from_str(&told).unwrap();
    assert_eq!(read, changed.event);
    let Change::Part { data, .. } = read.change else { panic!("{read:?}") };
    assert_eq!(data, nested(DEEPEST_BODY));
}

#[tokio::test]
async fn an_area_is_registered_once_and_with_names_of_its_own() {
    let world = World::new(json!({})).await;
    let any = || json!(true);
    let register = |part: Part| world.gate.register(part).map(drop);
    assert_eq!(register(part()), Ok(()));
    assert_eq!(register(part()), Err(PartError::Taken("agent".into())));
    let twice = Part::new("pipeline").kind("begun", any()).event("begun", any());
    assert_eq!(register(twice), Err(PartError::Taken("pipeline.begun".into())));
    for (area, kind) in [("", "checkpoint"), ("Agent", "run"), ("a.b", "c"), ("tools", "call.begun")] {
        let refused = register(Part::new(area).kind(kind, any()));
        assert_eq!(refused, Err(PartError::Name(format!("{area}.{kind}"))));
    }
    let bad = register(Part::new("tools").kind("begun", json!({ "type": "nonsense" })));
    assert!(matches!(bad, Err(PartError::Schema { .. })), "{bad:?}");
    let known = world.gate.kinds();
    assert!(known.iter().take(Kind::OWN.len()).map(|known| &known.kind).eq(&Kind::OWN));
    let parts: Vec<&str> = known.iter().skip(Kind::OWN.len()).map(|known| known.kind.name()).collect();
    assert_eq!(parts, ["agent.run_started", "agent.step_done"], "nothing of what was refused");
    assert!(known.iter().skip(Kind::OWN.len()).all(|known| known.schema.is_some()));
}
