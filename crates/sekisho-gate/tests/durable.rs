//! Calls of runs that outlive their process: submitted, redeemed, and permitted once at most.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Answer;
use sekisho_gate::answering::AnswerError;
use sekisho_gate::approval::Approval;
use sekisho_gate::ask::{Ask, Patience};
use sekisho_gate::asker::Asker;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::Ending;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, ExecutionId, Gate, Permit, Settings, Submission};
use sekisho_policy::{Call, LayerKind, OnTimeout};
use sekisho_testkit::fixtures::after;
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::{Value, json};

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

async fn allow(world: &World) {
    world.files.set(LayerKind::Global, config(&json!({ "allow": [{ "tool": "deploy" }] })));
    settle().await;
}

#[tokio::test]
async fn an_answer_goes_before_a_rule_that_came_later() {
    let world = World::new(json!({})).await;
    let no = pending(submit(&world.gate, "1").await);
    world.answer(no, Answer::deny().because("not today")).await.unwrap();
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
async fn another_input_under_the_id_of_a_question_is_refused_though_a_rule_allows_it() {
    let world = World::new(json!({})).await;
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

/// A file is to be written that somebody else writes to after the yes.
async fn voided(world: &World, ask: impl FnOnce(Ask) -> Ask) -> (ApprovalId, ApprovalId) {
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
async fn a_run_that_died_when_its_yes_no_longer_held_finds_the_new_question() {
    let world = World::new(json!({})).await;
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
async fn asked_anew_it_is_checked_by_the_same_schema_and_ends_as_late() {
    let settings = Settings { asks: false, ..Settings::default() };
    let world = World::start(MemoryLedger::new(), FixedFiles::new(), ManualClock::new(), settings).await;
    let schema = json!({ "type": "object", "required": ["content"] });
    let schema = InputSchema::new(schema).unwrap();
    let patience = Patience { timeout_s: Some(600), on_timeout: Some(OnTimeout::Deny) };
    let with = |ask| Ask { schema: Some(schema.clone()), insists: true, patience, ..ask };
    let (id, anew) = voided(&world, with).await;
    let (first, second) = (world.approval(id).await, world.approval(anew).await);
    assert_eq!(second.asked.schema, Some(schema.version()));
    let waits = |approval: &Approval| approval.fate.deadline.map(|end| end.duration_since(approval.asked.at));
    assert_eq!(waits(&first), waits(&second));
    let edited = Answer::approve().with_input(json!({ "file_path": "/work/project/notes.txt" }));
    assert!(matches!(world.answer(anew, edited).await, Err(AnswerError::Invalid(_))));
}

#[tokio::test]
async fn a_durable_call_does_not_wait_at_a_question_that_ends_with_its_asker() {
    let world = World::new(json!({})).await;
    let caller = world.pass(Ask::new(durable_ask("1").call, Asker::here("agent")));
    let question = world.question().await;
    assert_eq!(code(world.gate.submit(durable_ask("1")).await), RefusalCode::OtherInput);
    caller.abort();
    settle().await;
    assert_ne!(pending(submit(&world.gate, "1").await), question.id);
}

#[tokio::test]
async fn a_call_that_ran_is_found_though_a_rule_denies_it_now() {
    let world = World::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let execution = permit(submit(&world.gate, "1").await).execution();
    world.files.set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy" }] })));
    let world = world.restart().await;
    let before = world.ledger.entries().len();
    assert_eq!(spent(submit(&world.gate, "1").await), execution, "a no would say that it never ran");
    assert_eq!(world.ledger.entries().len(), before);
    assert_eq!(code(world.gate.submit(durable_ask("2")).await), RefusalCode::DeniedByRule);
    let mut other = durable_ask("1");
    other.call.input = json!({ "to": "elsewhere" });
    assert_eq!(code(world.gate.submit(other).await), RefusalCode::DeniedByRule);
    assert_eq!(world.ledger.entries().len(), before + 2, "what is denied is on the record");
}

/// Changes the rules before the ledger does anything for the `nth` time from now.
fn change_rules_at(world: &World, nth: usize, rules: &Value) {
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
        let world = World::new(json!({})).await;
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
