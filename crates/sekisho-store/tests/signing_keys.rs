//! Processes that write to one database need the same keys; otherwise one gets an error.

use std::sync::Arc;

use sekisho_gate::WriteAccess;

use sekisho_gate::audit::{AuditConfig, AuditLog, KeyRing, SigningKey};
use sekisho_store::{Options, PostgresStore, SqliteStore, StoreError, postgres};
use sekisho_testkit::fixtures::audit_config;

use crate::harness::{admission, at, wait};
use crate::postgres::harness::RUNTIME;
use crate::test_database::TestDatabase;

/// Opens a database with keys, or returns the error about them.
fn open(site: &TestDatabase, keys: KeyRing) -> Result<Arc<dyn AuditLog>, StoreError> {
    let seal = AuditConfig { keys: Arc::new(keys), ..audit_config() };
    match site {
        TestDatabase::File(place) => SqliteStore::open(&place.path, Options::new(seal))
            .map(|store| Arc::new(store) as Arc<dyn AuditLog>),
        TestDatabase::Server { url, .. } => RUNTIME
            .block_on(PostgresStore::open(url, postgres::Options::new(seal)))
            .map(|store| Arc::new(store) as Arc<dyn AuditLog>),
    }
}

fn refused(site: &TestDatabase, keys: KeyRing, number: u32) {
    let error = open(site, keys).map(drop).unwrap_err().to_string();
    let wrong = format!("signed with a different key {number}");
    assert!(error.contains(&wrong) && error.contains("audit.key"), "{error}");
}

fn different_key_with_the_same_number_is_refused(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let mine = KeyRing::clone(&audit_config().keys);
    let store = open(&site, mine.clone()).unwrap();
    let theirs = KeyRing::of(SigningKey::new(1, [8; 32]));
    // Before anything was written, and without leaving a trace.
    refused(&site, theirs.clone(), 1);
    refused(&site, theirs.rotated([9; 32]), 1);
    assert_eq!(site.count("key_prints"), 1);
    // Read-only users bring no key.
    drop(open(&site, KeyRing::none()).unwrap());
    let mine = mine.rotated([9; 32]);
    wait(store.set_keys(Arc::new(mine.clone()))).unwrap();
    drop(open(&site, mine.clone()).unwrap());
    refused(&site, KeyRing::of(SigningKey::new(2, [8; 32])), 2);
    let error = wait(store.set_keys(Arc::new(audit_config().keys.rotated([8; 32])))).unwrap_err();
    assert!(!error.transient && error.message.contains("a different key 2"), "{error}");
    // An older copy of the key file is not a different key.
    drop(open(&site, KeyRing::clone(&audit_config().keys)).unwrap());
}

fn rows_older_than_the_key_table_count(fresh: fn() -> TestDatabase) {
    let site = fresh();
    wait(site.store().admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
    site.run("DELETE FROM key_prints").unwrap();
    refused(&site, KeyRing::of(SigningKey::new(1, [8; 32])), 1);
    assert_eq!(site.count("key_prints"), 0);
    drop(open(&site, KeyRing::clone(&audit_config().keys)).unwrap());
    assert_eq!(site.count("key_prints"), 1);
}

#[test]
fn file_refuses_a_different_key() {
    different_key_with_the_same_number_is_refused(TestDatabase::file);
    rows_older_than_the_key_table_count(TestDatabase::file);
}

#[test]
fn server_refuses_a_different_key() {
    different_key_with_the_same_number_is_refused(TestDatabase::server);
    rows_older_than_the_key_table_count(TestDatabase::server);
}
