//! An attacker has the database but not the key: every change to the audit log is found and named.

use std::sync::Arc;

use sekisho_gate::WriteAccess;
use sekisho_gate::audit::{
    ChainErrorKind, ChainHead, ChainWriter, IntegrityErrorKind, KeyRing, SigningKey, WriterId, verify_log,
};
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_testkit::fixtures;
use uuid::Uuid;

use crate::harness::{admission, ask, at, new_approval, replica, verify, wait, yes};
use crate::test_database::{TestDatabase, TestPorts};

/// Every case, on a file and on a server.
macro_rules! cases {
    ($($case:ident)*) => {
        mod in_a_file {
            $(#[test] fn $case() { super::$case(crate::test_database::TestDatabase::file); })*
        }
        mod in_a_server {
            $(#[test] fn $case() { super::$case(crate::test_database::TestDatabase::server); })*
        }
    };
}

cases! {
    accidental_changes_are_refused
    changed_row_is_found
    removed_row_is_found
    removed_first_row_is_found
    inserted_row_is_found
    reordered_rows_are_found
    removed_writer_is_found
    removed_tail_is_found
    log_rewritten_with_another_key_is_found
    pruning_does_not_destroy_evidence
    emptied_log_is_found
    pruned_log_verifies
}
/// A store with six rows by one writer: an approval, its answer, and four denied calls.
fn six_rows(site: &TestDatabase) -> (Arc<dyn TestPorts>, WriterId) {
    let store = site.store();
    let asked = ask("1", at(0));
    wait(store.open(WriteAccess::TESTS, new_approval(&asked, replica()))).unwrap();
    wait(store.step(WriteAccess::TESTS, asked.id, yes(), at(1))).unwrap();
    for second in 2..6 {
        wait(store.admit(WriteAccess::TESTS, admission(at(second)))).unwrap();
    }
    let writer = wait(store.heads()).unwrap().first().unwrap().writer;
    assert_eq!(verify(&*store, &[]).unwrap().rows, 6);
    (store, writer)
}

/// Changes the tables as an attacker could; `{id}` and `{code}` are made up.
fn tamper(site: &TestDatabase, sql: &str) {
    let guards = match site {
        TestDatabase::File(_) => {
            "DROP TRIGGER IF EXISTS audit_log_is_never_changed; DROP TRIGGER IF EXISTS audit_log_is_only_pruned;"
        }
        TestDatabase::Server { .. } => "DROP TRIGGER IF EXISTS audit_log_is_kept ON audit_log;",
    };
    let sql = sql.replace("{id}", &site.id(Uuid::nil())).replace("{code}", &site.bytes(&[0; 32]));
    site.run(&format!("{guards} {sql}")).unwrap();
}

fn found(store: &Arc<dyn TestPorts>, exported: &[ChainHead]) -> (u64, ChainErrorKind) {
    let bad = verify(&**store, exported).unwrap_err();
    (bad.seq, bad.fault)
}

fn accidental_changes_are_refused(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, _) = six_rows(&site);
    let refused = |sql: &str| site.run(sql).unwrap_err();
    assert!(refused("UPDATE audit_log SET text = 'x'").contains("never changed"));
    assert!(refused("DELETE FROM audit_log").contains("only removed by pruning"));
    // Pruning leaves the guard unchanged.
    assert_eq!(wait(store.prune(at(3), at(9))), Ok(3));
    assert!(refused("DELETE FROM audit_log").contains("only removed by pruning"));
    assert_eq!(verify(&*store, &[]).unwrap().rows, 3);
}

fn changed_row_is_found(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, _) = six_rows(&site);
    tamper(&site, "CREATE TABLE copied AS SELECT * FROM audit_log");
    for change in [
        "at = at + 1",
        "kind = 'claim'",
        "call = {id}",
        "approval = {id}",
        "execution = {id}",
        "tool = NULL",
        "server = 'x'",
        "agent = ''",
        "credential = 'somebody else'",
        "decision = 'allow'",
        "approver = 'Eve'",
        "text = text || ' '",
        "body = body || ' '",
        "previous = {code}",
        "code = {code}",
    ] {
        tamper(&site, &format!("UPDATE audit_log SET {change} WHERE seq = 3"));
        assert_eq!(found(&store, &[]), (3, ChainErrorKind::Changed), "{change}");
        tamper(&site, "DELETE FROM audit_log; INSERT INTO audit_log SELECT * FROM copied");
        assert_eq!(verify(&*store, &[]).unwrap().rows, 6, "it was only that");
    }
    tamper(&site, "UPDATE audit_log SET key = 2 WHERE seq = 3");
    assert_eq!(found(&store, &[]), (3, ChainErrorKind::UnknownKey { key: 2 }));
}

