//! Repeated requests.

use sekisho_gate::answer::Answer;
use sekisho_gate::refusal::RefusalCode;
use serde_json::json;

use crate::harness::{GateHarness, ask, ask_from_afar, settle};

#[tokio::test]
async fn equal_request_joins_and_different_input_is_refused() {
    let world = GateHarness::new(json!({})).await;
    let first = world.tell(ask_from_afar());
    let question = world.question().await;
    let second = world.tell(ask_from_afar());
    assert_eq!(world.question().await.id, question.id);
    let mut other = ask_from_afar();
    other.call.input = json!({ "to": "production" });
    assert_eq!(world.gate.pass_remote(other).await.unwrap_err().code, RefusalCode::OtherInput);
    first.abort();
    settle().await;
    assert!(world.approval(question.id).await.is_pending(), "one still waits");
    world.answer(question.id, Answer::approve()).await.unwrap();
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test]
async fn agent_cannot_take_another_agents_answer() {
    let world = GateHarness::new(json!({})).await;
    let by = |agent: &str| {
        let mut ask = ask_from_afar();
        ask.call.agent = Some(sekisho_policy::IdClaim::proven(agent));
        ask
    };
    let first = world.tell(by("builder"));
    let question = world.question().await;
    assert_eq!(world.gate.pass_remote(by("guest")).await.unwrap_err().code, RefusalCode::OtherInput);
    world.answer(question.id, Answer::approve()).await.unwrap();
    assert!(first.await.unwrap().is_ok());
    let _other = world.tell(by("guest"));
    assert_ne!(world.question().await.id, question.id);
}

#[tokio::test]
async fn keys_are_scoped_by_credential_and_conversation() {
    let world = GateHarness::new(json!({})).await;
    let mut variants = vec![ask()];
    variants.push({
        let mut ask = ask();
        ask.caller.credential = "agent-2".into();
        ask
    });
    variants.push({
        let mut ask = ask();
        ask.call.conversation = Some("another".into());
        ask
    });
    variants.push({
        let mut ask = ask();
        ask.call.run_id = Some("talk".into());
        ask
    });
    variants.push({
        let mut ask = ask();
        ask.call.call_id = None;
        ask
    });
    let mut without = ask();
    without.call.call_id = None;
    variants.push(without);
    let callers: Vec<_> = variants.into_iter().map(|ask| world.pass(ask)).collect();
    assert_eq!(world.pending().await.len(), callers.len());
}

#[tokio::test]
async fn one_answer_gives_one_permit_to_two_waiters() {
    let world = GateHarness::new(json!({})).await;
    let callers = [world.pass(ask()), world.pass(ask()), world.pass(ask())];
    let question = world.question().await;
    world.answer(question.id, Answer::approve()).await.unwrap();
    let mut permits = 0;
    for caller in callers {
        match caller.await.unwrap() {
            Ok(_) => permits += 1,
            Err(refusal) => assert_eq!(refusal.code, RefusalCode::AlreadyTaken),
        }
    }
    assert_eq!(permits, 1);
    assert_eq!(world.ledger.executions().len(), 1);
}

#[tokio::test]
async fn spent_answer_is_rereadable_only_by_remote_callers() {
    let world = GateHarness::new(json!({})).await;
    let caller = world.tell(ask_from_afar());
    let question = world.question().await;
    world.answer(question.id, Answer::approve().with_input(json!({ "to": "dry" }))).await.unwrap();
    let told = caller.await.unwrap().unwrap();
    assert_eq!(told.updated_input, Some(json!({ "to": "dry" })));
    world.advance(60).await;
    assert_eq!(world.gate.pass_remote(ask_from_afar()).await.unwrap(), told);
    assert_eq!(world.ledger.executions().len(), 1);
    world.advance(1).await;
    let _caller = world.tell(ask_from_afar());
    assert_ne!(world.question().await.id, question.id);

    let mut here = ask();
    here.call.call_id = Some("here".into());
    let caller = world.pass(here.clone());
    let question = world.pending().await.pop().unwrap();
    world.answer(question.id, Answer::approve()).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
    let _again = world.pass(here);
    assert_ne!(world.pending().await.pop().unwrap().id, question.id);
}

#[tokio::test]
async fn joining_while_another_leaves_keeps_the_approval_open() {
    let world = GateHarness::new(json!({})).await;
    let first = world.pass(ask());
    let question = world.question().await;
    // The first leaves at the moment the second joins.
    first.abort();
    let second = world.pass(ask());
    settle().await;
    let open = world.question().await;
    assert!(!second.is_finished());
    world.answer(open.id, Answer::approve()).await.unwrap();
    assert_eq!(open.id, question.id);
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test]
async fn unclaimed_answer_lapses_after_a_day_unless_durable() {
    let world = GateHarness::new(json!({})).await;
    for durable in [false, true] {
        let mut parked = ask_from_afar();
        parked.timeout.on_timeout = Some(sekisho_policy::OnTimeout::Park);
        parked.caller.durable = durable;
        parked.call.call_id = Some(format!("durable {durable}"));
        let caller = world.tell(parked.clone());
        let question = world.question().await;
        caller.abort();
        settle().await;
        world.answer(question.id, Answer::approve()).await.unwrap();
        world.advance(25 * 3600).await;
        let caller = world.tell(parked);
        settle().await;
        assert_eq!(caller.is_finished(), durable);
        for open in world.pending().await {
            assert_ne!(open.id, question.id);
            world.answer(open.id, Answer::deny()).await.unwrap();
        }
    }
}
