//! Everything written is read back unchanged, also after reopening.

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::{Answer, RuleScope};
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, StepOutcome};
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::{ExecutionOutcome, OpenOutcome};
use sekisho_gate::record::EventPayload;
use sekisho_gate::{ApprovalId, ExecutionId};
use sekisho_policy::{Effect, Rule};
use serde_json::json;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{
    admission, answer_trigger, call, caller, pending_approval, replica, rules_changed_record,
    seconds_after_start, stored_rule, verdict,
};

/// A timestamp with all nine fractional digits.
fn exact(seconds: i64) -> Timestamp {
    seconds_after_start(seconds) + SignedDuration::from_nanos(123_456_789)
}

/// Sequences of triggers that lead to every possible status.
fn fates(approval: &Approval) -> Vec<Vec<ApprovalTrigger>> {
    let at = exact(1);
    let rule = Rule { tool: Some("deploy".into()), expires_at: Some(exact(99)), ..Rule::default() };
    let rich = Answer::approve()
        .with_input(json!({ "é": [1, 2.5, null, "\u{0}"] }))
        .with_reason("a \"reason\"\n関所")
        .with_rules(RuleScope::Project, vec![rule]);
    let rich = Answer { digest: Some(approval.asked.digest), interrupt: true, ..rich };
    let say = |answer| answer_trigger(approval, answer, None, at);
    let claim = ApprovalTrigger::Claimed;
    vec![
        vec![],
        vec![say(rich.clone())],
        vec![say(rich), claim(Claim::Run(ExecutionId::new(at)))],
        vec![say(Answer::deny())],
        vec![say(Answer::deny()), claim(Claim::Refusal)],
        vec![say(Answer::approve()), claim(Claim::Void("changed".into()))],
        vec![ApprovalTrigger::Rejudged(verdict(&approval.asked.call, Some(Effect::Deny), at))],
        vec![ApprovalTrigger::Cancelled { why: "the run was \"aborted\"".into() }],
        vec![ApprovalTrigger::WaitersLeft],
    ]
}

pub(super) async fn every_status_round_trips(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let askers = [caller(), Caller::remote("tökèn").durable()];
    let kinds = askers.iter().flat_map(|asker| [Some(3600), Some(1), None].map(|timeout| (asker, timeout)));
    let mut expected = Vec::new();
    for (number, (asker, timeout)) in (0..).zip(kinds) {
        for index in 0..fates(&pending_approval(call("0"), asker.clone(), exact(0), timeout)).len() {
            let call = call(&format!("{number}.{index}"));
            let mut approval = pending_approval(call, asker.clone(), exact(0), timeout);
            harness.ask(&approval, 1).await;
            for trigger in fates(&approval).swap_remove(index) {
                approval = harness.step(approval.id, trigger, exact(2)).await.approval;
            }
            expected.push(approval);
        }
    }
    for approval in &expected {
        assert_eq!(harness.get(approval.id).await, *approval);
    }
    let harness = StoreHarness(backend.reopen(harness.0).await);
    for approval in &expected {
        assert_eq!(harness.get(approval.id).await, *approval, "after it was opened again");
    }
}

/// Five events: one claimed approval, one pending approval, and a call that runs.
async fn some_work(harness: &StoreHarness) -> (Approval, Approval, ExecutionId) {
    let first = pending_approval(call("1"), caller(), exact(0), Some(120));
    let second = pending_approval(call("2"), caller(), exact(1), Some(120));
    harness.ask(&first, 1).await;
    harness.ask(&second, 1).await;
    harness.done(first.id, answer_trigger(&first, Answer::approve(), None, exact(2)), exact(2)).await;
    let admitted = admission(call("x"), caller(), exact(3), Effect::Allow);
    let running = admitted.execution.expect("an allowed call runs");
    harness.0.ledger.admit(WriteAccess::TESTS, admitted).await.expect("admitting works");
    harness.run(first.id, ExecutionId::new(exact(4)), exact(4)).await;
    (first, second, running)
}