fn removed_row_is_found(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, _) = six_rows(&site);
    tamper(&site, "DELETE FROM audit_log WHERE seq IN (3, 4)");
    assert_eq!(found(&store, &[]), (3, ChainErrorKind::Missing { next: 5 }));
}

fn removed_first_row_is_found(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, writer) = six_rows(&site);
    tamper(&site, "DELETE FROM audit_log WHERE seq < 3");
    assert_eq!(found(&store, &[]), (1, ChainErrorKind::Missing { next: 3 }));
    // A cut is valid only if it is signed.
    let forge = "INSERT INTO cuts (writer, seq, head, at, key, code) \
        SELECT writer, 2, previous, 0, 1, {code} FROM audit_log WHERE seq = 3";
    tamper(&site, forge);
    let bad = verify(&*store, &[]).unwrap_err();
    assert_eq!((bad.writer, bad.seq, bad.fault), (writer, 2, ChainErrorKind::ForgedCut));
}

fn inserted_row_is_found(fresh: fn() -> TestDatabase) {
    let columns = "key, at, kind, call, approval, execution, tool, server, agent, credential, decision, approver, text, \
        body, previous, code";
    let site = fresh();
    let (store, _) = six_rows(&site);
    // At the end.
    let copy = |seq: &str, from: u8| {
        format!(
            "INSERT INTO audit_log (writer, seq, {columns}) SELECT writer, {seq}, {columns} FROM audit_log WHERE seq = {from};"
        )
    };
    tamper(&site, &copy("7", 6));
    assert_eq!(found(&store, &[]), (7, ChainErrorKind::Changed));
    // In the middle, with all following rows renumbered.
    let site = fresh();
    let (store, _) = six_rows(&site);
    let moved = "UPDATE audit_log SET seq = seq + 1000 WHERE seq > 3; UPDATE audit_log SET seq = seq - 999 WHERE seq > 1000;";
    tamper(&site, &format!("{moved} {}", copy("4", 3)));
    assert_eq!(found(&store, &[]), (4, ChainErrorKind::Changed));
}

fn reordered_rows_are_found(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, _) = six_rows(&site);
    let swap = "UPDATE audit_log SET seq = 1000 WHERE seq = 4; UPDATE audit_log SET seq = 4 WHERE seq = 5; \
        UPDATE audit_log SET seq = 5 WHERE seq = 1000;";
    tamper(&site, swap);
    assert_eq!(found(&store, &[]), (4, ChainErrorKind::Changed));
}

fn removed_writer_is_found(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (first, writer) = six_rows(&site);
    drop(first);
    let second = site.store();
    wait(second.checkpoint(at(10))).unwrap().unwrap();
    assert_eq!(verify(&*second, &[]).unwrap().heads.len(), 2);
    let remove = "DELETE FROM audit_log WHERE kind <> 'checkpoint'; DELETE FROM writers WHERE seq = 6;";
    tamper(&site, remove);
    let bad = verify(&*second, &[]).unwrap_err();
    assert_eq!((bad.writer, bad.seq, bad.fault), (writer, 6, ChainErrorKind::WriterMissing));
}

