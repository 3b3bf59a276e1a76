//! A ledger that cannot write permits nothing, says so, and comes back.

use sekisho_gate::answer::Answer;
use sekisho_gate::answering::AnswerError;
use sekisho_gate::refusal::RefusalCode;
use serde_json::json;

use crate::world::{World, ask};

#[tokio::test]
async fn nothing_is_permitted_unrecorded_and_work_goes_on_when_it_is_back() {
    let rules = json!({ "allow": [{ "tool": "look" }], "deny": [{ "tool": "destroy" }] });
    let world = World::new(rules).await;
    world.ledger.break_down();
    for tool in ["look", "destroy", "deploy"] {
        let mut ask = ask();
        ask.call.tool = tool.into();
        let refusal = world.gate.pass(ask).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::NotRecorded, "{tool}");
        assert!(
            refusal.message().starts_with("Permission denied: the decision could not be recorded"),
            "{refusal}"
        );
    }
    assert!(world.ledger.executions().is_empty());
    world.ledger.mend();
    world.advance(1).await;
    let mut look = ask();
    look.call.tool = "look".into();
    assert!(world.gate.pass(look).await.is_ok());
}

#[tokio::test]
async fn an_answer_that_could_not_be_kept_is_no_answer() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    world.ledger.break_down();
    assert!(matches!(world.answer(question.id, Answer::approve()).await, Err(AnswerError::NotRecorded(_))));
    assert!(!caller.is_finished());
    world.ledger.mend();
    assert!(world.approval(question.id).await.is_pending());
    world.answer(question.id, Answer::approve()).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
}

#[tokio::test]
async fn an_answer_that_was_kept_though_the_ledger_said_otherwise_is_the_answer() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    world.ledger.fail_after_commit(1);
    assert!(matches!(world.answer(question.id, Answer::approve()).await, Err(AnswerError::NotRecorded(_))));
    assert!(caller.await.unwrap().is_ok(), "the event told of it");
    assert!(world.answer(question.id, Answer::approve()).await.unwrap().again);
}

#[tokio::test]
async fn a_permit_whose_claim_may_not_be_kept_is_not_given() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    world
        .gate
        .answer(
            question.id,
            Answer::approve(),
            crate::world::person("ann", sekisho_gate::answer::Role::Admin),
        )
        .await
        .unwrap();
    world.ledger.break_down();
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::NotRecorded);
    assert!(world.ledger.executions().is_empty());
    world.ledger.mend();
    assert_eq!(
        world.gate.pass(ask()).await.unwrap().approval(),
        Some(question.id),
        "the answer was not lost"
    );
}

#[tokio::test]
async fn who_waits_past_the_end_hears_that_it_could_not_be_recorded() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    world.ledger.break_down();
    world.advance(130).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::NotRecorded);
    world.ledger.mend();
    world.advance(1).await;
    assert_eq!(world.approval(question.id).await.fate.state.name(), "expired");
}
