//! Expiring approvals.

use sekisho_gate::approval::{Approval, ApprovalState};
use sekisho_gate::ledger::{OpenOutcome, RECONNECT_GRACE_S, SweepOutcome};
use sekisho_gate::record::EventPayload;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{call, caller, pending_approval, seconds_after_start};

fn asked(call_id: &str, seconds: i64, timeout_s: Option<i64>) -> Approval {
    pending_approval(call(call_id), caller(), seconds_after_start(seconds), timeout_s)
}

pub(super) async fn empty_store_expires_nothing(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(harness.sweep(1, seconds_after_start(0)).await, SweepOutcome::default());
    let approval = asked("1", 1, Some(5));
    harness.ask(&approval, 1).await;
    harness.leave(approval.id, 1, seconds_after_start(2)).await;
    assert_eq!(
        harness.sweep(1, seconds_after_start(10)).await,
        SweepOutcome::default(),
        "what has ended does not end again"
    );
    assert_eq!(harness.changes().await.len(), 2);
}

pub(super) async fn due_approvals_expire(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (short, long) = (asked("1", 0, Some(10)), asked("2", 1, Some(20)));
    let (same, parked) = (asked("3", 2, Some(8)), asked("4", 3, None));
    for approval in [&short, &long, &same, &parked] {
        harness.ask(approval, 1).await;
    }
    let early = harness.sweep(1, seconds_after_start(9)).await;
    assert_eq!(early, SweepOutcome { ended: vec![], next: Some(seconds_after_start(10)), pending: true });
    let due = harness.sweep(1, seconds_after_start(10)).await;
    assert_eq!(
        due,
        SweepOutcome { ended: vec![short.id, same.id], next: Some(seconds_after_start(21)), pending: true }
    );
    assert_eq!(
        harness.get(short.id).await.fate.state,
        ApprovalState::Expired { at: seconds_after_start(10) }
    );
    let expired = |id| EventPayload::Resolved { id, state: "expired".into() };
    assert_eq!(harness.changes().await[4..], [expired(short.id), expired(same.id)]);
    let last = harness.sweep(1, seconds_after_start(1000)).await;
    assert_eq!(last, SweepOutcome { ended: vec![long.id], next: None, pending: true });
    assert_eq!(harness.pending().await, [parked.id]);
}

pub(super) async fn next_deadline_is_the_earliest(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    harness.ask(&asked("1", 0, Some(25)), 1).await;
    harness.ask(&asked("2", 1, Some(15)), 1).await;
    harness.ask(&asked("3", 2, Some(27)), 1).await;
    assert_eq!(harness.sweep(1, seconds_after_start(3)).await.next, Some(seconds_after_start(16)));
    assert_eq!(harness.sweep(1, seconds_after_start(16)).await.next, Some(seconds_after_start(25)));
}

pub(super) async fn approvals_of_a_lost_replica_end_after_the_grace_period(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = asked("1", 0, Some(120));
    harness.ask(&approval, 1).await;
    let early = harness.sweep(2, seconds_after_start(RECONNECT_GRACE_S - 1)).await;
    assert_eq!(
        early,
        SweepOutcome { ended: vec![], next: Some(seconds_after_start(RECONNECT_GRACE_S)), pending: true }
    );
    // Sweeping at the returned time is enough, so a timer that sleeps until then does not spin.
    let swept = harness.sweep(2, seconds_after_start(RECONNECT_GRACE_S)).await;
    assert_eq!(swept, SweepOutcome { ended: vec![approval.id], next: None, pending: false });
    assert_eq!(harness.state(approval.id).await, "aborted");
    assert_eq!(harness.changes().await.len(), 2);
}

pub(super) async fn live_replica_abandons_nothing(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = asked("1", 0, Some(3600));
    harness.ask(&approval, 1).await;
    for seconds in [20, 40, 60] {
        harness.sweep(1, seconds_after_start(seconds)).await;
        assert_eq!(harness.sweep(2, seconds_after_start(seconds + 15)).await.ended, []);
    }
    // A replica that returns to its own approval after a long silence has not lost it either.
    assert_eq!(harness.sweep(1, seconds_after_start(600)).await.ended, []);
    assert_eq!(harness.sweep(2, seconds_after_start(600 + RECONNECT_GRACE_S)).await.ended, [approval.id]);
}

pub(super) async fn joining_again_keeps_the_approval(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = asked("1", 0, Some(120));
    harness.ask(&approval, 1).await;
    assert_eq!(harness.open(&asked("1", 20, Some(120)), 2).await, OpenOutcome::Joined(approval.clone()));
    assert_eq!(harness.sweep(3, seconds_after_start(40)).await.ended, [], "its caller came back elsewhere");
    assert_eq!(harness.sweep(3, seconds_after_start(20 + RECONNECT_GRACE_S)).await.ended, [approval.id]);
}

pub(super) async fn opening_an_approval_marks_the_replica_as_seen(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = asked("1", 0, Some(3600));
    harness.ask(&first, 1).await;
    let second = asked("2", 20, Some(3600));
    harness.ask(&second, 1).await;
    assert_eq!(harness.sweep(2, seconds_after_start(40)).await.ended, [], "it asked something new");
    assert_eq!(harness.open(&asked("2", 45, Some(3600)), 1).await, OpenOutcome::Joined(second.clone()));
    assert_eq!(harness.sweep(2, seconds_after_start(60)).await.ended, [], "it asked something again");
    assert_eq!(
        harness.sweep(2, seconds_after_start(45 + RECONNECT_GRACE_S)).await.ended,
        [first.id, second.id]
    );
}

pub(super) async fn approval_that_outlives_its_caller_is_never_abandoned(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let parked = asked("1", 0, None);
    let durable = pending_approval(call("2"), caller().durable(), seconds_after_start(1), Some(3600));
    harness.ask(&parked, 1).await;
    harness.ask(&durable, 1).await;
    let swept = harness.sweep(2, seconds_after_start(1000)).await;
    assert_eq!(swept, SweepOutcome { ended: vec![], next: Some(seconds_after_start(3601)), pending: true });
    assert_eq!(
        harness.sweep(2, seconds_after_start(3601)).await.ended,
        [durable.id],
        "a durable one with an end still expires"
    );
    assert_eq!(harness.pending().await, [parked.id]);
}
