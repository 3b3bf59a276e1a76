//! While the ledger cannot write, nothing is permitted, callers are told, and work resumes afterwards.

use sekisho_gate::answer::Answer;
use sekisho_gate::answer_handler::AnswerError;
use sekisho_gate::refusal::RefusalCode;
use serde_json::json;

use crate::harness::{GateHarness, request};

#[tokio::test]
async fn nothing_is_permitted_unrecorded_and_the_gate_recovers() {
    let rules = json!({ "allow": [{ "tool": "look" }], "deny": [{ "tool": "destroy" }] });
    let harness = GateHarness::new(rules).await;
    harness.ledger.fail_all();
    for tool in ["look", "destroy", "deploy"] {
        let mut request = request();
        request.call.tool = tool.into();
        let refusal = harness.gate.pass(request).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::NotRecorded, "{tool}");
        assert!(
            refusal.message().starts_with("Permission denied: the decision could not be recorded"),
            "{refusal}"
        );
    }
    assert!(harness.ledger.executions().is_empty());
    harness.ledger.stop_failing();
    harness.advance(1).await;
    let mut look = request();
    look.call.tool = "look".into();
    assert!(harness.gate.pass(look).await.is_ok());
}

#[tokio::test]
async fn unstored_answer_has_no_effect() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.ledger.fail_all();
    assert!(matches!(harness.answer(question.id, Answer::approve()).await, Err(AnswerError::NotRecorded(_))));
    assert!(!caller.is_finished());
    harness.ledger.stop_failing();
    assert!(harness.approval(question.id).await.is_pending());
    harness.answer(question.id, Answer::approve()).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
}

#[tokio::test]
async fn answer_stored_despite_an_error_counts() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.ledger.fail_after_commit(1);
    assert!(matches!(harness.answer(question.id, Answer::approve()).await, Err(AnswerError::NotRecorded(_))));
    assert!(caller.await.unwrap().is_ok(), "the event announced it");
    assert!(harness.answer(question.id, Answer::approve()).await.unwrap().duplicate);
}

#[tokio::test]
async fn no_permit_if_the_claim_may_be_unstored() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness
        .gate
        .answer(
            question.id,
            Answer::approve(),
            crate::harness::person("ann", sekisho_gate::answer::Role::Admin),
        )
        .await
        .unwrap();
    harness.ledger.fail_all();
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::NotRecorded);
    assert!(harness.ledger.executions().is_empty());
    harness.ledger.stop_failing();
    assert_eq!(
        harness.gate.pass(request()).await.unwrap().approval(),
        Some(question.id),
        "the answer was not lost"
    );
}

#[tokio::test]
async fn waiter_past_the_deadline_gets_not_recorded() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.ledger.fail_all();
    harness.advance(130).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::NotRecorded);
    harness.ledger.stop_failing();
    harness.advance(1).await;
    assert_eq!(harness.approval(question.id).await.fate.state.name(), "expired");
}
