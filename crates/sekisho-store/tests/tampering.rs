//! Somebody with the file and without the key: what they do to the log is found and named.

use std::sync::Arc;

use rusqlite::params;
use sekisho_gate::audit::{Audit, Fault, Head, Key, Keys, Scribe, Seal, WriterId};
use sekisho_gate::ledger::Ledger;
use sekisho_gate::record::{Entry, Kind};
use sekisho_store::SqliteStore;
use sekisho_testkit::fixtures;

use crate::support::{Place, admission, ask, at, opening, replica, verify, wait, yes};

/// A store with six rows by one writer: a question, its answer, and four calls that were turned back.
fn six_rows(place: &Place) -> (SqliteStore, WriterId) {
    let store = place.store();
    let asked = ask("1", at(0));
    wait(store.open(opening(&asked, replica()))).unwrap();
    wait(store.step(asked.id, yes(), at(1))).unwrap();
    for second in 2..6 {
        wait(store.admit(admission(at(second)))).unwrap();
    }
    let writer = wait(store.heads()).unwrap().first().unwrap().writer;
    assert_eq!(verify(&store, &[]).unwrap().rows, 6);
    (store, writer)
}

/// What one who knows the tables can do.
fn tamper(place: &Place, sql: &str) {
    let guards =
        "DROP TRIGGER IF EXISTS audit_log_is_never_changed; DROP TRIGGER IF EXISTS audit_log_is_only_pruned;";
    place.other().execute_batch(&format!("{guards} {sql}")).unwrap();
}

fn found(store: &SqliteStore, exported: &[Head]) -> (u64, Fault) {
    let bad = verify(store, exported).unwrap_err();
    (bad.seq, bad.fault)
}

#[test]
fn accidents_are_refused() {
    let place = Place::new();
    let (store, _) = six_rows(&place);
    let refused = |sql: &str| place.other().execute(sql, []).unwrap_err().to_string();
    assert!(refused("UPDATE audit_log SET text = 'x'").contains("never changed"));
    assert!(refused("DELETE FROM audit_log").contains("only removed by pruning"));
    // Pruning leaves the guard as it was.
    assert_eq!(wait(store.prune(at(3), at(9))), Ok(3));
    assert!(refused("DELETE FROM audit_log").contains("only removed by pruning"));
    assert_eq!(verify(&store, &[]).unwrap().rows, 3);
}

#[test]
fn a_changed_row_is_found() {
    for change in [
        "at = at + 1",
        "kind = 'claim'",
        "call = zeroblob(16)",
        "approval = zeroblob(16)",
        "execution = zeroblob(16)",
        "tool = NULL",
        "server = 'x'",
        "agent = ''",
        "credential = 'somebody else'",
        "decision = 'allow'",
        "approver = 'Eve'",
        "text = text || ' '",
        "body = body || ' '",
        "previous = zeroblob(32)",
        "code = zeroblob(32)",
    ] {
        let place = Place::new();
        let (store, _) = six_rows(&place);
        tamper(&place, &format!("UPDATE audit_log SET {change} WHERE seq = 3"));
        assert_eq!(found(&store, &[]), (3, Fault::Changed), "{change}");
    }
    let place = Place::new();
    let (store, _) = six_rows(&place);
    tamper(&place, "UPDATE audit_log SET key = 2 WHERE seq = 3");
    assert_eq!(found(&store, &[]), (3, Fault::UnknownKey { key: 2 }));
}

#[test]
fn a_removed_row_is_found() {
    let place = Place::new();
    let (store, _) = six_rows(&place);
    tamper(&place, "DELETE FROM audit_log WHERE seq IN (3, 4)");
    assert_eq!(found(&store, &[]), (3, Fault::Missing { next: 5 }));
}

#[test]
fn a_first_row_that_was_removed_is_found() {
    let place = Place::new();
    let (store, writer) = six_rows(&place);
    tamper(&place, "DELETE FROM audit_log WHERE seq < 3");
    assert_eq!(found(&store, &[]), (1, Fault::Missing { next: 3 }));
    // A mark that says it was pruned is only good if it is signed.
    let forge = "INSERT INTO cuts (writer, seq, head, at, key, code) \
        SELECT writer, 2, previous, 0, 1, zeroblob(32) FROM audit_log WHERE seq = 3";
    tamper(&place, forge);
    let bad = verify(&store, &[]).unwrap_err();
    assert_eq!((bad.writer, bad.seq, bad.fault), (writer, 2, Fault::ForgedCut));
}

