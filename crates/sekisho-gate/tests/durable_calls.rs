//! Calls of runs that outlive their process: submitted, redeemed, and permitted at most once.

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
use serde_json::json;

use crate::harness::{GateHarness, config, settle};

fn durable_ask(call_id: &str) -> CallRequest {
    let call = Call {
        run_id: Some("run-1".into()),
        call_id: Some(call_id.into()),
        ..Call::new("deploy", json!({ "to": "production" }))
    };
    CallRequest::new(call, Caller::in_process("agent"))
}

async fn submit(gate: &Gate, call_id: &str) -> Submission {
    gate.submit(durable_ask(call_id)).await.unwrap()
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
    let world = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let permit = permit(submit(&world.gate, "1").await);
    let execution = permit.execution();
    // Killed between the permit and its result.
    drop(permit);
    let world = world.restart().await;
    assert_eq!(spent(submit(&world.gate, "1").await), execution);
    let found = world.ledger.execution(execution).await.unwrap().unwrap();
    assert_eq!((found.credential.as_str(), found.outcome), ("agent", None));
    assert_eq!(world.ledger.executions().len(), 1);
}

#[tokio::test]
async fn spent_call_returns_its_outcome() {
    let world = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let (_, receipt) = permit(submit(&world.gate, "1").await).spend();
    let ending = ExecutionOutcome { at: seconds_after_start(1), is_error: false, output: Some("done".into()), duration_ms: Some(7) };
    world.gate.record_outcome(receipt, ending.clone()).await.unwrap();
    let execution = spent(submit(&world.gate, "1").await);
    assert_eq!(world.ledger.execution(execution).await.unwrap().unwrap().outcome, Some(ending));
}

#[tokio::test]
async fn approval_outlives_the_process_and_is_redeemed_later() {
    let world = GateHarness::new(json!({})).await;
    let id = pending(submit(&world.gate, "1").await);
    assert_eq!(pending(world.gate.redeem(id).await.unwrap()), id, "nobody has answered");
    let world = world.restart().await;
    world.advance(1_000_000).await;
    assert_eq!(pending(submit(&world.gate, "1").await), id, "the same question");
    world.answer(id, Answer::approve().with_input(json!({ "to": "test" }))).await.unwrap();
    let world = world.restart().await;
    world.advance(1_000_000).await;
    let permit = permit(world.gate.redeem(id).await.unwrap());
    assert_eq!((permit.approval(), &permit.call().input), (Some(id), &json!({ "to": "test" })));
    let execution = permit.execution();
    assert_eq!(spent(world.gate.redeem(id).await.unwrap()), execution);
    assert_eq!(spent(submit(&world.gate, "1").await), execution);
    assert_eq!(world.ledger.executions().len(), 1);
}

#[tokio::test]
async fn submitting_again_takes_the_answer() {
    let world = GateHarness::new(json!({})).await;
    let id = pending(submit(&world.gate, "1").await);
    world.answer(id, Answer::approve()).await.unwrap();
    assert_eq!(permit(submit(&world.gate, "1").await).approval(), Some(id));
}

#[tokio::test]
async fn departed_waiter_withdraws_nothing() {
    let world = GateHarness::new(json!({})).await;
    let id = pending(submit(&world.gate, "1").await);
    let gate = world.gate.clone();
    let away = tokio::spawn(async move { gate.wait_until_ended(id).await });
    settle().await;
    away.abort();
    world.advance(100).await;
    assert!(world.approval(id).await.is_pending());
    let gate = world.gate.clone();
    let waiting = tokio::spawn(async move { gate.wait_until_ended(id).await });
    settle().await;
    world.answer(id, Answer::approve()).await.unwrap();
    waiting.await.unwrap().unwrap();
    world.gate.wait_until_ended(id).await.unwrap();
}

#[tokio::test]
async fn denial_is_the_same_each_time() {
    let world = GateHarness::new(json!({})).await;
    let id = pending(submit(&world.gate, "1").await);
    world.answer(id, Answer::deny().with_reason("not today")).await.unwrap();
    for _ in 0..2 {
        assert_eq!(world.gate.redeem(id).await.unwrap_err().reason, "not today");
        assert_eq!(world.gate.submit(durable_ask("1")).await.unwrap_err().reason, "not today");
    }
    assert!(world.pending().await.is_empty(), "it is not asked anew");
}

