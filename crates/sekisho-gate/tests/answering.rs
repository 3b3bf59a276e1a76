//! Answers.

use sekisho_gate::answer::{Answer, Role, Scope};
use sekisho_gate::answering::AnswerError;
use sekisho_gate::ask::Ask;
use sekisho_gate::asker::Asker;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::refusal::RefusalCode;
use sekisho_gate::{ApprovalId, Digest};
use sekisho_policy::{Decision, Rule};
use sekisho_testkit::ManualClock;
use serde_json::json;

use crate::world::{World, ask, call, person, settle};

#[tokio::test]
async fn the_first_answer_wins_and_the_second_hears_who_and_when() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    let first = Answer::approve().because("looks right");
    world.answer(question.id, first.clone()).await.unwrap();
    assert!(
        world.answer(question.id, first.clone()).await.unwrap().again,
        "the same again is the same result"
    );
    let bound = Answer { digest: Some(question.asked.digest), ..first };
    assert!(world.answer(question.id, bound).await.unwrap().again, "also with the digest said");
    let error = world.answer(question.id, Answer::deny()).await.unwrap_err();
    assert!(matches!(error, AnswerError::Conflict(_)));
    assert_eq!(error.to_string(), format!("it was already approved by ann at {}", ManualClock::start()));
    assert!(caller.await.unwrap().is_ok());
}

#[tokio::test]
async fn an_answer_to_nothing_or_too_late_changes_nothing() {
    let world = World::new(json!({})).await;
    let unknown = ApprovalId::new(ManualClock::start());
    assert_eq!(world.answer(unknown, Answer::approve()).await, Err(AnswerError::NotFound(unknown)));
    let caller = world.pass(ask());
    let question = world.question().await;
    world.advance(121).await;
    assert!(matches!(world.answer(question.id, Answer::approve()).await, Err(AnswerError::Gone(_))));
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);
}

#[tokio::test]
async fn agents_and_viewers_do_not_answer() {
    let world = World::new(json!({})).await;
    let _caller = world.pass(ask());
    let question = world.question().await;
    for role in [Role::Agent, Role::Viewer] {
        let error = world.gate.answer(question.id, Answer::approve(), person("eve", role)).await.unwrap_err();
        assert!(matches!(error, AnswerError::Forbidden(_)), "{role:?}");
    }
    assert!(world.approval(question.id).await.is_pending());
}

#[tokio::test]
async fn an_answer_binds_to_what_was_shown() {
    let world = World::new(json!({})).await;
    let _caller = world.pass(ask());
    let question = world.question().await;
    let mut other = call();
    other.input = json!({ "to": "production" });
    let answer = Answer { digest: Some(Digest::of(&other).unwrap()), ..Answer::approve() };
    let error = world.answer(question.id, answer).await.unwrap_err();
    assert!(matches!(error, AnswerError::OtherDigest { .. }));
    assert!(world.approval(question.id).await.is_pending());
}

#[tokio::test]
async fn edited_input_runs_edited_with_its_own_verdict_on_record() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    let input = json!({ "to": "stage", "dry": true });
    world.answer(question.id, Answer::approve().with_input(input.clone())).await.unwrap();
    let permit = caller.await.unwrap().unwrap();
    assert_eq!(permit.call().input, input, "a full replacement");
    assert_eq!(permit.digest(), Digest::of(permit.call()).unwrap());
    assert_ne!(permit.digest(), question.asked.digest);
    let outcome = world.ledger.entries().into_iter().find(|entry| entry.body["edited"].is_object()).unwrap();
    assert_eq!(outcome.body["edited"]["verdict"]["decision"], "confirm");
}

#[tokio::test]
async fn a_rule_still_denies_what_a_human_edited() {
    let world = World::new(json!({ "deny": [{ "tool": "bash", "command": "rm", "note": "no rm" }] })).await;
    let mut ask = ask();
    ask.call.tool = "bash".into();
    ask.call.input = json!({ "command": "make install" });
    let caller = world.pass(ask);
    let question = world.question().await;
    let given = world
        .answer(question.id, Answer::approve().with_input(json!({ "command": "rm -r build" })))
        .await
        .unwrap();
    assert_eq!(given.approval.fate.state.name(), "denied");
    let refusal = caller.await.unwrap().unwrap_err();
    assert_eq!((refusal.code, refusal.reason.as_str()), (RefusalCode::DeniedByRule, "no rm"));
    let edited = given.approval.fate.state.answered().unwrap().edited.clone().unwrap();
    assert_eq!(edited.verdict.decision, Decision::Deny);
}

fn needs_to() -> InputSchema {
    InputSchema::new(json!({ "required": ["to"], "properties": { "to": { "type": "string" } } })).unwrap()
}

