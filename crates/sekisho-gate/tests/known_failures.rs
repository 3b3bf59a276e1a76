//! Failures of other tools, each as a test: approvals kept in memory only, stale ids applied to the
//! next call, declined tools run after a resume, everything lost on restart.

use sekisho_gate::answer::Answer;
use sekisho_gate::answer_handler::AnswerError;
use sekisho_gate::refusal::RefusalCode;
use serde_json::json;

use crate::harness::{GateHarness, remote_request, settle};

#[tokio::test]
async fn stale_id_never_answers_the_next_call() {
    let harness = GateHarness::new(json!({})).await;
    let first = harness.pass_remote(remote_request());
    let old = harness.question().await;
    first.abort();
    settle().await;
    let mut next = remote_request();
    next.call.call_id = Some("c2".into());
    let second = harness.pass_remote(next);
    let new = harness.question().await;
    assert!(matches!(harness.answer(old.id, Answer::approve()).await, Err(AnswerError::Gone(_))));
    assert!(harness.approval(new.id).await.is_pending());
    assert!(!second.is_finished());
}

#[tokio::test]
async fn declined_call_stays_declined_after_a_restart() {
    let harness = GateHarness::new(json!({})).await;
    let mut request = remote_request();
    request.caller.durable = true;
    let caller = harness.pass_remote(request.clone());
    let question = harness.question().await;
    caller.abort();
    settle().await;
    harness.answer(question.id, Answer::deny().with_reason("no")).await.unwrap();
    let harness = harness.restart().await;
    let refusal = harness.gate.pass_remote(request).await.unwrap_err();
    assert_eq!((refusal.code, refusal.reason.as_str()), (RefusalCode::Denied, "no"));
    assert!(harness.ledger.executions().is_empty());
}

#[tokio::test]
async fn restart_loses_no_approval_and_no_answer() {
    let harness = GateHarness::new(json!({})).await;
    let mut requests = Vec::new();
    for n in 0..20 {
        let mut request = remote_request();
        request.caller.durable = true;
        request.call.call_id = Some(format!("c{n}"));
        drop(harness.pass_remote(request.clone()));
        requests.push(request);
    }
    let before = harness.pending().await;
    harness.answer(before[3].id, Answer::approve()).await.unwrap();
    let harness = harness.restart().await;
    let after = harness.pending().await;
    assert_eq!(after.len(), 19);
    assert!(after.iter().all(|approval| before.contains(approval)), "as they were, in every field");
    let allowed = harness.gate.pass_remote(requests.remove(3)).await.unwrap();
    assert_eq!(allowed.approval, Some(before[3].id));
}

#[tokio::test]
async fn pending_approvals_are_answered_in_any_order() {
    let harness = GateHarness::new(json!({})).await;
    let mut callers = Vec::new();
    for n in 0..6 {
        let mut request = remote_request();
        request.call.call_id = Some(format!("c{n}"));
        callers.push(harness.pass_remote(request));
    }
    let pending = harness.pending().await;
    for at in [4, 0, 5, 1] {
        harness.answer(pending[at].id, Answer::approve()).await.unwrap();
    }
    settle().await;
    let finished: Vec<bool> = callers.iter().map(tokio::task::JoinHandle::is_finished).collect();
    assert_eq!(finished, [true, true, false, false, true, true]);
}

#[tokio::test]
async fn silence_is_not_approval() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass_remote(remote_request());
    harness.question().await;
    harness.advance(100_000).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);
    assert!(harness.ledger.executions().is_empty());
}