#[tokio::test]
async fn different_input_under_the_same_id_is_refused() {
    let world = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    permit(submit(&world.gate, "1").await).spend().0.input.take();
    let mut other = durable_ask("1");
    other.call.input = json!({ "to": "elsewhere" });
    assert_eq!(code(world.gate.submit(other.clone()).await), RefusalCode::OtherInput);
    world.files.set(LayerKind::Global, config(&json!({})));
    settle().await;
    assert_eq!(code(world.gate.submit(other).await), RefusalCode::OtherInput);
}

#[tokio::test]
async fn rule_changes_permit_nothing_twice() {
    let allow = json!({ "allow": [{ "tool": "deploy" }] });
    let world = GateHarness::new(allow.clone()).await;
    let execution = permit(submit(&world.gate, "1").await).execution();
    world.files.set(LayerKind::Global, config(&json!({})));
    settle().await;
    assert_eq!(spent(submit(&world.gate, "1").await), execution, "it is not asked about");

    let id = pending(submit(&world.gate, "2").await);
    world.answer(id, Answer::approve()).await.unwrap();
    let execution = permit(world.gate.redeem(id).await.unwrap()).execution();
    world.files.set(LayerKind::Global, config(&allow));
    settle().await;
    assert_eq!(spent(submit(&world.gate, "2").await), execution, "it is not let through anew");
    assert_eq!(world.ledger.executions().len(), 2);
}

#[tokio::test]
async fn void_approval_is_asked_again() {
    let world = GateHarness::new(json!({})).await;
    let path = "/work/project/notes.txt";
    world.files.write(path, "one\n");
    let write = |call_id: &str| {
        let mut ask = durable_ask(call_id);
        ask.call.tool = "Write".into();
        ask.call.input = json!({ "file_path": path, "content": "two\n" });
        ask
    };
    let id = pending(world.gate.submit(write("1")).await.unwrap());
    world.answer(id, Answer::approve()).await.unwrap();
    world.files.write(path, "somebody else was here\n");
    let anew = pending(world.gate.redeem(id).await.unwrap());
    assert_ne!(anew, id);
    world.answer(anew, Answer::approve()).await.unwrap();
    assert_eq!(permit(world.gate.redeem(anew).await.unwrap()).approval(), Some(anew));
}

#[tokio::test]
async fn call_without_id_cannot_be_durable() {
    let world = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let mut no_id = durable_ask("1");
    no_id.call.call_id = None;
    let mut no_run = durable_ask("1");
    no_run.call.run_id = None;
    for ask in [no_id, no_run] {
        assert_eq!(code(world.gate.submit(ask).await), RefusalCode::NoCallId);
    }
    assert!(world.ledger.executions().is_empty());
}

#[tokio::test]
async fn approval_of_another_caller_is_not_redeemed() {
    let world = GateHarness::new(json!({})).await;
    let _caller = world.pass(CallRequest::new(durable_ask("1").call, Caller::in_process("agent")));
    let question = world.question().await;
    world.answer(question.id, Answer::approve()).await.unwrap();
    assert_eq!(code(world.gate.redeem(question.id).await), RefusalCode::NoCallId);
}

async fn allow(world: &GateHarness) {
    world.files.set(LayerKind::Global, config(&json!({ "allow": [{ "tool": "deploy" }] })));
    settle().await;
}

#[tokio::test]
async fn answer_takes_precedence_over_a_later_rule() {
    let world = GateHarness::new(json!({})).await;
    let no = pending(submit(&world.gate, "1").await);
    world.answer(no, Answer::deny().with_reason("not today")).await.unwrap();
    let yes = pending(submit(&world.gate, "2").await);
    world.answer(yes, Answer::approve().with_input(json!({ "to": "test" }))).await.unwrap();
    let open = pending(submit(&world.gate, "3").await);
    allow(&world).await;
    for _ in 0..2 {
        assert_eq!(world.gate.submit(durable_ask("1")).await.unwrap_err().reason, "not today");
    }
    let edited = permit(submit(&world.gate, "2").await);
    assert_eq!((edited.approval(), &edited.call().input), (Some(yes), &json!({ "to": "test" })));
    assert_eq!(spent(submit(&world.gate, "2").await), edited.execution());
    assert_eq!(
        permit(submit(&world.gate, "3").await).approval(),
        Some(open),
        "the rule has answered that one"
    );
    assert_eq!(permit(submit(&world.gate, "4").await).approval(), None);
    assert_eq!(world.ledger.executions().len(), 3);
}

