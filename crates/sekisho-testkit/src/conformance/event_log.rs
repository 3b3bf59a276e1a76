//! The event log: a snapshot names the last event it contains, and events have no gap.

use sekisho_gate::ExecutionId;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_policy::Effect;

use super::Backend;
use super::approval_lists::five;
use super::harness::StoreHarness;
use crate::fixtures::{
    admission, answer_trigger, call, caller, pending_approval, rules_changed_record, seconds_after_start,
    stored_rule,
};

pub(super) async fn snapshot_names_its_last_event(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(harness.snapshot().await, sekisho_gate::ledger::Snapshot::default());
    let all = five(&harness).await;
    harness.done(all[2].id, ApprovalTrigger::WaitersLeft, seconds_after_start(9)).await;
    let snapshot = harness.snapshot().await;
    assert_eq!(snapshot.seq, 6);
    assert_eq!(snapshot.pending, [0, 1, 3, 4].map(|index: usize| all[index].clone()));
    // A record without an event does not increase it.
    let mut record = rules_changed_record(seconds_after_start(9), "a line");
    record.event = None;
    harness.0.ledger.append_records(WriteAccess::TESTS, vec![record]).await.expect("noting works");
    assert_eq!(harness.snapshot().await.seq, 6);
}

pub(super) async fn events_have_no_gap(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    for round in 0..10 {
        mixed(&harness, round).await;
    }
    let events = harness.events().await;
    assert_eq!(events.len(), 90);
    assert!(events.iter().map(|event| event.seq).eq(1..=90), "counted from 1 without a gap");
    assert!(events.iter().map(|event| event.at).is_sorted(), "in the order they happened");
    assert_eq!(harness.snapshot().await.seq, 90);
    let page = |after, limit| harness.0.ledger.events(after, limit);
    assert_eq!(page(0, 7).await, Ok(events[..7].to_vec()));
    assert_eq!(page(41, 9).await, Ok(events[41..50].to_vec()));
    assert_eq!(page(89, 9).await, Ok(events[89..].to_vec()));
    assert_eq!(page(90, 9).await, Ok(vec![]));
    assert_eq!(page(u64::from(u32::MAX), 9).await, Ok(vec![]));
}

/// Nine events, and some operations that make none.
async fn mixed(harness: &StoreHarness, round: i64) {
    let at = |step: i64| seconds_after_start(round * 1000 + step);
    let asked =
        |name: &str, step| pending_approval(call(&format!("{name}{round}")), caller(), at(step), Some(120));
    let (first, second) = (asked("a", 0), asked("b", 1));
    harness.ask(&first, 1).await;
    harness.ask(&second, 1).await;
    harness.open(&asked("a", 2), 2).await;
    let approve = answer_trigger(&first, Answer::approve(), None, at(3));
    harness.done(first.id, approve.clone(), at(3)).await;
    harness.step(first.id, approve, at(4)).await;
    let execution = ExecutionId::new(at(5));
    harness.run(first.id, execution, at(5)).await;
    let ending = sekisho_gate::ledger::ExecutionOutcome {
        at: at(6),
        is_error: false,
        output: None,
        duration_ms: None,
        exit: None,
    };
    assert_eq!(harness.0.ledger.finish(WriteAccess::TESTS, execution, ending).await, Ok(true));
    for (step, effect) in [(7, Effect::Allow), (8, Effect::Deny)] {
        harness
            .0
            .ledger
            .admit(WriteAccess::TESTS, admission(call("x"), caller(), at(step), effect))
            .await
            .expect("admitting works");
    }
    let rule = stored_rule("deploy", Effect::Confirm, at(9));
    harness
        .0
        .rules
        .add(WriteAccess::TESTS, vec![rule], rules_changed_record(at(9), "a rule was made"))
        .await
        .expect("adding works");
    harness.sweep(1, at(10)).await;
    assert_eq!(harness.sweep(1, at(121)).await.ended, [second.id]);
}

pub(super) async fn event_head_grows(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let mut head = harness.0.ledger.head();
    assert_eq!(*head.borrow(), 0);
    let all = five(&harness).await;
    assert_eq!(*head.wait_for(|head| *head >= 5).await.expect("the ledger is open"), 5);
    harness.done(all[0].id, ApprovalTrigger::WaitersLeft, seconds_after_start(9)).await;
    assert_eq!(*head.wait_for(|head| *head >= 6).await.expect("the ledger is open"), 6);
    assert_eq!(*harness.0.ledger.head().borrow(), 6, "a new listener starts at the current head");
}
