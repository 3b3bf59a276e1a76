//! The same request twice: it joins, conflicts, or gets the same answer once.

use sekisho_gate::answer::Answer;
use sekisho_gate::refusal::RefusalCode;
use serde_json::json;

use crate::harness::{GateHarness, remote_request, request, settle};

#[tokio::test]
async fn equal_request_joins_and_different_input_is_refused() {
    let harness = GateHarness::new(json!({})).await;
    let first = harness.pass_remote(remote_request());
    let question = harness.question().await;
    let second = harness.pass_remote(remote_request());
    assert_eq!(harness.question().await.id, question.id);
    let mut other = remote_request();
    other.call.input = json!({ "to": "production" });
    assert_eq!(harness.gate.pass_remote(other).await.unwrap_err().code, RefusalCode::OtherInput);
    first.abort();
    settle().await;
    assert!(harness.approval(question.id).await.is_pending(), "one still waits");
    harness.answer(question.id, Answer::approve()).await.unwrap();
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test]
async fn agent_cannot_take_another_agents_answer() {
    let harness = GateHarness::new(json!({})).await;
    let by = |agent: &str| {
        let mut request = remote_request();
        request.call.agent = Some(sekisho_policy::IdClaim::proven(agent));
        request
    };
    let first = harness.pass_remote(by("builder"));
    let question = harness.question().await;
    assert_eq!(harness.gate.pass_remote(by("guest")).await.unwrap_err().code, RefusalCode::OtherInput);
    harness.answer(question.id, Answer::approve()).await.unwrap();
    assert!(first.await.unwrap().is_ok());
    let _other = harness.pass_remote(by("guest"));
    assert_ne!(harness.question().await.id, question.id);
}

#[tokio::test]
async fn keys_are_scoped_by_credential_and_conversation() {
    let harness = GateHarness::new(json!({})).await;
    let mut variants = vec![request()];
    variants.push({
        let mut request = request();
        request.caller.credential = "agent-2".into();
        request
    });
    variants.push({
        let mut request = request();
        request.call.conversation = Some("another".into());
        request
    });
    variants.push({
        let mut request = request();
        request.call.run_id = Some("talk".into());
        request
    });
    variants.push({
        let mut request = request();
        request.call.call_id = None;
        request
    });
    let mut without = request();
    without.call.call_id = None;
    variants.push(without);
    let callers: Vec<_> = variants.into_iter().map(|request| harness.pass(request)).collect();
    assert_eq!(harness.pending().await.len(), callers.len());
}

#[tokio::test]
async fn one_answer_gives_one_permit_to_two_waiters() {
    let harness = GateHarness::new(json!({})).await;
    let callers = [harness.pass(request()), harness.pass(request()), harness.pass(request())];
    let question = harness.question().await;
    harness.answer(question.id, Answer::approve()).await.unwrap();
    let mut permits = 0;
    for caller in callers {
        match caller.await.unwrap() {
            Ok(_) => permits += 1,
            Err(refusal) => assert_eq!(refusal.code, RefusalCode::AlreadyTaken),
        }
    }
    assert_eq!(permits, 1);
    assert_eq!(harness.ledger.executions().len(), 1);
}

#[tokio::test]
async fn spent_answer_is_rereadable_only_by_remote_callers() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass_remote(remote_request());
    let question = harness.question().await;
    harness.answer(question.id, Answer::approve().with_input(json!({ "to": "dry" }))).await.unwrap();
    let allowed = caller.await.unwrap().unwrap();
    assert_eq!(allowed.updated_input, Some(json!({ "to": "dry" })));
    harness.advance(60).await;
    assert_eq!(harness.gate.pass_remote(remote_request()).await.unwrap(), allowed);
    assert_eq!(harness.ledger.executions().len(), 1);
    harness.advance(1).await;
    let _caller = harness.pass_remote(remote_request());
    assert_ne!(harness.question().await.id, question.id);

    let mut here = request();
    here.call.call_id = Some("here".into());
    let caller = harness.pass(here.clone());
    let question = harness.pending().await.pop().unwrap();
    harness.answer(question.id, Answer::approve()).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
    let _again = harness.pass(here);
    assert_ne!(harness.pending().await.pop().unwrap().id, question.id);
}

#[tokio::test]
async fn joining_while_another_leaves_keeps_the_approval_open() {
    let harness = GateHarness::new(json!({})).await;
    let first = harness.pass(request());
    let question = harness.question().await;
    // The first leaves at the moment the second joins.
    first.abort();
    let second = harness.pass(request());
    settle().await;
    let open = harness.question().await;
    assert!(!second.is_finished());
    harness.answer(open.id, Answer::approve()).await.unwrap();
    assert_eq!(open.id, question.id);
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test]
async fn unclaimed_answer_lapses_after_a_day_unless_durable() {
    let harness = GateHarness::new(json!({})).await;
    for durable in [false, true] {
        let mut parked = remote_request();
        parked.timeout.on_timeout = Some(sekisho_policy::OnTimeout::Park);
        parked.caller.durable = durable;
        parked.call.call_id = Some(format!("durable {durable}"));
        let caller = harness.pass_remote(parked.clone());
        let question = harness.question().await;
        caller.abort();
        settle().await;
        harness.answer(question.id, Answer::approve()).await.unwrap();
        harness.advance(25 * 3600).await;
        let caller = harness.pass_remote(parked);
        settle().await;
        assert_eq!(caller.is_finished(), durable);
        for open in harness.pending().await {
            assert_ne!(open.id, question.id);
            harness.answer(open.id, Answer::deny()).await.unwrap();
        }
    }
}
