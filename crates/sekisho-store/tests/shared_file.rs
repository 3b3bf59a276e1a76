//! Two stores on one file, as two processes would open them.

use std::time::Duration;

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::approval_machine::StepOutcome;
use sekisho_gate::ledger::{Ledger, OpenOutcome};
use sekisho_gate::rule_store::RuleStore;
use sekisho_store::Options;
use sekisho_testkit::fixtures;

use crate::harness::{TempDatabase, admission, ask, at, line, new_approval, no, replica, wait, yes};

#[test]
fn one_of_two_answers_wins() {
    let place = TempDatabase::new();
    let (here, there) = (place.store(), place.store());
    for round in 0..50 {
        let asked = ask(&round.to_string(), at(round));
        wait(here.open(WriteAccess::TESTS, new_approval(&asked, replica()))).unwrap();
        let said = std::thread::scope(|scope| {
            let yes = scope.spawn(|| {
                wait(here.step(WriteAccess::TESTS, asked.id, yes(), at(round))).unwrap().unwrap().outcome
            });
            let no = scope.spawn(|| {
                wait(there.step(WriteAccess::TESTS, asked.id, no(), at(round))).unwrap().unwrap().outcome
            });
            [yes.join().unwrap(), no.join().unwrap()]
        });
        assert!(
            said == [StepOutcome::Changed, StepOutcome::Conflict]
                || said == [StepOutcome::Conflict, StepOutcome::Changed],
            "{said:?}"
        );
        let mine = wait(here.approval(asked.id)).unwrap().unwrap();
        assert_eq!(wait(there.approval(asked.id)).unwrap().unwrap(), mine);
        assert_eq!(
            mine.fate.state.name(),
            if said[0] == StepOutcome::Changed { "approved" } else { "denied" }
        );
    }
}

#[test]
fn many_requests_with_one_key_open_one_approval() {
    let place = TempDatabase::new();
    let stores = [place.store(), place.store()];
    let opened: Vec<OpenOutcome> = std::thread::scope(|scope| {
        let askers: Vec<_> = (0..16)
            .map(|number| {
                let store = &stores[number % 2];
                scope.spawn(move || {
                    wait(store.open(WriteAccess::TESTS, new_approval(&ask("same", at(0)), replica())))
                        .unwrap()
                })
            })
            .collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).collect()
    });
    assert_eq!(opened.iter().filter(|opened| **opened == OpenOutcome::New).count(), 1);
    let pending = wait(stores[0].snapshot()).unwrap().pending;
    assert_eq!(pending.len(), 1);
    assert!(opened.iter().all(
        |opened| matches!(opened, OpenOutcome::New) || *opened == OpenOutcome::Joined(pending[0].clone())
    ));
    assert_eq!(place.count("holds"), 16);
}

#[test]
fn listeners_see_commits_of_other_processes() {
    let place = TempDatabase::new();
    let quick = Options { poll_interval: Duration::from_millis(2), ..Options::new(fixtures::audit_config()) };
    let (here, there) = (place.store_with(quick), place.store());
    let (mut head, mut revision) = (here.head(), here.revision());
    wait(there.admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
    wait(head.wait_for(|head| *head == 1)).unwrap();
    wait(there.add(WriteAccess::TESTS, Vec::new(), line(1))).unwrap();
    wait(revision.wait_for(|revision| *revision == 1)).unwrap();
    assert_eq!(*head.borrow(), 2);
}
