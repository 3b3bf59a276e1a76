//! Failures of other tools, each as a test: approvals kept in memory only, stale ids applied to the
//! next call, declined tools run after a resume, everything lost on restart.

use sekisho_gate::answer::Answer;
use sekisho_gate::answer_handler::AnswerError;
use sekisho_gate::refusal::RefusalCode;
use serde_json::json;

use crate::harness::{GateHarness, ask_from_afar, settle};

#[tokio::test]
async fn stale_id_never_answers_the_next_call() {
    let world = GateHarness::new(json!({})).await;
    let first = world.tell(ask_from_afar());
    let old = world.question().await;
    first.abort();
    settle().await;
    let mut next = ask_from_afar();
    next.call.call_id = Some("c2".into());
    let second = world.tell(next);
    let new = world.question().await;
    assert!(matches!(world.answer(old.id, Answer::approve()).await, Err(AnswerError::Gone(_))));
    assert!(world.approval(new.id).await.is_pending());
    assert!(!second.is_finished());
}

#[tokio::test]
async fn declined_call_stays_declined_after_a_restart() {
    let world = GateHarness::new(json!({})).await;
    let mut ask = ask_from_afar();
    ask.caller.durable = true;
    let caller = world.tell(ask.clone());
    let question = world.question().await;
    caller.abort();
    settle().await;
    world.answer(question.id, Answer::deny().with_reason("no")).await.unwrap();
    let world = world.restart().await;
    let refusal = world.gate.pass_remote(ask).await.unwrap_err();
    assert_eq!((refusal.code, refusal.reason.as_str()), (RefusalCode::Denied, "no"));
    assert!(world.ledger.executions().is_empty());
}

#[tokio::test]
async fn restart_loses_no_approval_and_no_answer() {
    let world = GateHarness::new(json!({})).await;
    let mut asks = Vec::new();
    for n in 0..20 {
        let mut ask = ask_from_afar();
        ask.caller.durable = true;
        ask.call.call_id = Some(format!("c{n}"));
        drop(world.tell(ask.clone()));
        asks.push(ask);
    }
    let before = world.pending().await;
    world.answer(before[3].id, Answer::approve()).await.unwrap();
    let world = world.restart().await;
    let after = world.pending().await;
    assert_eq!(after.len(), 19);
    assert!(after.iter().all(|approval| before.contains(approval)), "as they were, in every field");
    let told = world.gate.pass_remote(asks.remove(3)).await.unwrap();
    assert_eq!(told.approval, Some(before[3].id));
}

#[tokio::test]
async fn pending_approvals_are_answered_in_any_order() {
    let world = GateHarness::new(json!({})).await;
    let mut callers = Vec::new();
    for n in 0..6 {
        let mut ask = ask_from_afar();
        ask.call.call_id = Some(format!("c{n}"));
        callers.push(world.tell(ask));
    }
    let pending = world.pending().await;
    for at in [4, 0, 5, 1] {
        world.answer(pending[at].id, Answer::approve()).await.unwrap();
    }
    settle().await;
    let finished: Vec<bool> = callers.iter().map(tokio::task::JoinHandle::is_finished).collect();
    assert_eq!(finished, [true, true, false, false, true, true]);
}

#[tokio::test]
async fn silence_is_not_approval() {
    let world = GateHarness::new(json!({})).await;
    let caller = world.tell(ask_from_afar());
    world.question().await;
    world.advance(100_000).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);
    assert!(world.ledger.executions().is_empty());
}
