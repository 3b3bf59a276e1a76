//! Waiters that leave.

use sekisho_gate::approval::{Approval, ApprovalState};
use sekisho_gate::approval_machine::StepOutcome;
use sekisho_gate::ledger::OpenOutcome;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{call, caller, pending_approval, seconds_after_start};

fn asked(call_id: &str, seconds: i64) -> Approval {
    pending_approval(call(call_id), caller(), seconds_after_start(seconds), Some(120))
}

/// An approval for which two replicas have a waiter, both seen at the start.
async fn held_twice(harness: &StoreHarness) -> Approval {
    let approval = asked("1", 0);
    harness.ask(&approval, 1).await;
    assert_eq!(harness.open(&asked("1", 0), 2).await, OpenOutcome::Joined(approval.clone()));
    approval
}

pub(super) async fn approval_ends_when_its_last_waiter_leaves(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = asked("1", 0);
    harness.ask(&approval, 1).await;
    let step = harness.leave(approval.id, 1, seconds_after_start(1)).await;
    assert_eq!((step.outcome, step.changed), (StepOutcome::Changed, true));
    assert!(
        matches!(&step.approval.fate.state, ApprovalState::Aborted { at, .. } if *at == seconds_after_start(1))
    );
    assert_eq!(harness.get(approval.id).await, step.approval);
    assert_eq!(harness.changes().await.len(), 2);
    let again = harness.leave(approval.id, 1, seconds_after_start(2)).await;
    assert_eq!((again.outcome, again.changed), (StepOutcome::NoEffect, false));
    assert_eq!(harness.changes().await.len(), 2);
}

pub(super) async fn another_waiting_replica_keeps_the_approval(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = held_twice(&harness).await;
    let step = harness.leave(approval.id, 1, seconds_after_start(2)).await;
    assert_eq!((step.outcome, step.changed), (StepOutcome::NoEffect, false));
    assert_eq!(harness.pending().await, [approval.id]);
    // Leaving twice does not count for the other replica.
    assert_eq!(harness.leave(approval.id, 1, seconds_after_start(2)).await.outcome, StepOutcome::NoEffect);
    assert_eq!(harness.leave(approval.id, 2, seconds_after_start(3)).await.outcome, StepOutcome::Changed);
    assert_eq!(harness.state(approval.id).await, "aborted");
}

pub(super) async fn lost_replica_does_not_keep_the_approval(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = held_twice(&harness).await;
    harness.sweep(1, seconds_after_start(6)).await;
    assert_eq!(
        harness.leave(approval.id, 1, seconds_after_start(6)).await.outcome,
        StepOutcome::Changed,
        "nothing was heard of the other for 6 s"
    );
}

pub(super) async fn sweeping_replica_keeps_its_approvals(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = held_twice(&harness).await;
    for seconds in [4, 8, 12] {
        harness.sweep(2, seconds_after_start(seconds)).await;
    }
    assert_eq!(harness.leave(approval.id, 1, seconds_after_start(14)).await.outcome, StepOutcome::NoEffect);
    assert_eq!(harness.state(approval.id).await, "pending");
}

pub(super) async fn parked_and_durable_approvals_stay(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let parked = pending_approval(call("1"), caller(), seconds_after_start(0), None);
    let durable = pending_approval(call("2"), caller().durable(), seconds_after_start(1), Some(120));
    for approval in [&parked, &durable] {
        harness.ask(approval, 1).await;
        let step = harness.leave(approval.id, 1, seconds_after_start(2)).await;
        assert_eq!((step.outcome, step.changed), (StepOutcome::NoEffect, false));
    }
    assert_eq!(harness.pending().await, [parked.id, durable.id]);
    // The caller finds its approval again.
    let again = pending_approval(call("1"), caller(), seconds_after_start(500), None);
    assert_eq!(harness.open(&again, 2).await, OpenOutcome::Joined(parked));
}

pub(super) async fn each_approval_has_its_own_waiters(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (first, second) = (asked("1", 0), asked("2", 1));
    harness.ask(&first, 1).await;
    harness.ask(&second, 1).await;
    harness.leave(first.id, 1, seconds_after_start(2)).await;
    assert_eq!(harness.pending().await, [second.id]);
    // A replica that never waited does not end what another waits for.
    assert_eq!(harness.leave(second.id, 2, seconds_after_start(3)).await.outcome, StepOutcome::NoEffect);
    assert_eq!(harness.pending().await, [second.id]);
}
