//! Claiming an answer.

use jiff::Timestamp;
use sekisho_gate::ExecutionId;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval::{Approval, CompletedClaim};
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, StepOutcome};
use sekisho_gate::caller::Caller;
use sekisho_gate::record::{EventPayload, RecordKind};

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{answer_trigger, call, caller, pending_approval, seconds_after_start};
use crate::inspect::ExecutionRow;

/// An approval that was answered at the first second.
async fn settled(harness: &StoreHarness, call_id: &str, asker: Caller, answer: Answer) -> Approval {
    let approval = pending_approval(call(call_id), asker, seconds_after_start(0), Some(120));
    harness.ask(&approval, 1).await;
    harness
        .done(
            approval.id,
            answer_trigger(&approval, answer, None, seconds_after_start(1)),
            seconds_after_start(1),
        )
        .await
}

fn new(at: Timestamp) -> ExecutionId {
    ExecutionId::new(at)
}

pub(super) async fn answer_is_claimed_once(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = settled(&harness, "1", caller(), Answer::approve()).await;
    let execution = new(seconds_after_start(2));
    let step = harness.run(approval.id, execution, seconds_after_start(2)).await;
    assert_eq!((step.outcome, step.changed), (StepOutcome::Changed, true));
    let claimed = CompletedClaim { at: seconds_after_start(2), execution: Some(execution), void: None };
    assert_eq!(harness.get(approval.id).await.fate.claimed, Some(claimed));

    for (seconds, execution) in
        [(2, execution), (3, new(seconds_after_start(3))), (100, new(seconds_after_start(100)))]
    {
        let step = harness.run(approval.id, execution, seconds_after_start(seconds)).await;
        assert_eq!((step.outcome, step.changed), (StepOutcome::AlreadyClaimed, false));
    }
    let tool = approval.asked.call.tool.clone();
    let row = ExecutionRow::permitted(execution, tool.clone(), Some(approval.id), seconds_after_start(2));
    assert_eq!(harness.0.inspect.executions().await, [row]);
    let credential = Some(approval.asked.asker.credential.clone());
    let run = approval.asked.call.run_id.clone();
    let started = EventPayload::Started { execution, tool, approval: Some(approval.id), credential, run };
    assert_eq!(harness.changes().await[2..], [started]);
    let kinds: Vec<RecordKind> = harness.entries().await.iter().map(|entry| entry.kind.clone()).collect();
    assert_eq!(kinds, [RecordKind::Question, RecordKind::Outcome, RecordKind::Claim]);
}

pub(super) async fn remote_caller_can_read_the_answer_again(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = settled(&harness, "1", Caller::remote("token-1"), Answer::approve()).await;
    assert_eq!(
        harness.run(approval.id, new(seconds_after_start(2)), seconds_after_start(2)).await.outcome,
        StepOutcome::Changed
    );
    let before = harness.written().await;
    assert_eq!(
        harness.run(approval.id, new(seconds_after_start(3)), seconds_after_start(62)).await.outcome,
        StepOutcome::Duplicate
    );
    assert_eq!(
        harness.run(approval.id, new(seconds_after_start(4)), seconds_after_start(63)).await.outcome,
        StepOutcome::AlreadyClaimed
    );
    assert_eq!(harness.written().await, before, "it runs once, however often it is told");
}

pub(super) async fn claimed_denial_runs_nothing(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = settled(&harness, "1", caller(), Answer::deny()).await;
    let run = harness.run(approval.id, new(seconds_after_start(2)), seconds_after_start(2)).await;
    assert_eq!((run.outcome, run.changed), (StepOutcome::Conflict, false));
    let told =
        harness.done(approval.id, ApprovalTrigger::Claimed(Claim::Refusal), seconds_after_start(3)).await;
    assert_eq!(
        told.fate.claimed,
        Some(CompletedClaim { at: seconds_after_start(3), execution: None, void: None })
    );
    assert_eq!(
        harness.run(approval.id, new(seconds_after_start(4)), seconds_after_start(4)).await.outcome,
        StepOutcome::AlreadyClaimed
    );
    assert_eq!(harness.0.inspect.executions().await, []);
    assert_eq!(harness.changes().await.len(), 2, "that a refusal was told is a line and no event");
    assert_eq!(harness.entries().await.len(), 3);
}

pub(super) async fn void_answer_runs_nothing(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = settled(&harness, "1", caller(), Answer::approve()).await;
    let void = Claim::Void("a file that was shown has changed".into());
    let turned = harness.done(approval.id, ApprovalTrigger::Claimed(void), seconds_after_start(2)).await;
    assert_eq!(harness.get(approval.id).await, turned);
    assert_eq!(
        harness.run(approval.id, new(seconds_after_start(3)), seconds_after_start(3)).await.outcome,
        StepOutcome::AlreadyClaimed
    );
    assert_eq!(harness.0.inspect.executions().await, []);
}

pub(super) async fn claim_with_an_existing_execution_changes_nothing(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = settled(&harness, "1", caller(), Answer::approve()).await;
    let second = settled(&harness, "2", caller(), Answer::approve()).await;
    let execution = new(seconds_after_start(2));
    harness.run(first.id, execution, seconds_after_start(2)).await;
    let before = harness.written().await;
    let claim = ApprovalTrigger::Claimed(Claim::Run(execution));
    assert!(
        harness.0.ledger.step(WriteAccess::TESTS, second.id, claim, seconds_after_start(3)).await.is_err(),
        "one run is one execution"
    );
    assert_eq!(harness.get(second.id).await, second);
    assert_eq!(harness.written().await, before);
}
