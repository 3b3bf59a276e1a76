//! Deadlines, and replicas that are gone.

use jiff::SignedDuration;
use sekisho_gate::WriteAccess;
use sekisho_gate::approval_machine::{ApprovalTrigger, StepOutcome};
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::LedgerReader;
use sekisho_gate::ledger::{Ledger, OpenOutcome};
use serde_json::json;

use crate::harness::{TempDatabase, ask, at, call, new_approval, question, replica, send, wait, yes};

#[test]
fn due_approvals_end_and_the_next_deadline_is_returned() {
    let place = TempDatabase::new();
    let (store, me) = (place.store(), replica());
    assert_eq!(wait(store.sweep(WriteAccess::TESTS, me, at(0))).unwrap(), Default::default());
    let mut asked = [ask("1", at(0)), ask("2", at(10))];
    // A deadline between two microseconds does not cause two sweeps.
    let nanos = SignedDuration::from_nanos(1_500);
    asked[0].fate.deadline = Some(at(120).checked_add(nanos).unwrap());
    for approval in &asked {
        wait(store.open(WriteAccess::TESTS, new_approval(approval, me))).unwrap();
    }
    let early = wait(store.sweep(WriteAccess::TESTS, me, at(120))).unwrap();
    let next = early.next.unwrap();
    assert!(early.ended.is_empty() && early.pending && next >= asked[0].fate.deadline.unwrap());
    let swept = wait(store.sweep(WriteAccess::TESTS, me, next)).unwrap();
    assert_eq!((swept.ended, swept.next, swept.pending), (vec![asked[0].id], Some(at(130)), true));
    let swept = wait(store.sweep(WriteAccess::TESTS, me, at(130))).unwrap();
    assert_eq!((swept.ended, swept.next, swept.pending), (vec![asked[1].id], None, false));
    assert_eq!(place.count("holds"), 0);
}

#[test]
fn expired_approval_is_not_joined_without_a_sweep() {
    let place = TempDatabase::new();
    let (store, me) = (place.store(), replica());
    let first = ask("1", at(0));
    wait(store.open(WriteAccess::TESTS, new_approval(&first, me))).unwrap();
    assert_eq!(
        wait(store.open(WriteAccess::TESTS, new_approval(&ask("1", at(200)), me))),
        Ok(OpenOutcome::New)
    );
    assert_eq!(wait(store.approval(first.id)).unwrap().unwrap().fate.state.name(), "expired");
}

#[test]
fn approvals_of_a_lost_replica_end() {
    let place = TempDatabase::new();
    let (store, me, lost) = (place.store(), replica(), replica());
    let durable = question(call("d", json!({})), Caller::in_process("me").durable(), at(0));
    let asked = [ask("1", at(0)), ask("2", at(0)), durable];
    for approval in &asked {
        wait(store.open(WriteAccess::TESTS, new_approval(approval, lost))).unwrap();
    }
    // This replica waits for the second one too.
    let joined = wait(store.open(WriteAccess::TESTS, new_approval(&ask("2", at(1)), me))).unwrap();
    assert_eq!(joined, OpenOutcome::Joined(asked[1].clone()));

    let swept = wait(store.sweep(WriteAccess::TESTS, me, at(29))).unwrap();
    assert_eq!((swept.ended, swept.next), (vec![], Some(at(30))));
    assert_eq!(wait(store.sweep(WriteAccess::TESTS, me, at(30))).unwrap().ended, [asked[0].id]);
    let aborted = wait(store.approval(asked[0].id)).unwrap().unwrap();
    assert_eq!(aborted.fate.state.name(), "aborted");
    assert_eq!(wait(store.snapshot()).unwrap().pending, asked[1..]);

    // The last live holder leaves.
    let step = wait(store.leave(WriteAccess::TESTS, asked[1].id, me, at(32))).unwrap().unwrap();
    assert_eq!((step.outcome, step.approval.fate.state.name()), (StepOutcome::Changed, "aborted"));
    let step = wait(store.leave(WriteAccess::TESTS, asked[2].id, me, at(32))).unwrap().unwrap();
    assert_eq!((step.outcome, step.changed), (StepOutcome::NoEffect, false));
}

#[test]
fn one_of_two_may_leave() {
    let place = TempDatabase::new();
    let (store, me, other) = (place.store(), replica(), replica());
    let asked = ask("1", at(0));
    wait(store.open(WriteAccess::TESTS, new_approval(&asked, me))).unwrap();
    wait(store.open(WriteAccess::TESTS, new_approval(&ask("1", at(1)), other))).unwrap();
    assert_eq!(
        wait(store.leave(WriteAccess::TESTS, asked.id, me, at(2))).unwrap().unwrap().outcome,
        StepOutcome::NoEffect
    );
    assert_eq!(
        wait(store.leave(WriteAccess::TESTS, asked.id, me, at(5))).unwrap().unwrap().outcome,
        StepOutcome::NoEffect
    );
    // A second later the other replica counts as lost.
    assert_eq!(
        wait(store.leave(WriteAccess::TESTS, asked.id, me, at(6))).unwrap().unwrap().outcome,
        StepOutcome::Changed
    );
    assert_eq!(
        wait(store.step(WriteAccess::TESTS, asked.id, yes(), at(8))).unwrap().unwrap().outcome,
        StepOutcome::Gone
    );
    assert_eq!(
        wait(store.step(WriteAccess::TESTS, asked.id, ApprovalTrigger::TimePassed, at(900)))
            .unwrap()
            .unwrap()
            .outcome,
        StepOutcome::NoEffect
    );
}

/// A sweep is bounded, so that other writers do not wait behind thousands.
#[test]
fn sweep_ends_a_bounded_number_of_approvals() {
    let place = TempDatabase::new();
    let (store, me) = (place.store(), replica());
    let openings: Vec<_> =
        (0..1100).map(|number: i32| new_approval(&ask(&number.to_string(), at(0)), me)).collect();
    let sent: Vec<_> =
        openings.into_iter().map(|opening| send(store.open(WriteAccess::TESTS, opening))).collect();
    sent.into_iter().for_each(|open| assert_eq!(wait(open), Ok(OpenOutcome::New)));
    let swept = wait(store.sweep(WriteAccess::TESTS, me, at(120))).unwrap();
    assert_eq!((swept.ended.len(), swept.next, swept.pending), (1000, Some(at(120)), true));
    let swept = wait(store.sweep(WriteAccess::TESTS, me, at(120))).unwrap();
    assert_eq!((swept.ended.len(), swept.next, swept.pending), (100, None, false));
}
