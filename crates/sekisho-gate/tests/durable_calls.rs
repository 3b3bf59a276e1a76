//! Calls of runs that outlive their process: submitted, redeemed, and permitted at most once.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Answer;
use sekisho_gate::answer_handler::AnswerError;
use sekisho_gate::approval::Approval;
use sekisho_gate::call_request::{CallRequest, TimeoutOverrides};
use sekisho_gate::caller::Caller;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, ExecutionId, Gate, Permit, Settings, Submission};
use sekisho_policy::{Call, LayerKind, OnTimeout};
use sekisho_testkit::fixtures::seconds_after_start;
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::{Value, json};

use crate::harness::{GateHarness, config, settle};

fn durable_request(call_id: &str) -> CallRequest {
    let call = Call {
        run_id: Some("run-1".into()),
        call_id: Some(call_id.into()),
        ..Call::new("deploy", json!({ "to": "production" }))
    };
    CallRequest::new(call, Caller::in_process("agent"))
}

async fn submit(gate: &Gate, call_id: &str) -> Submission {
    gate.submit(durable_request(call_id)).await.unwrap()
}

fn permit(submission: Submission) -> Permit {
    match submission {
        Submission::Permit(permit) => permit,
        other => panic!("no permit: {other:?}"),
    }
}

fn pending(submission: Submission) -> ApprovalId {
    match submission {
        Submission::Pending(id) => id,
        other => panic!("not pending: {other:?}"),
    }
}

fn spent(submission: Submission) -> ExecutionId {
    match submission {
        Submission::Spent(execution) => execution,
        other => panic!("not spent: {other:?}"),
    }
}

fn code(submitted: Result<Submission, Refusal>) -> RefusalCode {
    submitted.unwrap_err().code
}

#[tokio::test]
async fn allowed_call_is_permitted_once_across_restarts() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let permit = permit(submit(&harness.gate, "1").await);
    let execution = permit.execution();
    // Killed between the permit and its result.
    drop(permit);
    let harness = harness.restart().await;
    assert_eq!(spent(submit(&harness.gate, "1").await), execution);
    let found = harness.ledger.execution(execution).await.unwrap().unwrap();
    assert_eq!((found.credential.as_str(), found.outcome), ("agent", None));
    assert_eq!(harness.ledger.executions().len(), 1);
}

#[tokio::test]
async fn spent_call_returns_its_outcome() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let (_, receipt) = permit(submit(&harness.gate, "1").await).spend();
    let outcome = ExecutionOutcome {
        at: seconds_after_start(1),
        is_error: false,
        output: Some("done".into()),
        duration_ms: Some(7),
        exit: None,
    };
    harness.gate.record_outcome(receipt, outcome.clone()).await.unwrap();
    let execution = spent(submit(&harness.gate, "1").await);
    assert_eq!(harness.ledger.execution(execution).await.unwrap().unwrap().outcome, Some(outcome));
}

#[tokio::test]
async fn approval_outlives_the_process_and_is_redeemed_later() {
    let harness = GateHarness::new(json!({})).await;
    let id = pending(submit(&harness.gate, "1").await);
    assert_eq!(pending(harness.gate.redeem(id).await.unwrap()), id, "nobody has answered");
    let harness = harness.restart().await;
    harness.advance(1_000_000).await;
    assert_eq!(pending(submit(&harness.gate, "1").await), id, "the same approval");
    harness.answer(id, Answer::approve().with_input(json!({ "to": "test" }))).await.unwrap();
    let harness = harness.restart().await;
    harness.advance(1_000_000).await;
    let permit = permit(harness.gate.redeem(id).await.unwrap());
    assert_eq!((permit.approval(), &permit.call().input), (Some(id), &json!({ "to": "test" })));
    let execution = permit.execution();
    assert_eq!(spent(harness.gate.redeem(id).await.unwrap()), execution);
    assert_eq!(spent(submit(&harness.gate, "1").await), execution);
    assert_eq!(harness.ledger.executions().len(), 1);
}

