//! Who may answer, what an answer is bound to, and edited calls.

use std::sync::Arc;

use sekisho_gate::answer::{Answer, Role, RuleScope};
use sekisho_gate::answer_handler::AnswerError;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::refusal::RefusalCode;
use sekisho_gate::{ApprovalId, Digest};
use sekisho_policy::{Decision, Rule};
use sekisho_testkit::ManualClock;
use serde_json::json;

use crate::harness::{GateHarness, call, person, request, settle};

#[tokio::test]
async fn second_answer_conflicts() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    let first = Answer::approve().with_reason("looks right");
    harness.answer(question.id, first.clone()).await.unwrap();
    assert!(
        harness.answer(question.id, first.clone()).await.unwrap().duplicate,
        "a repeated answer has the same result"
    );
    let bound = Answer { digest: Some(question.asked.digest), ..first };
    assert!(harness.answer(question.id, bound).await.unwrap().duplicate, "also with the digest given");
    let error = harness.answer(question.id, Answer::deny()).await.unwrap_err();
    assert!(matches!(error, AnswerError::Conflict(_)));
    assert_eq!(error.to_string(), format!("it was already approved by ann at {}", ManualClock::start()));
    assert!(caller.await.unwrap().is_ok());
}

#[tokio::test]
async fn unknown_or_late_answer_changes_nothing() {
    let harness = GateHarness::new(json!({})).await;
    let unknown = ApprovalId::new(ManualClock::start());
    assert_eq!(harness.answer(unknown, Answer::approve()).await, Err(AnswerError::NotFound(unknown)));
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.advance(121).await;
    assert!(matches!(harness.answer(question.id, Answer::approve()).await, Err(AnswerError::Gone(_))));
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);
}

#[tokio::test]
async fn agents_and_viewers_cannot_answer() {
    let harness = GateHarness::new(json!({})).await;
    let _caller = harness.pass(request());
    let question = harness.question().await;
    for role in [Role::Agent, Role::Viewer] {
        let error =
            harness.gate.answer(question.id, Answer::approve(), person("eve", role)).await.unwrap_err();
        assert!(matches!(error, AnswerError::Forbidden(_)), "{role:?}");
    }
    assert!(harness.approval(question.id).await.is_pending());
}

#[tokio::test]
async fn answer_is_bound_to_the_displayed_call() {
    let harness = GateHarness::new(json!({})).await;
    let _caller = harness.pass(request());
    let question = harness.question().await;
    let mut other = call();
    other.input = json!({ "to": "production" });
    let answer = Answer { digest: Some(Digest::of(&other).unwrap()), ..Answer::approve() };
    let error = harness.answer(question.id, answer).await.unwrap_err();
    assert!(matches!(error, AnswerError::DigestMismatch { .. }));
    assert!(harness.approval(question.id).await.is_pending());
}

#[tokio::test]
async fn edited_call_runs_with_its_own_recorded_verdict() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    let input = json!({ "to": "stage", "dry": true });
    harness.answer(question.id, Answer::approve().with_input(input.clone())).await.unwrap();
    let permit = caller.await.unwrap().unwrap();
    assert_eq!(permit.call().input, input, "a full replacement");
    assert_eq!(permit.digest(), Digest::of(permit.call()).unwrap());
    assert_ne!(permit.digest(), question.asked.digest);
    let outcome =
        harness.ledger.entries().into_iter().find(|entry| entry.body["edited"].is_object()).unwrap();
    assert_eq!(outcome.body["edited"]["verdict"]["decision"], "confirm");
}

#[tokio::test]
async fn rule_denies_an_edited_call() {
    let harness =
        GateHarness::new(json!({ "deny": [{ "tool": "bash", "command": "rm", "note": "no rm" }] })).await;
    let mut request = request();
    request.call.tool = "bash".into();
    request.call.input = json!({ "command": "make install" });
    let caller = harness.pass(request);
    let question = harness.question().await;
    let outcome = harness
        .answer(question.id, Answer::approve().with_input(json!({ "command": "rm -r build" })))
        .await
        .unwrap();
    assert_eq!(outcome.approval.fate.state.name(), "denied");
    let refusal = caller.await.unwrap().unwrap_err();
    assert_eq!((refusal.code, refusal.reason.as_str()), (RefusalCode::DeniedByRule, "no rm"));
    let edited = outcome.approval.fate.state.answered().unwrap().edited.clone().unwrap();
    assert_eq!(edited.verdict.decision, Decision::Deny);
}

fn needs_to() -> InputSchema {
    InputSchema::new(json!({ "required": ["to"], "properties": { "to": { "type": "string" } } })).unwrap()
}

#[tokio::test]
async fn invalid_edit_is_rejected_and_the_approval_stays_open() {
    let harness = GateHarness::new(json!({})).await;
    let mut request = request();
    request.schema = Some(needs_to());
    let _caller = harness.pass(request);
    let question = harness.question().await;
    // Still checked after a restart and on another replica: the ledger stores the schema.
    let harness = harness.restart().await;
    let wrong = [
        (
            Answer::approve().with_input(json!({})),
            "updatedInput: it does not match the tool's schema: \"to\" is a required property",
        ),
        (
            Answer::approve().with_input(json!({ "to": "x", "n": 9_007_199_254_740_993_u64 })),
            "updatedInput: the number `9007199254740993` in the input cannot be represented exactly as a double",
        ),
        (
            Answer::deny().with_input(json!({ "to": "x" })),
            "a deny cannot have an updatedInput; remove it, or approve",
        ),
    ];
    for (answer, message) in wrong {
        assert_eq!(harness.answer(question.id, answer).await.unwrap_err().to_string(), message);
        assert!(harness.approval(question.id).await.is_pending());
    }
}

