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
    let fixture = AuditFixture::new();
    let output = fixture.out(&["audit", "verify"]);
    assert!(
        output.starts_with("intact: 10 records in 3 chains (") && output.ends_with(" records/s)\n"),
        "{output}"
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
        ("DELETE FROM audit_log WHERE seq = 5", "was removed: the chain ends before it"),
    ] {
        let fixture = AuditFixture::new();
        fixture.tamper(sql);
        let output = fixture.fails(&["audit", "verify"]);
        assert!(output.contains(expected), "{sql}: {output}");
    }
}

#[test]
fn emptied_log_does_not_verify() {
    let fixture = AuditFixture::new();
    fixture.tamper(
        "INSERT INTO events (seq, at, body) VALUES (1, 1800000000000000, '{\"type\":\"rules_changed\"}')",
    );
    fixture.tamper("DELETE FROM audit_log; DELETE FROM writers; DELETE FROM cuts;");
    let output = fixture.fails(&["audit", "verify"]);
    assert!(output.contains("the log is empty, but") && output.contains("all rows were removed"), "{output}");
    // If nothing in the database shows it, verify does not claim that the log is intact.
    fixture
        .tamper("DELETE FROM events; DELETE FROM tool_executions; DELETE FROM approvals; DELETE FROM calls;");
    let output = fixture.out(&["audit", "verify"]);
    assert!(output.starts_with("the audit log is empty"), "{output}");
}

#[test]
fn exported_head_reveals_a_rewritten_log() {
    let fixture = AuditFixture::new();
    let heads = fixture.out(&["audit", "head"]);
    let file = fixture.place.home().join("heads.json");
    std::fs::write(&file, &heads).unwrap();
    let file = file.to_str().unwrap();
    let output = fixture.out(&["audit", "verify", "--head", file]);
    assert!(output.contains("heads from the file match"), "{output}");
    // The last checkpoint, and with it all knowledge of the other chains.
    fixture.tamper("DELETE FROM audit_log WHERE kind = 'checkpoint'");
    fixture.tamper("DELETE FROM audit_log WHERE kind = 'rules'");
    assert!(
        fixture.fails(&["audit", "verify"]).contains("was replaced by another row"),
        "the list of chains still knows it"
    );
    fixture.tamper(
        "UPDATE writers SET seq = (SELECT max(seq) FROM audit_log l WHERE l.writer = writers.writer), \
         code = (SELECT code FROM audit_log l WHERE l.writer = writers.writer ORDER BY seq DESC LIMIT 1) \
         WHERE writer IN (SELECT writer FROM audit_log)",
    );
    fixture.tamper("DELETE FROM writers WHERE writer NOT IN (SELECT writer FROM audit_log)");
    fixture.out(&["audit", "verify"]);
    let output = fixture.fails(&["audit", "verify", "--head", file]);
    assert!(
        output.contains(&writer(0xb0b).to_string()) || output.contains("is missing with all its"),
        "{output}"
    );
}

#[test]
fn missing_or_wrong_key_is_reported() {
    let fixture = AuditFixture::new();
    fixture.write_key(&keys().rotated([9; 32]));
    fixture.out(&["audit", "verify"]);
    std::fs::write(fixture.key(), "1 nonsense\n").unwrap();
    let output = fixture.fails(&["audit", "verify"]);
    assert!(
        output.contains("audit.key: line 1: expected 64 hexadecimal digits; restore it from a copy"),
        "{output}"
    );
    std::fs::remove_file(fixture.key()).unwrap();
    let output = fixture.fails(&["audit", "verify"]);
    assert!(
        output.contains("audit.key: the audit key is missing, and without it nothing can be verified"),
        "{output}"
    );
    assert!(!fixture.key().exists());
}

#[test]
fn file_without_heads_is_refused() {
    let fixture = AuditFixture::new();
    let file = fixture.place.home().join("heads.json");
    for (text, expected) in [
        ("{", "not an output of `sekisho audit head`"),
        (r#"{"at":"2026-11-03T10:00:00Z","heads":[]}"#, "the file contains no heads"),
    ] {
        std::fs::write(&file, text).unwrap();
        let output = fixture.fails(&["audit", "verify", "--head", file.to_str().unwrap()]);
        assert!(output.contains(expected), "{output}");
    }
    let output = fixture.fails(&["audit", "verify", "--head", "nowhere.json"]);
    assert!(output.contains("nowhere.json: no such file"), "{output}");
}

/// A chain that is read early grows, and a chain that is read late refers to it, with more rows between them
/// than one page.
#[test]
fn log_verifies_while_it_is_written() {
    let fixture = AuditFixture::none();
    fixture.write_key(&keys());
    let store = fixture.store();
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
        let output: Vec<_> = (0..5).map(|_| fixture.run(&["audit", "verify"])).collect();
        stop.store(true, Ordering::Relaxed);
        for output in output {
            assert_eq!((output.code, output.err.as_str()), (0, ""), "{}", output.out);
        }
    });
}

#[test]
fn chain_removed_from_the_list_is_detected() {
    let fixture = AuditFixture::new();
    fixture.tamper("DELETE FROM writers WHERE seq = (SELECT min(seq) FROM writers)");
    let output = fixture.fails(&["audit", "verify"]);
    assert!(output.contains("has rows but is not in the list of chains"), "{output}");
}

#[test]
fn chain_missing_from_the_log_is_detected() {
    let fixture = AuditFixture::new();
    fixture.tamper("UPDATE writers SET seq = seq + 5 WHERE seq = (SELECT max(seq) FROM writers)");
    let output = fixture.fails(&["audit", "verify"]);
    assert!(output.contains("was replaced by another row"), "{output}");
}

#[test]
fn missing_log_is_reported() {
    let output = AuditFixture::none().fails(&["audit", "verify"]);
    assert!(output.contains("there is no audit log yet"), "{output}");
}

#[test]
fn changed_list_does_not_replace_an_exported_head() {
    let fixture = AuditFixture::new();
    let mut heads: Value = serde_json::from_str(&fixture.out(&["audit", "head"])).unwrap();
    let code = heads["heads"][0]["code"].as_str().unwrap().replace('0', "1");
    heads["heads"][0]["code"] = code.into();
    let file = fixture.place.home().join("heads.json");
    std::fs::write(&file, heads.to_string()).unwrap();
    let output = fixture.fails(&["audit", "verify", "--head", file.to_str().unwrap()]);
    assert!(output.contains("was replaced by another row"), "{output}");
}
