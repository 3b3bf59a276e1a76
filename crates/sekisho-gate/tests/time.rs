//! Time: expiry, parking, departure, restarts.

use sekisho_gate::answer::Answer;
use sekisho_gate::approval::ApprovalState;
use sekisho_gate::refusal::RefusalCode;
use sekisho_policy::OnTimeout;
use serde_json::json;

use crate::harness::{GateHarness, ask, ask_from_afar, settle};

#[tokio::test]
async fn unanswered_approval_expires_with_its_own_reason() {
    let world = GateHarness::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    world.advance(119).await;
    assert!(world.approval(question.id).await.is_pending());
    world.advance(1).await;
    let refusal = caller.await.unwrap().unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Expired);
    assert!(refusal.message().contains("the call was not denied"));
    assert_eq!(world.approval(question.id).await.fate.state.name(), "expired");
}

#[tokio::test]
async fn rules_and_callers_set_the_timeout() {
    let rule = json!({ "confirm": [
        { "tool": "deploy", "timeout_s": 10 },
        { "tool": "launch", "on_timeout": "park" }
    ] });
    let world = GateHarness::new(rule).await;
    let caller = world.pass(ask());
    world.question().await;
    world.advance(10).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);

    let mut hasty = ask();
    hasty.timeout.timeout_s = Some(3);
    let caller = world.pass(hasty);
    world.question().await;
    world.advance(3).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);

    for parked in [true, false] {
        let mut launch = ask();
        launch.call.tool = "launch".into();
        launch.timeout.on_timeout = (!parked).then_some(OnTimeout::Deny);
        let caller = world.pass(launch);
        let question = world.question().await;
        assert_eq!(question.fate.deadline.is_none(), parked);
        world.advance(1_000_000).await;
        assert_eq!(world.approval(question.id).await.is_pending(), parked);
        if parked {
            world.answer(question.id, Answer::approve()).await.unwrap();
        }
        assert_eq!(caller.await.unwrap().is_ok(), parked);
    }
}

#[tokio::test]
async fn departed_caller_aborts_unless_parked_or_durable() {
    let world = GateHarness::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    caller.abort();
    settle().await;
    assert!(matches!(world.approval(question.id).await.fate.state, ApprovalState::Aborted { .. }));

    let mut parked = ask();
    parked.timeout.on_timeout = Some(OnTimeout::Park);
    parked.call.call_id = Some("parked".into());
    let mut durable = ask();
    durable.caller.durable = true;
    durable.call.call_id = Some("durable".into());
    for ask in [parked, durable] {
        let caller = world.pass(ask.clone());
        let question = world.question().await;
        caller.abort();
        world.advance(100_000).await;
        assert!(world.approval(question.id).await.is_pending());
        world.answer(question.id, Answer::approve()).await.unwrap();
        let permit = world.gate.pass(ask).await.unwrap();
        assert_eq!(permit.approval(), Some(question.id), "the answer waited for its asker");
    }
}

#[tokio::test]
async fn restart_keeps_the_remaining_time() {
    let world = GateHarness::new(json!({})).await;
    let caller = world.pass(ask_from_afar());
    let question = world.question().await;
    world.advance(20).await;
    caller.abort();
    // The process dies with its callers, so no departure was recorded.
    world.gate.close();
    let world = world.restart().await;
    assert!(world.approval(question.id).await.is_pending());
    let caller = world.tell(ask_from_afar());
    assert_eq!(world.question().await.id, question.id, "the caller came back to the same question");
    world.advance(99).await;
    assert!(world.approval(question.id).await.is_pending());
    world.advance(1).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);
}

#[tokio::test]
async fn approvals_expired_during_downtime_expire_at_start() {
    let world = GateHarness::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    world.gate.close();
    let _ = caller.await;
    let GateHarness { ledger, files, clock, settings, .. } = world.restart().await;
    clock.advance(jiff::SignedDuration::from_secs(500));
    let world = GateHarness::start(ledger, files, clock, settings).await;
    assert!(matches!(world.approval(question.id).await.fate.state, ApprovalState::Expired { .. }));
}

#[tokio::test]
async fn callers_of_a_lost_server_have_30_seconds_to_reconnect() {
    let world = GateHarness::new(json!({})).await;
    let caller = world.pass(ask_from_afar());
    let question = world.question().await;
    world.gate.close();
    let _ = caller.await;
    let world = world.restart().await;
    world.advance(29).await;
    assert!(world.approval(question.id).await.is_pending());
    world.advance(10).await;
    assert!(matches!(world.approval(question.id).await.fate.state, ApprovalState::Aborted { .. }));
}

#[tokio::test]
async fn ten_thousand_waiters_expire_with_one_timer() {
    let world = GateHarness::new(json!({})).await;
    let callers: Vec<_> = (0..10_000)
        .map(|n| {
            let mut ask = ask();
            ask.call.call_id = Some(format!("c{n}"));
            world.pass(ask)
        })
        .collect();
    assert_eq!(world.pending().await.len(), 10_000);
    assert_eq!(world.gate.waiting_count(), 10_000);
    assert!(world.clock.sleepers() <= 2, "{} sleepers", world.clock.sleepers());
    world.advance(120).await;
    for caller in callers {
        assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);
    }
    assert_eq!(world.gate.waiting_count(), 0);
}
