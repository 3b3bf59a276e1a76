//! Creating and opening the file.

use std::time::Duration;

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::Ledger;
use sekisho_store::{Options, SqliteStore, StoreError};
use sekisho_testkit::fixtures;

use crate::harness::{TempDatabase, admission, at, wait};

#[cfg(unix)]
#[test]
fn created_files_are_private_to_their_owner() {
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
fn later_version_is_refused_and_left_unchanged() {
    let place = TempDatabase::new();
    drop(place.store());
    let later = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
        VALUES (12, 'later', '2030-01-01T00:00:00Z', '1')";
    place.other().execute(later, []).unwrap();
    let error = SqliteStore::open(&place.path, Options::new(fixtures::audit_config())).unwrap_err();
    assert_eq!(error, StoreError::Newer { path: place.path.clone(), found: 12, known: 11 });
    let text = error.to_string();
    assert!(
        text.contains("ledger.db") && text.contains("version 12") && text.contains("update sekisho"),
        "{text}"
    );
}

#[test]
fn damaged_history_is_an_error() {
    for damage in ["applied_on = 'yesterday'", "checksum = 'x'", "checksum = '12'", "name = 'other'"] {
        let place = TempDatabase::new();
        drop(place.store());
        place.other().execute(&format!("UPDATE refinery_schema_history SET {damage}"), []).unwrap();
        let error = SqliteStore::open(&place.path, Options::new(fixtures::audit_config())).unwrap_err();
        assert!(matches!(error, StoreError::Unusable { .. }), "{damage}: {error}");
    }
}

#[test]
fn file_that_is_not_a_database_is_named() {
    let place = TempDatabase::new();
    std::fs::write(&place.path, "not a database, but long enough to be taken for one: ".repeat(20)).unwrap();
    let text =
        SqliteStore::open(&place.path, Options::new(fixtures::audit_config())).unwrap_err().to_string();
    assert!(text.contains("ledger.db") && text.contains("not a database"), "{text}");

    let directory = tempfile::tempdir().unwrap();
    let text =
        SqliteStore::open(directory.path(), Options::new(fixtures::audit_config())).unwrap_err().to_string();
    assert!(text.contains("another file"), "{text}");
}

#[test]
fn file_open_elsewhere_can_be_opened() {
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
fn several_processes_can_create_the_same_file_at_once() {
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
