//! How approvals are opened and joined.

use sekisho_gate::ExecutionId;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim};
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::OpenOutcome;
use sekisho_gate::record::{self, EventPayload};
use sekisho_policy::Call;
use serde_json::json;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{answer_trigger, call, caller, pending_approval, seconds_after_start};
use crate::inspect::CallRow;

fn asked(call_id: &str, asker: Caller, seconds: i64) -> Approval {
    pending_approval(call(call_id), asker, seconds_after_start(seconds), Some(120))
}

fn approve(approval: &Approval, seconds: i64) -> ApprovalTrigger {
    answer_trigger(approval, Answer::approve(), None, seconds_after_start(seconds))
}

pub(super) async fn new_approval_is_stored_and_announced(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = asked("1", caller(), 0);
    harness.ask(&approval, 1).await;
    assert_eq!(harness.get(approval.id).await, approval);
    let (id, call, digest) = (approval.asked.call_id, approval.asked.call.clone(), approval.asked.digest);
    let row = CallRow { id, tool: call.tool, input: call.input, digest };
    assert_eq!(harness.0.inspect.calls().await, [row]);
    assert_eq!(harness.0.inspect.executions().await, []);
    assert_eq!(harness.entries().await, [record::opening_record(&approval).entry]);
    assert_eq!(harness.changes().await, [EventPayload::Opened { id: approval.id }]);
}

pub(super) async fn second_request_joins(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = asked("1", caller(), 0);
    harness.ask(&first, 1).await;
    let before = harness.written().await;
    for (replica, seconds) in [(1, 1), (2, 2), (1, 3)] {
        let again = asked("1", caller(), seconds);
        assert_eq!(harness.open(&again, replica).await, OpenOutcome::Joined(first.clone()));
    }
    assert_eq!(harness.written().await, before, "joining is nothing new");
    assert_eq!(harness.pending().await, [first.id]);
}

pub(super) async fn same_key_with_another_input_conflicts(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = asked("1", caller(), 0);
    harness.ask(&first, 1).await;
    let before = harness.written().await;
    let other = Call { input: json!({ "target": "staging" }), ..call("1") };
    let other = pending_approval(other, caller(), seconds_after_start(1), Some(120));
    assert_eq!(harness.open(&other, 2).await, OpenOutcome::Conflict(first.clone()));
    assert_eq!(harness.written().await, before);
    // A rejected caller does not wait: when the first caller leaves, the approval ends.
    harness.leave(first.id, 1, seconds_after_start(2)).await;
    assert_eq!(harness.state(first.id).await, "aborted");
}

pub(super) async fn different_keys_open_different_approvals(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let elsewhere = Call { conversation: Some("conversation-2".into()), ..call("1") };
    let in_a_run = Call { run_id: Some("conversation-1".into()), ..call("1") };
    let nameless = Call { call_id: None, ..call("1") };
    let all = [
        (call("1"), caller()),
        (call("2"), caller()),
        (call("1"), Caller::in_process("token-9")),
        (elsewhere, caller()),
        (in_a_run, caller()),
        (nameless.clone(), caller()),
        (nameless, caller()),
    ];
    for (seconds, (call, asker)) in (0..).zip(all) {
        harness.ask(&pending_approval(call, asker, seconds_after_start(seconds), Some(120)), 1).await;
    }
    assert_eq!(harness.pending().await.len(), 7);
}

pub(super) async fn answer_waits_for_its_caller(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    for (call_id, answer) in [("1", Answer::approve()), ("2", Answer::deny().with_reason("not today"))] {
        let first = asked(call_id, caller(), 0);
        harness.ask(&first, 1).await;
        let settled = harness
            .done(
                first.id,
                answer_trigger(&first, answer, None, seconds_after_start(1)),
                seconds_after_start(1),
            )
            .await;
        let before = harness.written().await;
        // Even long after the deadline: it was answered in time.
        let again = asked(call_id, caller(), 80_000);
        assert_eq!(harness.open(&again, 2).await, OpenOutcome::Answered(settled));
        assert_eq!(harness.written().await, before);
    }
}

pub(super) async fn claimed_answer_opens_a_new_approval_locally(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = asked("1", caller(), 0);
    harness.ask(&first, 1).await;
    harness.done(first.id, approve(&first, 1), seconds_after_start(1)).await;
    harness.run(first.id, ExecutionId::new(seconds_after_start(2)), seconds_after_start(2)).await;
    harness.ask(&asked("1", caller(), 3), 1).await;
}

pub(super) async fn remote_caller_can_read_again_for_a_minute(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let remote = || Caller::remote("token-1");
    for (call_id, answer) in [("1", Answer::approve()), ("2", Answer::deny())] {
        let claim = match call_id {
            "1" => Claim::Run(ExecutionId::new(seconds_after_start(2))),
            _ => Claim::Refusal,
        };
        let first = asked(call_id, remote(), 0);
        harness.ask(&first, 1).await;
        harness
            .done(
                first.id,
                answer_trigger(&first, answer, None, seconds_after_start(1)),
                seconds_after_start(1),
            )
            .await;
        let taken = harness.done(first.id, ApprovalTrigger::Claimed(claim), seconds_after_start(2)).await;
        assert_eq!(harness.open(&asked(call_id, remote(), 61), 1).await, OpenOutcome::Answered(taken));
        harness.ask(&asked(call_id, remote(), 63), 1).await;
    }
}

pub(super) async fn expired_approval_ends_and_a_new_one_opens(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (first, second) = (asked("1", caller(), 0), asked("1", caller(), 121));
    harness.ask(&first, 1).await;
    // No sweep ran in between.
    harness.ask(&second, 1).await;
    let expected = first.step(&ApprovalTrigger::TimePassed, seconds_after_start(121)).approval;
    assert_eq!(harness.get(first.id).await, expected);
    assert_eq!(harness.pending().await, [second.id]);
    let expired = EventPayload::Resolved { id: first.id, state: "expired".into() };
    let opened = |id| EventPayload::Opened { id };
    assert_eq!(harness.changes().await, [opened(first.id), expired, opened(second.id)]);
}

pub(super) async fn aborted_approval_is_opened_anew(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = asked("1", caller(), 0);
    harness.ask(&first, 1).await;
    harness
        .done(
            first.id,
            ApprovalTrigger::Cancelled { why: "the run was aborted".into() },
            seconds_after_start(1),
        )
        .await;
    harness.ask(&asked("1", caller(), 2), 1).await;
}

pub(super) async fn latest_approval_under_a_key_counts(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = asked("1", caller(), 0);
    harness.ask(&first, 1).await;
    harness.done(first.id, approve(&first, 1), seconds_after_start(1)).await;
    let other = Call { input: json!({ "target": "staging" }), ..call("1") };
    let second = pending_approval(other, caller(), seconds_after_start(2), Some(120));
    harness.ask(&second, 1).await;
    let again = asked("1", caller(), 3);
    assert_eq!(
        harness.open(&again, 1).await,
        OpenOutcome::Conflict(second),
        "the answer to the first is out of reach"
    );
}
