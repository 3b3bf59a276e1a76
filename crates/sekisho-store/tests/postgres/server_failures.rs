//! Failures of the server.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::audit::{AuditLog, Verifier};
use sekisho_gate::ledger::Ledger;
use sekisho_policy::Effect;
use sekisho_store::{PostgresStore, StoreError};
use sekisho_testkit::fixtures::{
    admission, audit_config, call, caller, rules_changed_record, seconds_after_start,
};
use uuid::Uuid;

use super::harness::{RUNTIME, count, fresh, options, other, store};
use sekisho_testkit::postgres::PgServer;

/// What one client was told.
#[derive(Default)]
struct ClientReport {
    kept: Vec<Uuid>,
    tried: Vec<Uuid>,
}

/// Makes calls until three of them succeeded after `over`.
async fn call_on(store: Arc<PostgresStore>, client: usize, over: Arc<AtomicBool>) -> ClientReport {
    let mut told = ClientReport::default();
    let mut afterwards = 0;
    for round in 0.. {
        let is_over = over.load(Ordering::Relaxed);
        let one = admission(
            call(&format!("{client}.{round}")),
            caller(),
            seconds_after_start(round),
            Effect::Allow,
        );
        let id = one.call.id.0;
        told.tried.push(id);
        match store.admit(WriteAccess::TESTS, one).await {
            Ok(_) => {
                told.kept.push(id);
                afterwards += usize::from(is_over);
            }
            Err(error) => assert!(error.transient, "{error}"),
        }
        if afterwards == 3 {
            break;
        }
    }
    told
}

#[test]
fn server_crash_loses_and_duplicates_nothing() {
    let server = PgServer::start(&[], |_| {});
    RUNTIME.block_on(async {
        let url = server.database().await;
        let store = Arc::new(store(&url).await);
        let over = Arc::new(AtomicBool::new(false));
        let callers: Vec<_> =
            (0..8).map(|caller| tokio::spawn(call_on(store.clone(), caller, over.clone()))).collect();
        let mut head = store.head();
        for crash in 1..=3_u64 {
            head.wait_for(|head| *head >= crash * 50).await.unwrap();
            tokio::task::block_in_place(|| server.crash_and_restart());
        }
        over.store(true, Ordering::Relaxed);
        let (mut kept, mut tried) = (BTreeSet::new(), BTreeSet::new());
        for caller in callers {
            let told = caller.await.unwrap();
            kept.extend(told.kept);
            tried.extend(told.tried);
        }
        let rows = other(&url).await.query("SELECT id FROM calls", &[]).await.unwrap();
        let there: BTreeSet<Uuid> = rows.iter().map(|row| row.get(0)).collect();
        assert!(there.is_superset(&kept), "what was confirmed is there");
        assert!(there.is_subset(&tried), "and nothing that nobody asked for");
        is_whole(&url, there.len()).await;
    });
}

/// Checks that all rows of this many calls exist once, and that the audit log verifies as one chain.
async fn is_whole(url: &str, calls: usize) {
    for table in ["tool_executions", "events", "audit_log"] {
        assert_eq!(count(url, table).await, i64::try_from(calls).unwrap(), "{table}");
    }
    let store = store(url).await;
    let events = store.events(0, usize::MAX).await.unwrap();
    assert!(events.iter().map(|event| event.seq).eq(1..=calls as u64), "counted without a gap");
    let keys = audit_config().keys;
    let mut verifier = Verifier::new(&keys, Vec::new(), &[]).unwrap();
    for row in store.rows(None, usize::MAX).await.unwrap() {
        verifier.row(&row).unwrap();
    }
    assert_eq!(verifier.finish().unwrap().heads.len(), 1, "one process, one chain");
}

