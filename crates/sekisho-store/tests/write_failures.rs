//! A file that cannot be written: nothing is permitted or left half done, and work continues afterwards.

use std::time::Duration;

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::approval_machine::StepOutcome;
use sekisho_gate::ledger::{AdmissionOutcome, Ledger, OpenOutcome};
use sekisho_store::Options;
use sekisho_testkit::fixtures;

use crate::harness::{
    TempDatabase, admission, ask, at, line, new_approval, replica, send, verify, wait, yes,
};

fn impatient() -> Options {
    Options { busy_timeout: Duration::from_millis(1), ..Options::new(fixtures::audit_config()) }
}

#[test]
fn locked_file_is_a_transient_error() {
    let place = TempDatabase::new();
    let store = place.store_with(impatient());
    let asked = ask("1", at(0));
    wait(store.open(WriteAccess::TESTS, new_approval(&asked, replica()))).unwrap();

    let other = place.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = wait(store.step(WriteAccess::TESTS, asked.id, yes(), at(1))).unwrap_err();
    assert!(error.transient && error.message.contains("ledger.db"), "{error}");
    // Reading still works.
    assert_eq!(wait(store.approval(asked.id)), Ok(Some(asked.clone())));
    other.execute_batch("ROLLBACK").unwrap();

    assert_eq!(
        wait(store.step(WriteAccess::TESTS, asked.id, yes(), at(1))).unwrap().unwrap().outcome,
        StepOutcome::Changed
    );
}

#[test]
fn full_disk_is_a_transient_error() {
    let place = TempDatabase::new();
    let store = place.store_with(Options { page_limit: Some(100), ..Options::new(fixtures::audit_config()) });
    let other = place.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // The requests queue behind the lock. Those in the same batch as the large one fail with it, and their
    // callers get the error.
    let before = send(store.admit(WriteAccess::TESTS, admission(at(0))));
    let large = send(store.append_records(WriteAccess::TESTS, vec![line(1 << 20)]));
    let after = send(store.admit(WriteAccess::TESTS, admission(at(0))));
    other.execute_batch("COMMIT").unwrap();
    let error = wait(large).unwrap_err();
    assert!(error.transient && error.message.contains("full"), "{error}");
    let small = [wait(before), wait(after)];
    assert!(small.iter().all(|small| small.as_ref().err().is_none_or(|error| error.transient)), "{small:?}");
    let kept = i64::try_from(small.iter().filter(|small| small.is_ok()).count()).unwrap();
    assert_eq!((place.count("calls"), place.count("audit_log")), (kept, kept));

    wait(store.admit(WriteAccess::TESTS, admission(at(1)))).unwrap();
    assert_eq!(place.count("calls"), kept + 1);
    let events = wait(store.events(0, 10)).unwrap();
    let gapless: Vec<u64> = (1..).take(events.len()).collect();
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), gapless);
    assert_eq!(i64::try_from(verify(&store, &[]).unwrap().rows).unwrap(), kept + 1);
}

#[test]
fn failing_request_does_not_affect_others() {
    let place = TempDatabase::new();
    let store = place.store();
    let asked = ask("1", at(0));
    let other = place.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let first = send(store.admit(WriteAccess::TESTS, admission(at(0))));
    let good = send(store.open(WriteAccess::TESTS, new_approval(&asked, replica())));
    let mut same_call = admission(at(0));
    same_call.call.id = asked.asked.call_id;
    let bad = send(store.admit(WriteAccess::TESTS, same_call));
    let also_good = send(store.step(WriteAccess::TESTS, asked.id, yes(), at(1)));
    other.execute_batch("COMMIT").unwrap();

    assert_eq!(wait(first), Ok(AdmissionOutcome::New));
    assert_eq!(wait(good), Ok(OpenOutcome::New));
    assert!(!wait(bad).unwrap_err().transient);
    assert_eq!(wait(also_good).unwrap().unwrap().outcome, StepOutcome::Changed);
    assert_eq!((place.count("calls"), place.count("events")), (2, 3));
    assert_eq!(verify(&store, &[]).unwrap().rows, 3);
}

#[test]
fn deleted_file_is_not_recreated() {
    let place = TempDatabase::new();
    let store = place.store_with(impatient());
    wait(store.admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
    let other = place.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    wait(store.admit(WriteAccess::TESTS, admission(at(0)))).unwrap_err();
    other.execute_batch("ROLLBACK").unwrap();
    // The failure above made the writer reopen its connection.
    let away = place.path.with_extension("away");
    std::fs::rename(&place.path, &away).unwrap();
    let error = wait(store.admit(WriteAccess::TESTS, admission(at(0)))).unwrap_err();
    assert!(error.transient && error.message.contains("the file was deleted"), "{error}");
    assert!(!place.path.exists());
    std::fs::rename(&away, &place.path).unwrap();
    wait(store.admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
    assert_eq!(place.count("calls"), 2);
}

#[test]
fn replaced_file_is_not_written() {
    let beside = |place: &TempDatabase, end: &str| {
        let mut name = place.path.clone().into_os_string();
        name.push(end);
        std::path::PathBuf::from(name)
    };
    // Deleted, replaced, and without its `-wal` file.
    let gone = |place: &TempDatabase| std::fs::remove_file(&place.path).unwrap();
    let replaced = |place: &TempDatabase| {
        std::fs::copy(&place.path, beside(place, "-copy")).unwrap();
        std::fs::rename(beside(place, "-copy"), &place.path).unwrap();
    };
    let without_log = |place: &TempDatabase| std::fs::remove_file(beside(place, "-wal")).unwrap();
    let ways: [&dyn Fn(&TempDatabase); 3] = [&gone, &replaced, &without_log];
    for (number, spoil) in ways.into_iter().enumerate() {
        let place = TempDatabase::new();
        let store = place.store();
        let asked = ask("1", at(0));
        wait(store.open(WriteAccess::TESTS, new_approval(&asked, replica()))).unwrap();
        wait(store.admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
        spoil(&place);
        for _ in 0..2 {
            let error = wait(store.admit(WriteAccess::TESTS, admission(at(1)))).unwrap_err();
            assert!(error.message.contains("writes would be lost"), "{number}: {error}");
            let error = wait(store.approval(asked.id)).unwrap_err();
            assert!(error.message.contains("writes would be lost"), "{number}: {error}");
        }
    }
}