#[tokio::test]
async fn different_input_under_an_approval_id_is_refused_even_if_allowed() {
    let world = GateHarness::new(json!({})).await;
    let id = pending(submit(&world.gate, "1").await);
    world.files.set(LayerKind::Global, config(&json!({ "allow": [{ "tool": "look" }] })));
    settle().await;
    let mut other = durable_ask("1");
    other.call.tool = "look".into();
    assert_eq!(code(world.gate.submit(other.clone()).await), RefusalCode::OtherInput);
    world.answer(id, Answer::deny()).await.unwrap();
    assert_eq!(code(world.gate.submit(other).await), RefusalCode::OtherInput);
    assert!(world.ledger.executions().is_empty());
}

/// A call that writes a file, which somebody else changes after the approval.
async fn voided(world: &GateHarness, ask: impl FnOnce(CallRequest) -> CallRequest) -> (ApprovalId, ApprovalId) {
    let path = "/work/project/notes.txt";
    world.files.write(path, "one\n");
    let mut write = durable_ask("1");
    write.call.tool = "Write".into();
    write.call.input = json!({ "file_path": path, "content": "two\n" });
    let id = pending(world.gate.submit(ask(write)).await.unwrap());
    world.answer(id, Answer::approve()).await.unwrap();
    world.files.write(path, "somebody else was here\n");
    (id, pending(world.gate.redeem(id).await.unwrap()))
}

#[tokio::test]
async fn restarted_run_finds_the_new_approval_after_a_void_one() {
    let world = GateHarness::new(json!({})).await;
    let (id, anew) = voided(&world, |ask| ask).await;
    let world = world.restart().await;
    assert_eq!(pending(world.gate.redeem(id).await.unwrap()), anew);
    world.answer(anew, Answer::approve()).await.unwrap();
    let permit = permit(world.gate.redeem(id).await.unwrap());
    assert_eq!(permit.approval(), Some(anew));
    assert_eq!(spent(world.gate.redeem(id).await.unwrap()), permit.execution());
    assert_eq!(world.ledger.executions().len(), 1);
}

#[tokio::test]
async fn new_approval_keeps_schema_and_deadline() {
    let settings = Settings { confirmations: false, ..Settings::default() };
    let world = GateHarness::start(MemoryLedger::new(), FixedFiles::new(), ManualClock::new(), settings).await;
    let schema = json!({ "type": "object", "required": ["content"] });
    let schema = InputSchema::new(schema).unwrap();
    let patience = TimeoutOverrides { timeout_s: Some(600), on_timeout: Some(OnTimeout::Deny) };
    let with = |ask| CallRequest { schema: Some(schema.clone()), always_confirm: true, timeout, ..ask };
    let (id, anew) = voided(&world, with).await;
    let (first, second) = (world.approval(id).await, world.approval(anew).await);
    assert_eq!(second.asked.schema, Some(schema.version()));
    let waits = |approval: &Approval| approval.fate.deadline.map(|end| end.duration_since(approval.asked.at));
    assert_eq!(waits(&first), waits(&second));
    let edited = Answer::approve().with_input(json!({ "file_path": "/work/project/notes.txt" }));
    assert!(matches!(world.answer(anew, edited).await, Err(AnswerError::Invalid(_))));
}

#[tokio::test]
async fn durable_call_does_not_join_an_approval_that_ends_with_its_caller() {
    let world = GateHarness::new(json!({})).await;
    let caller = world.pass(CallRequest::new(durable_ask("1").call, Caller::in_process("agent")));
    let question = world.question().await;
    assert_eq!(code(world.gate.submit(durable_ask("1")).await), RefusalCode::OtherInput);
    caller.abort();
    settle().await;
    assert_ne!(pending(submit(&world.gate, "1").await), question.id);
}
