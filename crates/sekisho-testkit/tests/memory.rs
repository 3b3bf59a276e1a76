//! What the ledger in memory does besides being a ledger: it fails on demand and can be preempted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::ledger::{Ledger, LedgerError, OpenOutcome};
use sekisho_gate::rule_store::RuleStore;
use sekisho_policy::Effect;
use sekisho_testkit::fixtures::{
    call, caller, new_approval, pending_approval, replica, rules_changed_record, seconds_after_start,
    stored_rule,
};
use sekisho_testkit::{MemoryLedger, block_on};

fn off() -> LedgerError {
    LedgerError::transient("the ledger in memory is switched off")
}

#[test]
fn injected_failures_change_nothing() {
    let ledger = MemoryLedger::new();
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    ledger.fail_next(2);
    assert_eq!(block_on(ledger.open(WriteAccess::TESTS, new_approval(&approval, replica(1)))), Err(off()));
    assert_eq!(block_on(ledger.all(seconds_after_start(0))), Err(off()));
    assert_eq!(ledger.entries(), []);
    assert_eq!(
        block_on(ledger.open(WriteAccess::TESTS, new_approval(&approval, replica(1)))),
        Ok(OpenOutcome::New)
    );
}

#[test]
fn failing_ledger_fails_until_reset() {
    let ledger = MemoryLedger::new();
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    ledger.fail_all();
    for _ in 0..3 {
        assert_eq!(
            block_on(ledger.open(WriteAccess::TESTS, new_approval(&approval, replica(1)))),
            Err(off())
        );
        assert_eq!(
            block_on(ledger.sweep(WriteAccess::TESTS, replica(1), seconds_after_start(1))),
            Err(off())
        );
    }
    assert_eq!(*ledger.head().borrow(), 0);
    ledger.stop_failing();
    assert_eq!(
        block_on(ledger.open(WriteAccess::TESTS, new_approval(&approval, replica(1)))),
        Ok(OpenOutcome::New)
    );
    assert_eq!(*ledger.head().borrow(), 1);
}

#[test]
fn connection_lost_after_commit_has_committed() {
    let ledger = MemoryLedger::new();
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    ledger.fail_after_commit(1);
    // Reading commits nothing and does not consume the failure.
    assert_eq!(block_on(ledger.approval(approval.id)), Ok(None));
    let error = block_on(ledger.open(WriteAccess::TESTS, new_approval(&approval, replica(1)))).unwrap_err();
    assert!(error.transient);
    assert_eq!(block_on(ledger.approval(approval.id)), Ok(Some(approval)));
    assert_eq!(*ledger.head().borrow(), 1);
    let rule = stored_rule("deploy", Effect::Deny, seconds_after_start(1));
    assert_eq!(
        block_on(ledger.add(
            WriteAccess::TESTS,
            vec![rule],
            rules_changed_record(seconds_after_start(1), "a rule was made")
        )),
        Ok(())
    );
}

#[test]
fn ledger_pauses_before_and_after_every_operation() {
    let ledger = MemoryLedger::new();
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    let (pauses, watched) = (Arc::new(AtomicUsize::new(0)), ledger.clone());
    let counted = pauses.clone();
    // What a pause sees shows on which side of the critical section it is.
    ledger.pause_with(Arc::new(move || {
        let pause = counted.fetch_add(1, Ordering::SeqCst);
        assert_eq!(watched.entries().len(), pause);
        Box::pin(async {})
    }));
    assert_eq!(
        block_on(ledger.open(WriteAccess::TESTS, new_approval(&approval, replica(1)))),
        Ok(OpenOutcome::New)
    );
    assert_eq!(pauses.load(Ordering::SeqCst), 2);
}
