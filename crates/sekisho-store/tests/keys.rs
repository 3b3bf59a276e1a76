//! Two that write to one database have the same keys, or one of them is told.

use std::sync::Arc;

use sekisho_gate::WriteAccess;

use sekisho_gate::audit::{Audit, Key, Keys, Seal};
use sekisho_store::{Options, PostgresStore, SqliteStore, StoreError, postgres};
use sekisho_testkit::fixtures::seal;

use crate::pg::world::RUNTIME;
use crate::site::Site;
use crate::support::{admission, at, wait};

/// Opens a database with keys; what is wrong with them otherwise.
fn open(site: &Site, keys: Keys) -> Result<Arc<dyn Audit>, StoreError> {
    let seal = Seal { keys: Arc::new(keys), ..seal() };
    match site {
        Site::File(place) => {
            SqliteStore::open(&place.path, Options::new(seal)).map(|store| Arc::new(store) as Arc<dyn Audit>)
        }
        Site::Server { url, .. } => RUNTIME
            .block_on(PostgresStore::open(url, postgres::Options::new(seal)))
            .map(|store| Arc::new(store) as Arc<dyn Audit>),
    }
}

fn refused(site: &Site, keys: Keys, number: u32) {
    let error = open(site, keys).map(drop).unwrap_err().to_string();
    let wrong = format!("signed with another key {number} than the one here");
    assert!(error.contains(&wrong) && error.contains("audit.key"), "{error}");
}

fn another_key_of_the_same_number_is_refused(fresh: fn() -> Site) {
    let site = fresh();
    let mine = Keys::clone(&seal().keys);
    let store = open(&site, mine.clone()).unwrap();
    let theirs = Keys::of(Key::new(1, [8; 32]));
    // Before anything was written, and without leaving a trace.
    refused(&site, theirs.clone(), 1);
    refused(&site, theirs.rotated([9; 32]), 1);
    assert_eq!(site.count("key_prints"), 1);
    // Those who only read bring no key.
    drop(open(&site, Keys::none()).unwrap());
    let mine = mine.rotated([9; 32]);
    wait(store.take_keys(Arc::new(mine.clone()))).unwrap();
    drop(open(&site, mine.clone()).unwrap());
    refused(&site, Keys::of(Key::new(2, [8; 32])), 2);
    let error = wait(store.take_keys(Arc::new(seal().keys.rotated([8; 32])))).unwrap_err();
    assert!(!error.passing && error.message.contains("another key 2"), "{error}");
    // An older copy of the file is no other key.
    drop(open(&site, Keys::clone(&seal().keys)).unwrap());
}

fn rows_that_are_older_than_the_list_of_keys_count(fresh: fn() -> Site) {
    let site = fresh();
    wait(site.store().admit(WriteAccess::TESTS, admission(at(0)))).unwrap();
    site.run("DELETE FROM key_prints").unwrap();
    refused(&site, Keys::of(Key::new(1, [8; 32])), 1);
    assert_eq!(site.count("key_prints"), 0);
    drop(open(&site, Keys::clone(&seal().keys)).unwrap());
    assert_eq!(site.count("key_prints"), 1);
}

#[test]
fn another_key_is_refused_by_a_file() {
    another_key_of_the_same_number_is_refused(Site::file);
    rows_that_are_older_than_the_list_of_keys_count(Site::file);
}

#[test]
fn another_key_is_refused_by_a_server() {
    another_key_of_the_same_number_is_refused(Site::server);
    rows_that_are_older_than_the_list_of_keys_count(Site::server);
}
