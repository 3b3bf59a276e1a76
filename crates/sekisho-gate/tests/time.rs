//! Time: expiry, parking, departure, restarts.

use sekisho_gate::answer::Answer;
use sekisho_gate::approval::ApprovalState;
use sekisho_gate::refusal::RefusalCode;
use sekisho_policy::OnTimeout;
use serde_json::json;

use crate::harness::{GateHarness, remote_request, request, settle};

#[tokio::test]
async fn unanswered_approval_expires_with_its_own_reason() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.advance(119).await;
    assert!(harness.approval(question.id).await.is_pending());
    harness.advance(1).await;
    let refusal = caller.await.unwrap().unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Expired);
    assert!(refusal.message().contains("the call was not denied"));
    assert_eq!(harness.approval(question.id).await.fate.state.name(), "expired");
}

#[tokio::test]
async fn rules_and_callers_set_the_timeout() {
    let rule = json!({ "confirm": [
        { "tool": "deploy", "timeout_s": 10 },
        { "tool": "launch", "on_timeout": "park" }
    ] });
    let harness = GateHarness::new(rule).await;
    let caller = harness.pass(request());
    harness.question().await;
    harness.advance(10).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);

    let mut hasty = request();
    hasty.timeout.timeout_s = Some(3);
    let caller = harness.pass(hasty);
    harness.question().await;
    harness.advance(3).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);

    for parked in [true, false] {
        let mut launch = request();
        launch.call.tool = "launch".into();
        launch.timeout.on_timeout = (!parked).then_some(OnTimeout::Deny);
        let caller = harness.pass(launch);
        let question = harness.question().await;
        assert_eq!(question.fate.deadline.is_none(), parked);
        harness.advance(1_000_000).await;
        assert_eq!(harness.approval(question.id).await.is_pending(), parked);
        if parked {
            harness.answer(question.id, Answer::approve()).await.unwrap();
        }
        assert_eq!(caller.await.unwrap().is_ok(), parked);
    }
}

#[tokio::test]
async fn departed_caller_aborts_unless_parked_or_durable() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    caller.abort();
    settle().await;
    assert!(matches!(harness.approval(question.id).await.fate.state, ApprovalState::Aborted { .. }));

    let mut parked = request();
    parked.timeout.on_timeout = Some(OnTimeout::Park);
    parked.call.call_id = Some("parked".into());
    let mut durable = request();
    durable.caller.durable = true;
    durable.call.call_id = Some("durable".into());
    for request in [parked, durable] {
        let caller = harness.pass(request.clone());
        let question = harness.question().await;
        caller.abort();
        harness.advance(100_000).await;
        assert!(harness.approval(question.id).await.is_pending());
        harness.answer(question.id, Answer::approve()).await.unwrap();
        let permit = harness.gate.pass(request).await.unwrap();
        assert_eq!(permit.approval(), Some(question.id), "the answer waited for its caller");
    }
}

#[tokio::test]
async fn restart_keeps_the_remaining_time() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(remote_request());
    let question = harness.question().await;
    harness.advance(20).await;
    caller.abort();
    // The process dies with its callers, so no departure was recorded.
    harness.gate.close();
    let harness = harness.restart().await;
    assert!(harness.approval(question.id).await.is_pending());
    let caller = harness.pass_remote(remote_request());
    assert_eq!(harness.question().await.id, question.id, "the caller returned to the same approval");
    harness.advance(99).await;
    assert!(harness.approval(question.id).await.is_pending());
    harness.advance(1).await;
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);
}

#[tokio::test]
async fn approvals_expired_during_downtime_expire_at_start() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.gate.close();
    let _ = caller.await;
    let GateHarness { ledger, files, clock, settings, .. } = harness.restart().await;
    clock.advance(jiff::SignedDuration::from_secs(500));
    let harness = GateHarness::start(ledger, files, clock, settings).await;
    assert!(matches!(harness.approval(question.id).await.fate.state, ApprovalState::Expired { .. }));
}

#[tokio::test]
async fn callers_of_a_lost_server_have_30_seconds_to_reconnect() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(remote_request());
    let question = harness.question().await;
    harness.gate.close();
    let _ = caller.await;
    let harness = harness.restart().await;
    harness.advance(29).await;
    assert!(harness.approval(question.id).await.is_pending());
    harness.advance(10).await;
    assert!(matches!(harness.approval(question.id).await.fate.state, ApprovalState::Aborted { .. }));
}

#[tokio::test]
async fn ten_thousand_waiters_expire_with_one_timer() {
    let harness = GateHarness::new(json!({})).await;
    let callers: Vec<_> = (0..10_000)
        .map(|n| {
            let mut request = request();
            request.call.call_id = Some(format!("c{n}"));
            harness.pass(request)
        })
        .collect();
    assert_eq!(harness.pending().await.len(), 10_000);
    assert_eq!(harness.gate.waiting_count(), 10_000);
    assert!(harness.clock.sleepers() <= 2, "{} sleepers", harness.clock.sleepers());
    harness.advance(120).await;
    for caller in callers {
        assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Expired);
    }
    assert_eq!(harness.gate.waiting_count(), 0);
}