#[test]
fn an_inserted_row_is_found() {
    let columns = "key, at, kind, call, approval, execution, tool, server, agent, credential, decision, approver, text, \
        body, previous, code";
    let place = Place::new();
    let (store, _) = six_rows(&place);
    // At the end.
    let copy = |seq: &str, from: u8| {
        format!(
            "INSERT INTO audit_log (writer, seq, {columns}) SELECT writer, {seq}, {columns} FROM audit_log WHERE seq = {from};"
        )
    };
    tamper(&place, &copy("7", 6));
    assert_eq!(found(&store, &[]), (7, Fault::Changed));
    // In the middle, with all that follow moved on.
    let place = Place::new();
    let (store, _) = six_rows(&place);
    let moved = "UPDATE audit_log SET seq = seq + 1000 WHERE seq > 3; UPDATE audit_log SET seq = seq - 999 WHERE seq > 1000;";
    tamper(&place, &format!("{moved} {}", copy("4", 3)));
    assert_eq!(found(&store, &[]), (4, Fault::Changed));
}

#[test]
fn rows_in_another_order_are_found() {
    let place = Place::new();
    let (store, _) = six_rows(&place);
    let swap = "UPDATE audit_log SET seq = 1000 WHERE seq = 4; UPDATE audit_log SET seq = 4 WHERE seq = 5; \
        UPDATE audit_log SET seq = 5 WHERE seq = 1000;";
    tamper(&place, swap);
    assert_eq!(found(&store, &[]), (4, Fault::Changed));
}

#[test]
fn a_removed_writer_is_found() {
    let place = Place::new();
    let (first, writer) = six_rows(&place);
    drop(first);
    let second = place.store();
    wait(second.checkpoint(at(10))).unwrap().unwrap();
    assert_eq!(verify(&second, &[]).unwrap().heads.len(), 2);
    let remove = "DELETE FROM audit_log WHERE kind <> 'checkpoint'; DELETE FROM writers WHERE seq = 6;";
    tamper(&place, remove);
    let bad = verify(&second, &[]).unwrap_err();
    assert_eq!((bad.writer, bad.seq, bad.fault), (writer, 6, Fault::WriterMissing));
}

#[test]
fn a_tail_that_was_cut_off_is_found() {
    let place = Place::new();
    let (store, _) = six_rows(&place);
    let exported = wait(store.heads()).unwrap();
    let second = place.store();
    wait(second.checkpoint(at(10))).unwrap().unwrap();
    tamper(&place, "DELETE FROM audit_log WHERE seq > 4");
    // By the other writer's checkpoint.
    assert_eq!(found(&store, &[]), (6, Fault::CutShort));
    // Without any checkpoint, by the head that was kept elsewhere. Without either nobody can tell.
    tamper(&place, "DELETE FROM audit_log WHERE kind = 'checkpoint'");
    assert_eq!(found(&store, &exported), (6, Fault::CutShort));
    assert_eq!(verify(&store, &[]).unwrap().rows, 4);
    // The writer itself does not go on as if nothing had been.
    tamper(&place, "UPDATE writers SET seq = 4 WHERE seq = 6");
    let error = wait(store.admit(admission(at(20)))).unwrap_err();
    assert!(!error.passing && error.message.contains("does not end before row 7"), "{error}");
}

#[test]
fn a_log_written_anew_with_another_key_is_found() {
    for (number, fault) in [(1, Fault::Changed), (9, Fault::UnknownKey { key: 9 })] {
        let place = Place::new();
        let (store, writer) = six_rows(&place);
        let keys = Arc::new(Keys::of(Key::new(number, [1; 32])));
        let mut scribe = Scribe::new(writer, Seal { keys, ..fixtures::seal() });
        tamper(&place, "");
        let db = place.other();
        for seq in 1..=6 {
            let entry =
                Entry::plain(Kind::Rules, at(seq), None, "nothing happened".into(), serde_json::Value::Null);
            let row = scribe.write(&entry).unwrap();
            let update = "UPDATE audit_log SET key = ?2, at = ?3, kind = ?4, text = ?5, body = ?6, previous = ?7, \
                code = ?8, call = NULL, approval = NULL, tool = NULL, agent = NULL, credential = NULL, \
                decision = NULL, approver = NULL WHERE seq = ?1";
            let values =
                params![seq, row.key, row.at_us, row.kind, row.text, row.body, row.previous.0, row.code.0];
            assert_eq!(db.execute(update, values).unwrap(), 1);
        }
        assert_eq!(found(&store, &[]), (1, fault));
    }
}

#[test]
fn pruning_does_not_wipe_away_traces() {
    let place = Place::new();
    let (store, _) = six_rows(&place);
    tamper(&place, "UPDATE audit_log SET text = 'x' WHERE seq = 2");
    let error = wait(store.prune(at(100), at(100))).unwrap_err();
    assert!(!error.passing && error.message.contains("row 2"), "{error}");
    assert_eq!((place.count("audit_log"), place.count("cuts")), (6, 0));
    assert_eq!(found(&store, &[]), (2, Fault::Changed));
}
