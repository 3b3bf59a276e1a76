//! Executions that a tool of this program runs: how they begin, and what is stored of them.

use sekisho_gate::ledger::{ExecutionOutcome, ExecutionStart, ProgramExit};
use sekisho_gate::record::{AuditEntry, EventPayload, Record, RecordKind};
use sekisho_gate::{ExecutionId, WriteAccess};
use sekisho_policy::Effect;
use serde_json::{Value, json};

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{admission, call, caller, seconds_after_start};

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// The start of an execution in the second second, with this body of its record.
fn start(execution: ExecutionId, body: Value) -> ExecutionStart {
    let kind = RecordKind::from_name("tool.execution_started").expect("it is a kind");
    let at = seconds_after_start(2);
    let entry = AuditEntry {
        execution: Some(execution),
        ..AuditEntry::without_call(kind.clone(), at, None, "`deploy` started".into(), body)
    };
    let event = EventPayload::Part { kind, data: Value::Null, credential: None };
    let record = Record { entry, event: Some(event) };
    ExecutionStart { at, sandbox: Some("full".into()), record }
}

fn outcome(exit: Option<ProgramExit>) -> ExecutionOutcome {
    let at = seconds_after_start(5);
    ExecutionOutcome { at, is_error: false, output: Some("done".into()), duration_ms: Some(3000), exit }
}

async fn permitted(harness: &StoreHarness, call_id: &str) -> ExecutionId {
    let admission = admission(call(call_id), caller(), seconds_after_start(1), Effect::Allow);
    let execution = admission.execution.expect("an allowed call runs");
    harness.0.ledger.admit(WriteAccess::TESTS, admission).await.expect("admitting works");
    execution
}

async fn begin(harness: &StoreHarness, execution: ExecutionId, body: Value) -> bool {
    let begun = harness.0.ledger.begin(WriteAccess::TESTS, execution, start(execution, body)).await;
    begun.expect("beginning works")
}

pub(super) async fn run_is_stored_from_begin_to_end(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let mut runs = Vec::new();
    for (id, exit) in [("1", Some(ProgramExit::Code(3))), ("2", Some(ProgramExit::Signal(9))), ("3", None)] {
        let execution = permitted(&harness, id).await;
        assert!(begin(&harness, execution, json!({ "input": { "n": id } })).await);
        let finished = harness.0.ledger.finish(WriteAccess::TESTS, execution, outcome(exit)).await;
        assert_eq!(finished, Ok(true));
        runs.push((execution, id, exit));
    }
    let harness = StoreHarness(backend.reopen(harness.0).await);
    for (execution, id, exit) in runs {
        let read = harness.0.ledger.execution(execution).await.expect("reading works").expect("it is there");
        assert_eq!(read.began_at, Some(seconds_after_start(2)));
        assert_eq!(read.sandbox.as_deref(), Some("full"));
        assert_eq!(read.outcome, Some(outcome(exit)));
        let rows = harness.0.inspect.executions().await;
        let row = rows.iter().find(|row| row.id == execution).expect("the row is there");
        assert_eq!(row.input, json!({ "n": id }));
    }
}

pub(super) async fn input_of_a_run_is_masked_and_purged(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let execution = permitted(&harness, "1").await;
    let input = json!({ "command": format!("curl -H 'Authorization: Bearer {SECRET}' x"), "n": 1 });
    assert!(begin(&harness, execution, json!({ "input": input, "sandbox": "full" })).await);
    let stored = harness.0.inspect.executions().await[0].input.clone();
    assert_eq!(stored["n"], 1, "{stored}");
    assert!(stored["command"].as_str().is_some_and(|text| text.starts_with("curl ")), "{stored}");
    assert!(!stored.to_string().contains(SECRET), "{stored}");
    // Purging does not look into events, so they have no input.
    let events = harness.0.ledger.events(0, 100).await.expect("reading works");
    let parts = events.iter().filter_map(|event| match &event.change {
        EventPayload::Part { data, .. } => Some(data),
        _ => None,
    });
    assert_eq!(parts.collect::<Vec<_>>(), [&json!({ "sandbox": "full" })]);

    harness.0.ledger.finish(WriteAccess::TESTS, execution, outcome(None)).await.expect("finishing works");
    assert_eq!(harness.0.audit.purge(seconds_after_start(10_000)).await, Ok(1));
    assert_eq!(harness.0.inspect.executions().await[0].input, Value::Null);
}

pub(super) async fn run_that_was_cut_off_is_told_from_others(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (waiting, cut_off) = (permitted(&harness, "1").await, permitted(&harness, "2").await);
    let ended = permitted(&harness, "3").await;
    for execution in [cut_off, ended] {
        assert!(begin(&harness, execution, json!({})).await);
    }
    harness.0.ledger.finish(WriteAccess::TESTS, ended, outcome(None)).await.expect("finishing works");
    let harness = StoreHarness(backend.reopen(harness.0).await);
    let mut states = Vec::new();
    for execution in [waiting, cut_off, ended] {
        let read = harness.0.ledger.execution(execution).await.expect("reading works").expect("it is there");
        states.push((read.began_at.is_some(), read.outcome.is_some()));
    }
    assert_eq!(states, [(false, false), (true, false), (true, true)]);
}

pub(super) async fn execution_begins_once(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (begun, ended) = (permitted(&harness, "1").await, permitted(&harness, "2").await);
    assert!(begin(&harness, begun, json!({})).await);
    harness.0.ledger.finish(WriteAccess::TESTS, ended, outcome(None)).await.expect("finishing works");
    let before = harness.written().await;
    for execution in [begun, ended, ExecutionId::new(seconds_after_start(1))] {
        assert!(!begin(&harness, execution, json!({ "input": 1 })).await);
    }
    assert_eq!(harness.written().await, before, "nothing is recorded");
}
