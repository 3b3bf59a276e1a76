//! Calls whose agent or tool requires an approval: rules cannot lift it, and it lifts no rule.

use sekisho_gate::answer::{Answer, RememberChoice, RuleScope};
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::refusal::RefusalCode;
use sekisho_gate::{Settings, Submission};
use sekisho_policy::{Decision, LayerKind, Reason};
use sekisho_testkit::{ManualClock, MemoryLedger};
use serde_json::json;

use crate::harness::{GateHarness, config, request, rules_in_files, settle};

fn required() -> CallRequest {
    let mut request = request();
    request.environment.requires_approval = true;
    request
}

#[tokio::test]
async fn allowed_call_is_asked_about() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let waiting = harness.pass(required());
    let question = harness.question().await;
    assert_eq!(question.asked.verdict.reasons.first(), Some(&Reason::ApprovalRequired));
    assert_eq!(question.asked.verdict.decision, Decision::Confirm);
    harness.answer(question.id, Answer::approve()).await.unwrap();
    assert!(waiting.await.unwrap().is_ok());
    assert!(harness.pass(request()).await.unwrap().is_ok(), "others are not asked about");
}

#[tokio::test]
async fn denied_call_stays_denied() {
    let harness = GateHarness::new(json!({ "deny": [{ "tool": "deploy" }] })).await;
    let refusal = harness.pass(required()).await.unwrap().unwrap_err();
    assert_eq!(refusal.code, RefusalCode::DeniedByRule);
    assert!(harness.pending().await.is_empty());
}

#[tokio::test]
async fn call_is_refused_if_nobody_can_answer() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let mut request = required();
    request.environment.nobody_answers = true;
    let refusal = harness.pass(request).await.unwrap().unwrap_err();
    assert_eq!(refusal.code, RefusalCode::NobodyCanAnswer);
}

#[tokio::test]
async fn new_rule_does_not_answer_the_question() {
    let harness = GateHarness::new(json!({})).await;
    let _waiting = harness.pass(required());
    let question = harness.question().await;
    harness.files.set(LayerKind::Global, config(&json!({ "allow": [{ "tool": "deploy" }] })));
    settle().await;
    assert_eq!(harness.question().await.id, question.id, "it is still open");
    assert!(question.asked.proposals.is_empty(), "no rule would spare the next question");
    let remembered = Answer {
        remember: Some(RememberChoice { scope: RuleScope::Session, rules: Vec::new() }),
        ..Answer::approve()
    };
    assert!(harness.answer(question.id, remembered).await.is_err());
}

#[tokio::test]
async fn durable_call_is_asked_about_after_a_restart() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let Ok(Submission::Pending(id)) = harness.gate.submit(required()).await else { panic!() };
    let harness = harness.restart().await;
    let Ok(Submission::Pending(again)) = harness.gate.redeem(id).await else { panic!() };
    assert_eq!(again, id);
    harness.answer(id, Answer::approve()).await.unwrap();
    assert!(matches!(harness.gate.redeem(id).await, Ok(Submission::Permit(_))));
}

#[tokio::test]
async fn confirmations_that_are_switched_off_stay_off() {
    let files = rules_in_files(&config(&json!({ "allow": [{ "tool": "deploy" }] })));
    let settings = Settings { confirmations: false, ..Settings::default() };
    let harness = GateHarness::start(MemoryLedger::new(), files, ManualClock::new(), settings).await;
    assert!(harness.pass(required()).await.unwrap().is_ok());
}