#[tokio::test]
async fn submitting_again_takes_the_answer() {
    let harness = GateHarness::new(json!({})).await;
    let id = pending(submit(&harness.gate, "1").await);
    harness.answer(id, Answer::approve()).await.unwrap();
    assert_eq!(permit(submit(&harness.gate, "1").await).approval(), Some(id));
}

#[tokio::test]
async fn departed_waiter_withdraws_nothing() {
    let harness = GateHarness::new(json!({})).await;
    let id = pending(submit(&harness.gate, "1").await);
    let gate = harness.gate.clone();
    let away = tokio::spawn(async move { gate.wait_until_ended(id).await });
    settle().await;
    away.abort();
    harness.advance(100).await;
    assert!(harness.approval(id).await.is_pending());
    let gate = harness.gate.clone();
    let waiting = tokio::spawn(async move { gate.wait_until_ended(id).await });
    settle().await;
    harness.answer(id, Answer::approve()).await.unwrap();
    waiting.await.unwrap().unwrap();
    harness.gate.wait_until_ended(id).await.unwrap();
}

#[tokio::test]
async fn denial_is_the_same_each_time() {
    let harness = GateHarness::new(json!({})).await;
    let id = pending(submit(&harness.gate, "1").await);
    harness.answer(id, Answer::deny().with_reason("not today")).await.unwrap();
    for _ in 0..2 {
        assert_eq!(harness.gate.redeem(id).await.unwrap_err().reason, "not today");
        assert_eq!(harness.gate.submit(durable_request("1")).await.unwrap_err().reason, "not today");
    }
    assert!(harness.pending().await.is_empty(), "no new approval is opened");
}

#[tokio::test]
async fn different_input_under_the_same_id_is_refused() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    permit(submit(&harness.gate, "1").await).spend().0.input.take();
    let mut other = durable_request("1");
    other.call.input = json!({ "to": "elsewhere" });
    assert_eq!(code(harness.gate.submit(other.clone()).await), RefusalCode::OtherInput);
    harness.files.set(LayerKind::Global, config(&json!({})));
    settle().await;
    assert_eq!(code(harness.gate.submit(other).await), RefusalCode::OtherInput);
}

#[tokio::test]
async fn rule_changes_permit_nothing_twice() {
    let allow = json!({ "allow": [{ "tool": "deploy" }] });
    let harness = GateHarness::new(allow.clone()).await;
    let execution = permit(submit(&harness.gate, "1").await).execution();
    harness.files.set(LayerKind::Global, config(&json!({})));
    settle().await;
    assert_eq!(spent(submit(&harness.gate, "1").await), execution, "no approval is opened");

    let id = pending(submit(&harness.gate, "2").await);
    harness.answer(id, Answer::approve()).await.unwrap();
    let execution = permit(harness.gate.redeem(id).await.unwrap()).execution();
    harness.files.set(LayerKind::Global, config(&allow));
    settle().await;
    assert_eq!(spent(submit(&harness.gate, "2").await), execution, "it is not permitted again");
    assert_eq!(harness.ledger.executions().len(), 2);
}

#[tokio::test]
async fn void_approval_is_asked_again() {
    let harness = GateHarness::new(json!({})).await;
    let path = "/work/project/notes.txt";
    harness.files.write(path, "one\n");
    let write = |call_id: &str| {
        let mut request = durable_request(call_id);
        request.call.tool = "Write".into();
        request.call.input = json!({ "file_path": path, "content": "two\n" });
        request
    };
    let id = pending(harness.gate.submit(write("1")).await.unwrap());
    harness.answer(id, Answer::approve()).await.unwrap();
    harness.files.write(path, "somebody else was here\n");
    let anew = pending(harness.gate.redeem(id).await.unwrap());
    assert_ne!(anew, id);
    harness.answer(anew, Answer::approve()).await.unwrap();
    assert_eq!(permit(harness.gate.redeem(anew).await.unwrap()).approval(), Some(anew));
}

