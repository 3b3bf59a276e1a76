//! Every change of the database without the key is detected and named.

use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::audit::AuditLog;
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_testkit::block_on;
use serde_json::Value;

use super::audit_fixture::{AuditFixture, keys, writer};

#[test]
fn unchanged_log_verifies() {
    let book = AuditFixture::new();
    let said = book.out(&["audit", "verify"]);
    assert!(
        said.starts_with("intact: 10 records in 3 chains (") && said.ends_with(" records/s)\n"),
        "{said}"
    );
}

#[test]
fn first_bad_record_is_named() {
    for (sql, expected) in [
        (
            "UPDATE audit_log SET text = 'allowed' WHERE seq = 4",
            "row 4 of writer 00000000-7000-8000-0000-000000000b0b was changed after it was written",
        ),
        ("DELETE FROM audit_log WHERE seq = 2 AND kind = 'verdict'", "row 2 of writer"),
        ("UPDATE audit_log SET approver = 'Eve' WHERE approver = 'Ada'", "was changed after it was written"),
        ("DELETE FROM audit_log WHERE seq = 5", "was there once, and the chain ends before it"),
    ] {
        let book = AuditFixture::new();
        book.tamper(sql);
        let said = book.fails(&["audit", "verify"]);
        assert!(said.contains(expected), "{sql}: {said}");
    }
}

#[test]
fn emptied_log_does_not_verify() {
    let book = AuditFixture::new();
    book.tamper(
        "INSERT INTO events (seq, at, body) VALUES (1, 1800000000000000, '{\"type\":\"rules_changed\"}')",
    );
    book.tamper("DELETE FROM audit_log; DELETE FROM writers; DELETE FROM cuts;");
    let said = book.fails(&["audit", "verify"]);
    assert!(said.contains("the log is empty, though") && said.contains("all rows were removed"), "{said}");
    // If nothing in the database shows it, verify does not claim that the log is intact.
    book.tamper("DELETE FROM events; DELETE FROM tool_executions; DELETE FROM approvals; DELETE FROM calls;");
    let said = book.out(&["audit", "verify"]);
    assert!(said.starts_with("the audit log is empty"), "{said}");
}

#[test]
fn exported_head_reveals_a_rewritten_log() {
    let book = AuditFixture::new();
    let heads = book.out(&["audit", "head"]);
    let file = book.place.home().join("heads.json");
    std::fs::write(&file, &heads).unwrap();
    let file = file.to_str().unwrap();
    let said = book.out(&["audit", "verify", "--head", file]);
    assert!(said.contains("heads from the file match"), "{said}");
    // The last checkpoint, and with it all knowledge of the other chains.
    book.tamper("DELETE FROM audit_log WHERE kind = 'checkpoint'");
    book.tamper("DELETE FROM audit_log WHERE kind = 'rules'");
    assert!(
        book.fails(&["audit", "verify"]).contains("not the one that was there"),
        "the list of chains still knows it"
    );
    book.tamper(
        "UPDATE writers SET seq = (SELECT max(seq) FROM audit_log l WHERE l.writer = writers.writer), \
         code = (SELECT code FROM audit_log l WHERE l.writer = writers.writer ORDER BY seq DESC LIMIT 1) \
         WHERE writer IN (SELECT writer FROM audit_log)",
    );
    book.tamper("DELETE FROM writers WHERE writer NOT IN (SELECT writer FROM audit_log)");
    book.out(&["audit", "verify"]);
    let said = book.fails(&["audit", "verify", "--head", file]);
    assert!(
        said.contains(&writer(0xb0b).to_string()) || said.contains("is gone with all its rows"),
        "{said}"
    );
}

#[test]
fn missing_or_wrong_key_is_reported() {
    let book = AuditFixture::new();
    book.write_key(&keys().rotated([9; 32]));
    book.out(&["audit", "verify"]);
    std::fs::write(book.key(), "1 nonsense\n").unwrap();
    let said = book.fails(&["audit", "verify"]);
    assert!(
        said.contains("audit.key: line 1: 64 hexadecimal digits are expected; restore it from a copy"),
        "{said}"
    );
    std::fs::remove_file(book.key()).unwrap();
    let said = book.fails(&["audit", "verify"]);
    assert!(
        said.contains("audit.key: the audit key is missing, and without it nothing can be verified"),
        "{said}"
    );
    assert!(!book.key().exists());
}

#[test]
fn file_without_heads_is_refused() {
    let book = AuditFixture::new();
    let file = book.place.home().join("heads.json");
    for (text, expected) in [
        ("{", "not an output of `sekisho audit head`"),
        (r#"{"at":"2026-11-03T10:00:00Z","heads":[]}"#, "the file contains no heads"),
    ] {
        std::fs::write(&file, text).unwrap();
        let said = book.fails(&["audit", "verify", "--head", file.to_str().unwrap()]);
        assert!(said.contains(expected), "{said}");
    }
    let said = book.fails(&["audit", "verify", "--head", "nowhere.json"]);
    assert!(said.contains("nowhere.json: no such file"), "{said}");
}

/// A chain that is read early grows, and a chain that is read late refers to it, with more rows between them
/// than one page.
#[test]
fn log_verifies_while_it_is_written() {
    let book = AuditFixture::none();
    book.write_key(&keys());
    let store = book.store();
    let line = AuditEntry::without_call(
        RecordKind::Rules,
        Timestamp::UNIX_EPOCH,
        None,
        "a line".into(),
        Value::Null,
    );
    block_on(store.import_spool(WriteAccess::TESTS, writer(2), 1, vec![line.clone(); 5000])).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1.. {
                block_on(store.import_spool(WriteAccess::TESTS, writer(1), number, vec![line.clone()]))
                    .unwrap();
                block_on(store.checkpoint(Timestamp::now())).unwrap();
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let said: Vec<_> = (0..5).map(|_| book.run(&["audit", "verify"])).collect();
        stop.store(true, Ordering::Relaxed);
        for said in said {
            assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
        }
    });
}

#[test]
fn chain_removed_from_the_list_is_detected() {
    let book = AuditFixture::new();
    book.tamper("DELETE FROM writers WHERE seq = (SELECT min(seq) FROM writers)");
    let said = book.fails(&["audit", "verify"]);
    assert!(said.contains("taken off the list of chains"), "{said}");
}

#[test]
fn chain_missing_from_the_log_is_detected() {
    let book = AuditFixture::new();
    book.tamper("UPDATE writers SET seq = seq + 5 WHERE seq = (SELECT max(seq) FROM writers)");
    let said = book.fails(&["audit", "verify"]);
    assert!(said.contains("is not the one that was there"), "{said}");
}

#[test]
fn missing_log_is_reported() {
    let said = AuditFixture::none().fails(&["audit", "verify"]);
    assert!(said.contains("there is no audit log yet"), "{said}");
}

#[test]
fn changed_list_does_not_replace_an_exported_head() {
    let book = AuditFixture::new();
    let mut heads: Value = serde_json::from_str(&book.out(&["audit", "head"])).unwrap();
    let code = heads["heads"][0]["code"].as_str().unwrap().replace('0', "1");
    heads["heads"][0]["code"] = code.into();
    let file = book.place.home().join("heads.json");
    std::fs::write(&file, heads.to_string()).unwrap();
    let said = book.fails(&["audit", "verify", "--head", file.to_str().unwrap()]);
    assert!(said.contains("is not the one that was there"), "{said}");
}
