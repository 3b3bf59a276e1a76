//! Creating and opening the file.

use std::time::Duration;

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::Ledger;
use sekisho_store::{Options, SqliteStore, StoreError};
use sekisho_testkit::fixtures;

use crate::harness::{TempDatabase, admission, at, wait};

#[cfg(unix)]
#[test]
fn what_is_made_belongs_to_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state/sekisho/ledger.db");
    let store = SqliteStore::open(&path, Options::new(fixtures::audit_config())).unwrap();
    wait(store.admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory.path().join("state")), 0o700);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        assert_eq!(mode(&path.with_file_name(file)), 0o600, "{file}");
    }
}

#[test]
fn a_later_version_is_refused_and_left_alone() {
    let place = TempDatabase::new();
    drop(place.store());
    let later = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
        VALUES (7, 'later', '2030-01-01T00:00:00Z', '1')";
    place.other().execute(later, []).unwrap();
    let error = SqliteStore::open(&place.path, Options::new(fixtures::audit_config())).unwrap_err();
    assert_eq!(error, StoreError::Newer { path: place.path.clone(), found: 7, known: 4 });
    let text = error.to_string();
    assert!(
        text.contains("ledger.db") && text.contains("version 7") && text.contains("update sekisho"),
        "{text}"
    );
}

#[test]
fn a_damaged_history_is_an_error_and_no_panic() {
    for damage in ["applied_on = 'yesterday'", "checksum = 'x'", "checksum = '12'", "name = 'other'"] {
        let place = TempDatabase::new();
        drop(place.store());
        place.other().execute(&format!("UPDATE refinery_schema_history SET {damage}"), []).unwrap();
        let error = SqliteStore::open(&place.path, Options::new(fixtures::audit_config())).unwrap_err();
        assert!(matches!(error, StoreError::Unusable { .. }), "{damage}: {error}");
    }
}

#[test]
fn what_is_no_database_is_said_to_be_none() {
    let place = TempDatabase::new();
    std::fs::write(&place.path, "not a database, but long enough to be taken for one: ".repeat(20)).unwrap();
    let text =
        SqliteStore::open(&place.path, Options::new(fixtures::audit_config())).unwrap_err().to_string();
    assert!(text.contains("ledger.db") && text.contains("not a database"), "{text}");

    let directory = tempfile::tempdir().unwrap();
    let text =
        SqliteStore::open(directory.path(), Options::new(fixtures::audit_config())).unwrap_err().to_string();
    assert!(text.contains("use another file"), "{text}");
}

#[test]
fn a_file_that_others_have_open_opens() {
    let place = TempDatabase::new();
    let first = place.store();
    // Even while it is being written.
    let other = place.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let second = place.store_with(Options {
        busy_timeout: Duration::from_millis(1),
        ..Options::new(fixtures::audit_config())
    });
    other.execute_batch("COMMIT").unwrap();
    wait(first.admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
    wait(second.admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
    assert_eq!(place.count("calls"), 2);
}

#[test]
fn many_may_make_the_same_file_at_once() {
    for _ in 0..5 {
        let place = TempDatabase::new();
        std::thread::scope(|scope| {
            let openers: Vec<_> = (0..6)
                .map(|_| scope.spawn(|| wait(place.store().admit(WriteAccess::TESTS, admission(at(0))))))
                .collect();
            openers.into_iter().for_each(|opener| assert!(opener.join().unwrap().is_ok()));
        });
        assert_eq!(place.count("calls"), 6);
    }
}