#[test]
fn unreachable_server_is_a_transient_error() {
    let server = PgServer::start(&[], |_| {});
    RUNTIME.block_on(async {
        let url = server.database().await;
        let store = store(&url).await;
        let mut head = store.head();
        tokio::task::block_in_place(|| server.stop("INT"));
        let one = || admission(call("1"), caller(), seconds_after_start(0), Effect::Deny);
        let error = store.admit(WriteAccess::TESTS, one()).await.unwrap_err();
        assert!(error.transient && error.message.contains(&server.port().to_string()), "{error}");
        assert!(store.snapshot().await.unwrap_err().transient);
        tokio::task::block_in_place(|| server.start_again());
        store.admit(WriteAccess::TESTS, one()).await.unwrap();
        assert_eq!(store.snapshot().await.unwrap().seq, 1);
        // The listener reconnects too, and has missed nothing.
        let other = super::harness::store(&url).await;
        other.admit(WriteAccess::TESTS, one()).await.unwrap();
        head.wait_for(|head| *head == 2).await.unwrap();
    });
}

#[test]
fn failing_request_does_not_affect_others() {
    RUNTIME.block_on(async {
        let (store, url) = fresh().await;
        let first = admission(call("1"), caller(), seconds_after_start(0), Effect::Allow);
        store.admit(WriteAccess::TESTS, first.clone()).await.unwrap();
        // The requests queue while another connection locks the event counter.
        let mut other = other(&url).await;
        let lock = other.transaction().await.unwrap();
        lock.execute("UPDATE meta SET value = value WHERE name = 'events'", &[]).await.unwrap();
        let good = |id: &str| admission(call(id), caller(), seconds_after_start(1), Effect::Allow);
        let (a, b) = (good("2"), good("3"));
        let note = store
            .append_records(WriteAccess::TESTS, vec![rules_changed_record(seconds_after_start(1), "a line")]);
        let all = async {
            tokio::join!(
                store.admit(WriteAccess::TESTS, a),
                store.admit(WriteAccess::TESTS, first),
                store.admit(WriteAccess::TESTS, b),
                note
            )
        };
        let free = async { lock.commit().await.unwrap() };
        let ((a, bad, b, note), ()) = tokio::join!(all, free);
        a.unwrap();
        b.unwrap();
        note.unwrap();
        let bad = bad.unwrap_err();
        assert!(!bad.transient && bad.message.contains("calls_pkey"), "{bad}");
        assert_eq!((count(&url, "calls").await, count(&url, "tool_executions").await), (3, 3));
        let events = store.events(0, 10).await.unwrap();
        assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    });
}

#[test]
fn tampered_chain_is_left_and_a_new_one_begins() {
    RUNTIME.block_on(async {
        let (store, url) = fresh().await;
        let note = || {
            store.append_records(
                WriteAccess::TESTS,
                vec![rules_changed_record(seconds_after_start(1), "a line")],
            )
        };
        note().await.unwrap();
        note().await.unwrap();
        let other = other(&url).await;
        let cut = "UPDATE writers SET seq = 1, code = (SELECT code FROM audit_log WHERE seq = 1)";
        other.execute(cut, &[]).await.unwrap();
        assert!(note().await.unwrap_err().message.contains("another process wrote to it"));
        note().await.unwrap();
        assert_eq!(count(&url, "writers").await, 2);
    });
}

#[test]
fn later_version_is_refused() {
    RUNTIME.block_on(async {
        let (store, url) = fresh().await;
        drop(store);
        let other = other(&url).await;
        let later = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
            VALUES (99, 'later', '2030-01-01T00:00:00Z', '1')";
        other.execute(later, &[]).await.unwrap();
        let error = PostgresStore::open(&url, options()).await.unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 99, known: 11, .. }), "{error}");
    });
}

#[test]
fn unreachable_address_is_named() {
    RUNTIME.block_on(async {
        let url = "postgres://me:secret@127.0.0.1:1/nowhere";
        let error = PostgresStore::open(url, options()).await.unwrap_err().to_string();
        assert!(error.contains("127.0.0.1:1/nowhere") && !error.contains("secret"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    });
}