#[tokio::test]
async fn session_rule_answers_only_its_session() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    let outcome =
        harness.answer(question.id, Answer::approve().with_rules(RuleScope::Session, vec![])).await.unwrap();
    assert_eq!(outcome.remembered.unwrap().unwrap().scope, RuleScope::Session);
    assert!(caller.await.unwrap().is_ok());
    let again = harness.gate.pass(request()).await.unwrap();
    assert_eq!(again.approval(), None, "a rule allowed it");
    let mut elsewhere = request();
    elsewhere.call.conversation = Some("another talk".into());
    let caller = harness.pass(elsewhere);
    let question = harness.question().await;
    harness.answer(question.id, Answer::deny().with_rules(RuleScope::Session, vec![])).await.unwrap();
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Denied);
    let mut elsewhere = request();
    elsewhere.call.conversation = Some("another talk".into());
    assert_eq!(harness.gate.pass(elsewhere).await.unwrap_err().code, RefusalCode::DeniedByRule);
}

#[tokio::test]
async fn demo_answers_are_remembered_for_the_session_only() {
    let harness = GateHarness::new(json!({})).await;
    let demo = "token:0199a0b1-2c3d-7e4f-8a5b-000064656d6f";
    let caller = harness.pass(CallRequest::new(call(), Caller::in_process(demo)));
    let question = harness.question().await;
    let outcome =
        harness.answer(question.id, Answer::approve().with_rules(RuleScope::Global, vec![])).await.unwrap();
    assert_eq!(outcome.remembered.unwrap().unwrap().scope, RuleScope::Session);
    assert!(caller.await.unwrap().is_ok());
    assert!(harness.files.remembered().is_empty(), "no file is written");
    // A caller that only claims to be the demo is treated like any other.
    let caller = harness.pass(CallRequest::new(call(), Caller::in_process("demo")));
    let question = harness.question().await;
    harness.answer(question.id, Answer::approve().with_rules(RuleScope::Global, vec![])).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
    assert_eq!(harness.files.remembered().len(), 1);
}

#[tokio::test]
async fn repeated_answer_stores_its_rules_once() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    let answer = Answer::approve().with_rules(RuleScope::Session, vec![]);
    harness.answer(question.id, answer.clone()).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
    let rules = harness.gate.rulebook().stored();
    let again = harness.answer(question.id, answer.clone()).await.unwrap();
    assert!(again.duplicate && again.remembered.unwrap().is_ok());
    assert_eq!(harness.gate.rulebook().stored(), rules, "kept once");
    harness.advance(61).await;
    assert!(harness.answer(question.id, answer).await.unwrap().remembered.is_none());
}

#[tokio::test]
async fn remembered_rule_decides_other_open_approvals() {
    let harness = GateHarness::new(json!({})).await;
    let callers: Vec<_> = (0..5)
        .map(|n| {
            let mut request = request();
            request.call.call_id = Some(format!("c{n}"));
            harness.pass(request)
        })
        .collect();
    let pending = harness.pending().await;
    assert_eq!(pending.len(), 5);
    harness.answer(pending[2].id, Answer::approve().with_rules(RuleScope::Session, vec![])).await.unwrap();
    settle().await;
    for caller in callers {
        assert!(caller.await.unwrap().is_ok());
    }
    assert!(harness.pending().await.is_empty());
}

tokio::task_local! {
    static IS_APPROVER: ();
}

#[tokio::test]
async fn caller_gets_the_answer_when_its_rules_hold() {
    let harness = GateHarness::new(json!({})).await;
    let gate = harness.gate.clone();
    let caller = tokio::spawn(async move {
        drop(gate.pass(request()).await.unwrap());
        let mut next = request();
        next.call.call_id = Some("next".into());
        gate.pass(next).await.unwrap().approval()
    });
    let question = harness.question().await;
    // Everything else runs between any two steps of the answer.
    harness.ledger.pause_with(Arc::new(|| {
        let turns = if IS_APPROVER.try_with(|()| ()).is_ok() { 200 } else { 0 };
        Box::pin(async move {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
        })
    }));
    let answer = Answer::approve().with_rules(RuleScope::Session, vec![]);
    IS_APPROVER.scope((), harness.answer(question.id, answer)).await.unwrap();
    assert_eq!(caller.await.unwrap(), None, "the remembered rule allowed the next call");
}

#[tokio::test]
async fn only_admin_may_remember_wider_rules() {
    let harness = GateHarness::new(json!({})).await;
    let _caller = harness.pass(request());
    let question = harness.question().await;
    let wide = vec![Rule { tool_pattern: Some("*".into()), ..Rule::default() }];
    let answer = Answer::approve().with_rules(RuleScope::Session, wide);
    let error = harness.answer(question.id, answer.clone()).await.unwrap_err();
    assert!(matches!(error, AnswerError::Forbidden(_)), "{error}");
    assert!(harness.approval(question.id).await.is_pending());
    let bad = Answer::approve().with_rules(RuleScope::Session, vec![Rule::default()]);
    assert!(matches!(harness.answer(question.id, bad).await, Err(AnswerError::Invalid(_))));
    let outcome = harness.gate.answer(question.id, answer, person("root", Role::Admin)).await.unwrap();
    assert!(outcome.remembered.unwrap().is_ok());
}