#[tokio::test]
async fn call_without_id_cannot_be_durable() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let mut no_id = durable_request("1");
    no_id.call.call_id = None;
    let mut no_run = durable_request("1");
    no_run.call.run_id = None;
    for request in [no_id, no_run] {
        assert_eq!(code(harness.gate.submit(request).await), RefusalCode::NoCallId);
    }
    assert!(harness.ledger.executions().is_empty());
}

#[tokio::test]
async fn approval_of_another_caller_is_not_redeemed() {
    let harness = GateHarness::new(json!({})).await;
    let _caller = harness.pass(CallRequest::new(durable_request("1").call, Caller::in_process("agent")));
    let question = harness.question().await;
    harness.answer(question.id, Answer::approve()).await.unwrap();
    assert_eq!(code(harness.gate.redeem(question.id).await), RefusalCode::NoCallId);
}

async fn allow(harness: &GateHarness) {
    harness.files.set(LayerKind::Global, config(&json!({ "allow": [{ "tool": "deploy" }] })));
    settle().await;
}

#[tokio::test]
async fn answer_takes_precedence_over_a_later_rule() {
    let harness = GateHarness::new(json!({})).await;
    let no = pending(submit(&harness.gate, "1").await);
    harness.answer(no, Answer::deny().with_reason("not today")).await.unwrap();
    let yes = pending(submit(&harness.gate, "2").await);
    harness.answer(yes, Answer::approve().with_input(json!({ "to": "test" }))).await.unwrap();
    let open = pending(submit(&harness.gate, "3").await);
    allow(&harness).await;
    for _ in 0..2 {
        assert_eq!(harness.gate.submit(durable_request("1")).await.unwrap_err().reason, "not today");
    }
    let edited = permit(submit(&harness.gate, "2").await);
    assert_eq!((edited.approval(), &edited.call().input), (Some(yes), &json!({ "to": "test" })));
    assert_eq!(spent(submit(&harness.gate, "2").await), edited.execution());
    assert_eq!(
        permit(submit(&harness.gate, "3").await).approval(),
        Some(open),
        "the rule decided that approval"
    );
    assert_eq!(permit(submit(&harness.gate, "4").await).approval(), None);
    assert_eq!(harness.ledger.executions().len(), 3);
}

#[tokio::test]
async fn different_input_under_an_approval_id_is_refused_even_if_allowed() {
    let harness = GateHarness::new(json!({})).await;
    let id = pending(submit(&harness.gate, "1").await);
    harness.files.set(LayerKind::Global, config(&json!({ "allow": [{ "tool": "look" }] })));
    settle().await;
    let mut other = durable_request("1");
    other.call.tool = "look".into();
    assert_eq!(code(harness.gate.submit(other.clone()).await), RefusalCode::OtherInput);
    harness.answer(id, Answer::deny()).await.unwrap();
    assert_eq!(code(harness.gate.submit(other).await), RefusalCode::OtherInput);
    assert!(harness.ledger.executions().is_empty());
}

/// A call that writes a file, which somebody else changes after the approval.
async fn voided(
    harness: &GateHarness,
    request: impl FnOnce(CallRequest) -> CallRequest,
) -> (ApprovalId, ApprovalId) {
    let path = "/work/project/notes.txt";
    harness.files.write(path, "one\n");
    let mut write = durable_request("1");
    write.call.tool = "Write".into();
    write.call.input = json!({ "file_path": path, "content": "two\n" });
    let id = pending(harness.gate.submit(request(write)).await.unwrap());
    harness.answer(id, Answer::approve()).await.unwrap();
    harness.files.write(path, "somebody else was here\n");
    (id, pending(harness.gate.redeem(id).await.unwrap()))
}

#[tokio::test]
async fn restarted_run_finds_the_new_approval_after_a_void_one() {
    let harness = GateHarness::new(json!({})).await;
    let (id, anew) = voided(&harness, |request| request).await;
    let harness = harness.restart().await;
    assert_eq!(pending(harness.gate.redeem(id).await.unwrap()), anew);
    harness.answer(anew, Answer::approve()).await.unwrap();
    let permit = permit(harness.gate.redeem(id).await.unwrap());
    assert_eq!(permit.approval(), Some(anew));
    assert_eq!(spent(harness.gate.redeem(id).await.unwrap()), permit.execution());
    assert_eq!(harness.ledger.executions().len(), 1);
}