fn removed_tail_is_found(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, _) = six_rows(&site);
    let exported = wait(store.heads()).unwrap();
    let second = site.store();
    wait(second.checkpoint(at(10))).unwrap().unwrap();
    tamper(&site, "DELETE FROM audit_log WHERE seq > 4");
    // Found by the other writer's checkpoint.
    assert_eq!(found(&store, &[]), (6, ChainErrorKind::CutShort));
    // Without any checkpoint, found by the exported head. Without either it cannot be detected.
    tamper(&site, "DELETE FROM audit_log WHERE kind = 'checkpoint'");
    assert_eq!(found(&store, &exported), (6, ChainErrorKind::CutShort));
    assert_eq!(verify(&*store, &[]).unwrap().rows, 4);
    // The writer itself does not continue as if nothing had happened.
    tamper(&site, "UPDATE writers SET seq = 4 WHERE seq = 6");
    let error = wait(store.admit(WriteAccess::TESTS, admission(at(20)))).unwrap_err();
    assert!(error.message.contains("does not end before row 7"), "{error}");
    // On a server it starts another chain the next time; in a file no other process could have written to its
    // chain.
    assert_eq!(error.transient, matches!(site, TestDatabase::Server { .. }));
}

fn log_rewritten_with_another_key_is_found(fresh: fn() -> TestDatabase) {
    for (number, fault) in [(1, ChainErrorKind::Changed), (9, ChainErrorKind::UnknownKey { key: 9 })] {
        let site = fresh();
        let (store, writer) = six_rows(&site);
        let keys = Arc::new(KeyRing::of(SigningKey::new(number, [1; 32])));
        let mut scribe = ChainWriter::new(writer, keys);
        for seq in 1..=6 {
            let entry = AuditEntry::without_call(
                RecordKind::Rules,
                at(seq),
                None,
                "nothing happened".into(),
                serde_json::Value::Null,
            );
            let row = scribe.write(&fixtures::masked(entry)).unwrap();
            let (previous, code) = (site.bytes(&row.previous.0), site.bytes(&row.code.0));
            let update = format!(
                "UPDATE audit_log SET key = {}, at = {}, kind = '{}', text = '{}', body = '{}', previous = {previous}, \
                 code = {code}, call = NULL, approval = NULL, tool = NULL, agent = NULL, credential = NULL, \
                 decision = NULL, approver = NULL WHERE seq = {seq}",
                row.key, row.at_us, row.kind, row.text, row.body,
            );
            tamper(&site, &update);
        }
        let rewritten = "SELECT count(*) FROM audit_log WHERE text = 'nothing happened' AND kind = 'rules'";
        assert_eq!(site.one(rewritten), 6);
        assert_eq!(found(&store, &[]), (1, fault));
    }
}

fn pruning_does_not_destroy_evidence(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, _) = six_rows(&site);
    tamper(&site, "UPDATE audit_log SET text = 'x' WHERE seq = 2");
    let error = wait(store.prune(at(100), at(100))).unwrap_err();
    assert!(!error.transient && error.message.contains("row 2"), "{error}");
    assert_eq!((site.count("audit_log"), site.count("cuts")), (6, 0));
    assert_eq!(found(&store, &[]), (2, ChainErrorKind::Changed));
}

/// The result of verifying everything.
fn checked(store: &Arc<dyn TestPorts>) -> Result<u64, IntegrityErrorKind> {
    let found = wait(verify_log(&**store, &fixtures::audit_config().keys, &[], &mut |_| {})).unwrap();
    found.map(|report| report.rows).map_err(|unsound| unsound.why)
}

fn emptied_log_is_found(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, _) = six_rows(&site);
    assert_eq!(checked(&store), Ok(6));
    drop(store);
    tamper(&site, "DELETE FROM audit_log; DELETE FROM writers;");
    let store = site.store();
    assert_eq!(checked(&store), Err(IntegrityErrorKind::BeginsLate { trace: at(0), first: None }));
    // Further writes do not hide it, nor does removing the obvious traces.
    wait(store.admit(WriteAccess::TESTS, admission(at(20)))).unwrap();
    let late = Err(IntegrityErrorKind::BeginsLate { trace: at(0), first: Some(at(20)) });
    assert_eq!(checked(&store), late);
    tamper(&site, "DELETE FROM events");
    assert_eq!(checked(&store), late);
}

fn pruned_log_verifies(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let (store, _) = six_rows(&site);
    assert_eq!(wait(store.prune(at(4), at(100))).unwrap(), 4);
    assert_eq!(checked(&store), Ok(2));
}
