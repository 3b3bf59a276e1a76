//! Calls that need no approval, and how executions end.

use sekisho_gate::WriteAccess;

use sekisho_gate::ExecutionId;
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_gate::record::{Event, EventPayload, RecordKind};
use sekisho_policy::{Call, Effect};

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{admission, call, caller, seconds_after_start};
use crate::inspect::{CallRow, ExecutionRow};

pub(super) async fn allowed_call_writes_call_execution_entry_and_event(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let admission = admission(call("1"), caller(), seconds_after_start(1), Effect::Allow);
    let execution = admission.execution.expect("an allowed call runs");
    harness.0.ledger.admit(WriteAccess::TESTS, admission.clone()).await.expect("admitting works");

    let kept = admission.call.clone();
    let (tool, input) = (kept.call.tool.clone(), kept.call.input.clone());
    let row = CallRow { id: kept.id, tool: tool.clone(), input, digest: kept.digest };
    assert_eq!(harness.0.inspect.calls().await, [row]);
    let row = ExecutionRow::permitted(execution, tool, None, seconds_after_start(1));
    assert_eq!(harness.0.inspect.executions().await, [row]);
    assert_eq!(harness.entries().await, [admission.record.entry]);
    let change = admission.record.event.expect("it is announced");
    assert_eq!(harness.events().await, [Event { seq: 1, at: seconds_after_start(1), change }]);
}

pub(super) async fn denied_call_has_no_execution(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let admission = admission(call("1"), caller(), seconds_after_start(1), Effect::Deny);
    harness.0.ledger.admit(WriteAccess::TESTS, admission.clone()).await.expect("admitting works");
    assert_eq!(harness.0.inspect.executions().await, []);
    assert_eq!(harness.0.inspect.calls().await.len(), 1);
    assert_eq!(harness.entries().await, [admission.record.entry]);
    assert_eq!(
        harness.changes().await,
        [EventPayload::Refused { call: admission.call.id, tool: "deploy".into() }]
    );
}

pub(super) async fn execution_ends_once(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let call = Call { run_id: Some("run-1".into()), ..call("1") };
    let admission = admission(call, caller(), seconds_after_start(1), Effect::Allow);
    let execution = admission.execution.expect("an allowed call runs");
    harness.0.ledger.admit(WriteAccess::TESTS, admission).await.expect("admitting works");

    let ending = ExecutionOutcome {
        at: seconds_after_start(3),
        is_error: true,
        output: Some("line\n\u{1b}[31m関所".into()),
        duration_ms: Some(2000),
        exit: None,
    };
    let finish = |id, ending| harness.0.ledger.finish(WriteAccess::TESTS, id, ending);
    assert_eq!(finish(execution, ending.clone()).await, Ok(true));
    let other = ExecutionOutcome {
        at: seconds_after_start(4),
        is_error: false,
        output: None,
        duration_ms: None,
        exit: None,
    };
    assert_eq!(finish(execution, other.clone()).await, Ok(false), "it has ended before");
    assert_eq!(finish(ExecutionId::new(seconds_after_start(1)), other).await, Ok(false), "there is none");

    assert_eq!(harness.0.inspect.executions().await[0].ending, Some(ending));
    let finished = EventPayload::Finished {
        execution,
        is_error: true,
        tool: Some("deploy".into()),
        approval: None,
        credential: Some(caller().credential),
        duration_ms: Some(2000),
        run: Some("run-1".into()),
    };
    assert_eq!(harness.changes().await[1..], [finished]);
    let entries = harness.entries().await;
    assert_eq!(entries.len(), 2);
    let last = &entries[1];
    assert_eq!(
        (last.kind.clone(), last.execution, last.at),
        (RecordKind::Execution, Some(execution), seconds_after_start(3))
    );
    assert_eq!(last.tool.as_deref(), Some("deploy"));
}

pub(super) async fn existing_execution_is_not_written_again(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = admission(call("1"), caller(), seconds_after_start(1), Effect::Allow);
    let second = admission(call("2"), caller(), seconds_after_start(2), Effect::Allow);
    harness.0.ledger.admit(WriteAccess::TESTS, first.clone()).await.expect("admitting works");
    let before = harness.written().await;
    let mixed = sekisho_gate::ledger::Admission { execution: first.execution, ..second };
    assert!(harness.0.ledger.admit(WriteAccess::TESTS, mixed).await.is_err());
    assert_eq!(harness.written().await, before, "what fails leaves nothing");
}