#[tokio::test]
async fn new_approval_keeps_schema_and_deadline() {
    let settings = Settings { confirmations: false, ..Settings::default() };
    let harness =
        GateHarness::start(MemoryLedger::new(), FixedFiles::new(), ManualClock::new(), settings).await;
    let schema = json!({ "type": "object", "required": ["content"] });
    let schema = InputSchema::new(schema).unwrap();
    let timeout = TimeoutOverrides { timeout_s: Some(600), on_timeout: Some(OnTimeout::Deny) };
    let with =
        |request| CallRequest { schema: Some(schema.clone()), always_confirm: true, timeout, ..request };
    let (id, anew) = voided(&harness, with).await;
    let (first, second) = (harness.approval(id).await, harness.approval(anew).await);
    assert_eq!(second.asked.schema, Some(schema.version()));
    let waits = |approval: &Approval| approval.fate.deadline.map(|end| end.duration_since(approval.asked.at));
    assert_eq!(waits(&first), waits(&second));
    let edited = Answer::approve().with_input(json!({ "file_path": "/work/project/notes.txt" }));
    assert!(matches!(harness.answer(anew, edited).await, Err(AnswerError::Invalid(_))));
}

#[tokio::test]
async fn durable_call_does_not_join_an_approval_that_ends_with_its_caller() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(CallRequest::new(durable_request("1").call, Caller::in_process("agent")));
    let question = harness.question().await;
    assert_eq!(code(harness.gate.submit(durable_request("1")).await), RefusalCode::OtherInput);
    caller.abort();
    settle().await;
    assert_ne!(pending(submit(&harness.gate, "1").await), question.id);
}

#[tokio::test]
async fn a_call_that_ran_is_found_though_a_rule_denies_it_now() {
    let world = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let execution = permit(submit(&world.gate, "1").await).execution();
    world.files.set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy" }] })));
    let world = world.restart().await;
    let before = world.ledger.entries().len();
    assert_eq!(spent(submit(&world.gate, "1").await), execution, "a no would say that it never ran");
    assert_eq!(world.ledger.entries().len(), before);
    assert_eq!(code(world.gate.submit(durable_request("2")).await), RefusalCode::DeniedByRule);
    let mut other = durable_request("1");
    other.call.input = json!({ "to": "elsewhere" });
    assert_eq!(code(world.gate.submit(other).await), RefusalCode::DeniedByRule);
    assert_eq!(world.ledger.entries().len(), before + 2, "what is denied is on the record");
}

/// Changes the rules before the ledger does anything for the `nth` time from now.
fn change_rules_at(world: &GateHarness, nth: usize, rules: &Value) {
    let (files, text, left) = (world.files.clone(), config(rules), AtomicUsize::new(nth));
    world.ledger.pause_with(Arc::new(move || {
        let now = left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) == Ok(1);
        let (files, text) = (files.clone(), text.clone());
        Box::pin(async move {
            if now {
                files.set(LayerKind::Global, text);
                settle().await;
            }
        })
    }));
}

#[tokio::test]
async fn a_rule_that_goes_away_while_its_yes_is_taken_lets_nothing_run() {
    // The ledger pauses before and after each of its operations: whichever moment it is, nothing is let through.
    for nth in 1..=5 {
        let world = GateHarness::new(json!({})).await;
        let id = pending(submit(&world.gate, "1").await);
        allow(&world).await;
        assert!(!world.approval(id).await.is_pending(), "the rule has answered");
        change_rules_at(&world, nth, &json!({}));
        let anew = pending(world.gate.redeem(id).await.unwrap());
        assert_ne!(anew, id, "at {nth}");
        assert!(world.ledger.executions().iter().all(|execution| execution.ending.is_some()), "at {nth}");
        world.answer(anew, Answer::approve()).await.unwrap();
        assert_eq!(permit(world.gate.redeem(id).await.unwrap()).approval(), Some(anew), "at {nth}");
    }
}