#[tokio::test]
async fn an_edited_input_out_of_shape_is_told_and_the_question_stays() {
    let world = World::new(json!({})).await;
    let mut ask = ask();
    ask.schema = Some(needs_to());
    let _caller = world.pass(ask);
    let question = world.question().await;
    // It holds after a restart, and on another replica: the ledger keeps the schema.
    let world = world.restart().await;
    let wrong = [
        (
            Answer::approve().with_input(json!({})),
            "updatedInput: it does not fit the tool's schema: \"to\" is a required property",
        ),
        (
            Answer::approve().with_input(json!({ "to": "x", "n": 9_007_199_254_740_993_u64 })),
            "updatedInput: the number `9007199254740993` in the input is not exact in a double",
        ),
        (
            Answer::deny().with_input(json!({ "to": "x" })),
            "an answer of deny cannot carry an updatedInput; leave it out, or approve",
        ),
    ];
    for (answer, message) in wrong {
        assert_eq!(world.answer(question.id, answer).await.unwrap_err().to_string(), message);
        assert!(world.approval(question.id).await.is_pending());
    }
}

#[tokio::test]
async fn what_is_remembered_is_not_asked_again_in_that_session_only() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    let given =
        world.answer(question.id, Answer::approve().remembering(Scope::Session, vec![])).await.unwrap();
    assert_eq!(given.remembered.unwrap().unwrap().scope, Scope::Session);
    assert!(caller.await.unwrap().is_ok());
    let again = world.gate.pass(ask()).await.unwrap();
    assert_eq!(again.approval(), None, "a rule let it through");
    let mut elsewhere = ask();
    elsewhere.call.conversation = Some("another talk".into());
    let caller = world.pass(elsewhere);
    let question = world.question().await;
    world.answer(question.id, Answer::deny().remembering(Scope::Session, vec![])).await.unwrap();
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Denied);
    let mut elsewhere = ask();
    elsewhere.call.conversation = Some("another talk".into());
    assert_eq!(world.gate.pass(elsewhere).await.unwrap_err().code, RefusalCode::DeniedByRule);
}

#[tokio::test]
async fn answers_to_the_demo_are_remembered_in_its_session_only() {
    let world = World::new(json!({})).await;
    let demo = "token:0199a0b1-2c3d-7e4f-8a5b-000064656d6f";
    let caller = world.pass(Ask::new(call(), Asker::here(demo)));
    let question = world.question().await;
    let given =
        world.answer(question.id, Answer::approve().remembering(Scope::Global, vec![])).await.unwrap();
    assert_eq!(given.remembered.unwrap().unwrap().scope, Scope::Session);
    assert!(caller.await.unwrap().is_ok());
    assert!(world.files.remembered().is_empty(), "no file is written");
    // One that only says that it is the demo is no exception.
    let caller = world.pass(Ask::new(call(), Asker::here("demo")));
    let question = world.question().await;
    world.answer(question.id, Answer::approve().remembering(Scope::Global, vec![])).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
    assert_eq!(world.files.remembered().len(), 1);
}

#[tokio::test]
async fn an_answer_said_again_at_once_keeps_its_rules_once() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    let answer = Answer::approve().remembering(Scope::Session, vec![]);
    world.answer(question.id, answer.clone()).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
    let rules = world.gate.rulebook().stored();
    let again = world.answer(question.id, answer.clone()).await.unwrap();
    assert!(again.again && again.remembered.unwrap().is_ok());
    assert_eq!(world.gate.rulebook().stored(), rules, "kept once");
    world.advance(61).await;
    assert!(world.answer(question.id, answer).await.unwrap().remembered.is_none());
}

#[tokio::test]
async fn remembering_settles_the_other_questions_it_covers() {
    let world = World::new(json!({})).await;
    let callers: Vec<_> = (0..5)
        .map(|n| {
            let mut ask = ask();
            ask.call.call_id = Some(format!("c{n}"));
            world.pass(ask)
        })
        .collect();
    let pending = world.pending().await;
    assert_eq!(pending.len(), 5);
    world.answer(pending[2].id, Answer::approve().remembering(Scope::Session, vec![])).await.unwrap();
    settle().await;
    for caller in callers {
        assert!(caller.await.unwrap().is_ok());
    }
    assert!(world.pending().await.is_empty());
}

#[tokio::test]
async fn an_approver_remembers_no_wider_than_proposed_and_an_admin_may() {
    let world = World::new(json!({})).await;
    let _caller = world.pass(ask());
    let question = world.question().await;
    let wide = vec![Rule { tool_pattern: Some("*".into()), ..Rule::default() }];
    let answer = Answer::approve().remembering(Scope::Session, wide);
    let error = world.answer(question.id, answer.clone()).await.unwrap_err();
    assert!(matches!(error, AnswerError::Forbidden(_)), "{error}");
    assert!(world.approval(question.id).await.is_pending());
    let bad = Answer::approve().remembering(Scope::Session, vec![Rule::default()]);
    assert!(matches!(world.answer(question.id, bad).await, Err(AnswerError::Invalid(_))));
    let given = world.gate.answer(question.id, answer, person("root", Role::Admin)).await.unwrap();
    assert!(given.remembered.unwrap().is_ok());
}