pub(super) async fn everything_survives_reopening(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    some_work(&harness).await;
    let before = (harness.events().await, harness.entries().await, harness.snapshot().await);
    let rows = (harness.0.inspect.calls().await, harness.0.inspect.executions().await);
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!((harness.events().await, harness.entries().await, harness.snapshot().await), before);
    assert_eq!((harness.0.inspect.calls().await, harness.0.inspect.executions().await), rows);
    assert_eq!(*harness.0.ledger.head().borrow(), 5, "the head is known at once");
}

pub(super) async fn work_continues_after_reopening(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (first, second, running) = some_work(&harness).await;
    let harness = StoreHarness(backend.reopen(harness.0).await);
    let ending =
        ExecutionOutcome { at: exact(5), is_error: false, output: None, duration_ms: Some(1), exit: None };
    assert_eq!(harness.0.ledger.finish(WriteAccess::TESTS, running, ending).await, Ok(true));
    assert_eq!(
        harness.events().await.last().map(|event| event.seq),
        Some(6),
        "it counts on where it stopped"
    );
    assert_eq!(
        harness.run(first.id, ExecutionId::new(exact(6)), exact(6)).await.outcome,
        StepOutcome::AlreadyClaimed
    );
    let again = pending_approval(call("2"), caller(), exact(7), Some(120));
    assert_eq!(harness.open(&again, 2).await, OpenOutcome::Joined(second));
}

pub(super) async fn waiters_survive_reopening(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    harness.ask(&approval, 1).await;
    harness.open(&pending_approval(call("1"), caller(), seconds_after_start(1), Some(120)), 2).await;
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!(
        harness.leave(approval.id, 1, seconds_after_start(3)).await.outcome,
        StepOutcome::NoEffect,
        "another replica waits"
    );
    assert_eq!(harness.sweep(3, seconds_after_start(30)).await.ended, []);
    assert_eq!(harness.sweep(3, seconds_after_start(31)).await.ended, [approval.id]);
}

pub(super) async fn missing_ids_are_not_found(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (ledger, rules) = (&harness.0.ledger, &harness.0.rules);
    let id = ApprovalId::new(seconds_after_start(0));
    assert_eq!(ledger.approval(id).await, Ok(None));
    assert_eq!(
        ledger.step(WriteAccess::TESTS, id, ApprovalTrigger::TimePassed, seconds_after_start(1)).await,
        Ok(None)
    );
    assert_eq!(ledger.leave(WriteAccess::TESTS, id, replica(1), seconds_after_start(1)).await, Ok(None));
    let ending = ExecutionOutcome {
        at: seconds_after_start(1),
        is_error: false,
        output: None,
        duration_ms: None,
        exit: None,
    };
    assert_eq!(
        ledger.finish(WriteAccess::TESTS, ExecutionId::new(seconds_after_start(0)), ending).await,
        Ok(false)
    );
    assert_eq!(ledger.events(0, 10).await, Ok(vec![]));
    assert_eq!(ledger.pending(None, 10).await, Ok(vec![]));
    let rule = stored_rule("deploy", Effect::Deny, seconds_after_start(0));
    assert_eq!(
        rules
            .remove(WriteAccess::TESTS, rule.id, rules_changed_record(seconds_after_start(1), "removed"))
            .await,
        Ok(false)
    );
    assert_eq!(
        rules
            .replace(WriteAccess::TESTS, rule, rules_changed_record(seconds_after_start(1), "changed"))
            .await,
        Ok(false)
    );
    assert_eq!(harness.entries().await, [], "nothing happened, so nothing is on the record");
    assert_eq!(harness.changes().await, []);
}

pub(super) async fn notes_are_recorded(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    // The audit log may be stored with microseconds; everything that decisions depend on keeps its precision.
    let at = |seconds| seconds_after_start(seconds) + SignedDuration::from_micros(123_456);
    let first = rules_changed_record(at(1), "a config file changed");
    let mut second = rules_changed_record(at(2), "a \"token\" was made: 関所");
    second.event = None;
    harness.0.ledger.append_records(WriteAccess::TESTS, vec![]).await.expect("noting nothing works");
    harness
        .0
        .ledger
        .append_records(WriteAccess::TESTS, vec![first.clone(), second.clone()])
        .await
        .expect("noting works");
    assert_eq!(harness.entries().await, [first.entry, second.entry]);
    let events = harness.events().await;
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].seq, events[0].at, &events[0].change), (1, at(1), &EventPayload::RulesChanged));
}
