//! Calls of runs that outlive their process: submitted, redeemed, and permitted once at most.

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Answer;
use sekisho_gate::ask::Ask;
use sekisho_gate::asker::Asker;
use sekisho_gate::ledger::Ending;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, ExecutionId, Gate, Permit, Submission};
use sekisho_policy::{Call, LayerKind};
use sekisho_testkit::fixtures::after;
use serde_json::json;

use crate::world::{World, config, settle};

fn durable_ask(call_id: &str) -> Ask {
    let call = Call {
        run_id: Some("run-1".into()),
        call_id: Some(call_id.into()),
        ..Call::new("deploy", json!({ "to": "production" }))
    };
    Ask::new(call, Asker::here("agent"))
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
async fn an_allowed_call_is_permitted_once_whatever_becomes_of_the_process() {
    let world = World::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let permit = permit(submit(&world.gate, "1").await);
    let execution = permit.execution();
    // Killed between the permit and its result.
    drop(permit);
    let world = world.restart().await;
    assert_eq!(spent(submit(&world.gate, "1").await), execution);
    let found = world.ledger.execution(execution).await.unwrap().unwrap();
    assert_eq!((found.credential.as_str(), found.ending), ("agent", None));
    assert_eq!(world.ledger.executions().len(), 1);
}

#[tokio::test]
async fn a_spent_call_tells_how_it_ended() {
    let world = World::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let (_, receipt) = permit(submit(&world.gate, "1").await).spend();
    let ending = Ending { at: after(1), is_error: false, output: Some("done".into()), duration_ms: Some(7) };
    world.gate.finished(receipt, ending.clone()).await.unwrap();
    let execution = spent(submit(&world.gate, "1").await);
    assert_eq!(world.ledger.execution(execution).await.unwrap().unwrap().ending, Some(ending));
}

#[tokio::test]
async fn a_question_outlives_the_process_and_is_redeemed_in_the_next() {
    let world = World::new(json!({})).await;
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
async fn submitting_again_takes_the_answer_too() {
    let world = World::new(json!({})).await;
    let id = pending(submit(&world.gate, "1").await);
    world.answer(id, Answer::approve()).await.unwrap();
    assert_eq!(permit(submit(&world.gate, "1").await).approval(), Some(id));
}

#[tokio::test]
async fn whoever_waits_is_woken_by_the_answer_and_withdraws_nothing_by_going_away() {
    let world = World::new(json!({})).await;
    let id = pending(submit(&world.gate, "1").await);
    let gate = world.gate.clone();
    let away = tokio::spawn(async move { gate.ended(id).await });
    settle().await;
    away.abort();
    world.advance(100).await;
    assert!(world.approval(id).await.is_pending());
    let gate = world.gate.clone();
    let waiting = tokio::spawn(async move { gate.ended(id).await });
    settle().await;
    world.answer(id, Answer::approve()).await.unwrap();
    waiting.await.unwrap().unwrap();
    world.gate.ended(id).await.unwrap();
}

#[tokio::test]
async fn a_no_is_the_same_no_each_time() {
    let world = World::new(json!({})).await;
    let id = pending(submit(&world.gate, "1").await);
    world.answer(id, Answer::deny().because("not today")).await.unwrap();
    for _ in 0..2 {
        assert_eq!(world.gate.redeem(id).await.unwrap_err().reason, "not today");
        assert_eq!(world.gate.submit(durable_ask("1")).await.unwrap_err().reason, "not today");
    }
    assert!(world.pending().await.is_empty(), "it is not asked anew");
}

#[tokio::test]
async fn another_input_under_the_same_id_is_refused() {
    let world = World::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    permit(submit(&world.gate, "1").await).spend().0.input.take();
    let mut other = durable_ask("1");
    other.call.input = json!({ "to": "elsewhere" });
    assert_eq!(code(world.gate.submit(other.clone()).await), RefusalCode::OtherInput);
    world.files.set(LayerKind::Global, config(&json!({})));
    settle().await;
    assert_eq!(code(world.gate.submit(other).await), RefusalCode::OtherInput);
}

#[tokio::test]
async fn rules_that_change_in_between_permit_nothing_twice() {
    let allow = json!({ "allow": [{ "tool": "deploy" }] });
    let world = World::new(allow.clone()).await;
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
async fn a_yes_that_no_longer_holds_is_asked_anew() {
    let world = World::new(json!({})).await;
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
async fn a_call_without_an_id_cannot_be_durable() {
    let world = World::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
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
async fn another_callers_question_is_not_redeemed() {
    let world = World::new(json!({})).await;
    let _caller = world.pass(Ask::new(durable_ask("1").call, Asker::here("agent")));
    let question = world.question().await;
    world.answer(question.id, Answer::approve()).await.unwrap();
    assert_eq!(code(world.gate.redeem(question.id).await), RefusalCode::NoCallId);
}
