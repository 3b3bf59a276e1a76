//! The chain of the log: every way to tamper with it without the key is found and named.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::audit::{
    ChainCut, ChainErrorKind, ChainHead, ChainRow, ChainWriter, KeyRing, MaskedEntry, SigningKey, Verifier,
    VerifyReport, WriterId,
};
use sekisho_gate::mask::Masks;
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_testkit::ManualClock;
use serde_json::json;
use uuid::Uuid;

fn keys() -> KeyRing {
    KeyRing::of(SigningKey::new(1, [7; 32]))
}

fn chain_writer(writer: u128, keys: &KeyRing) -> ChainWriter {
    ChainWriter::new(WriterId(Uuid::from_u128(writer)), Arc::new(keys.clone()))
}

fn masked(entry: AuditEntry) -> MaskedEntry {
    MaskedEntry::new(entry, &Masks::new([]))
}

fn entry(n: i64) -> AuditEntry {
    let at = ManualClock::start() + SignedDuration::from_secs(n);
    AuditEntry::without_call(RecordKind::Rules, at, None, format!("line {n}"), json!({ "n": n }))
}

/// Two writers of ten rows; the second has recorded the head of the first.
fn log() -> Vec<ChainRow> {
    let keys = keys();
    let mut first = chain_writer(1, &keys);
    let mut second = chain_writer(2, &keys);
    let mut rows: Vec<ChainRow> = (0..10).map(|n| first.write(&masked(entry(n))).unwrap()).collect();
    rows.extend((0..9).map(|n| second.write(&masked(entry(n))).unwrap()));
    let heads = [first.head().unwrap(), second.head().unwrap()];
    rows.push(second.checkpoint(&heads, ManualClock::start()).unwrap());
    rows
}

fn verify(
    rows: &[ChainRow],
    cuts: Vec<ChainCut>,
    exported: &[ChainHead],
) -> Result<VerifyReport, (u64, ChainErrorKind)> {
    let keys = keys();
    let named = |bad: sekisho_gate::audit::ChainError| (bad.seq, bad.fault);
    let mut verifier = Verifier::new(&keys, cuts, exported).map_err(named)?;
    for row in rows {
        verifier.row(row).map_err(named)?;
    }
    verifier.finish().map_err(named)
}

#[test]
fn written_log_verifies() {
    let rows = log();
    let report = verify(&rows, Vec::new(), &[]).unwrap();
    assert_eq!(report.rows, 20);
    assert_eq!(report.heads, [rows[9].head(), rows[19].head()]);
    assert!(verify(&rows, Vec::new(), &report.heads).is_ok());
}

#[test]
fn every_changed_field_is_found() {
    let changes: &[fn(&mut ChainRow)] = &[
        |row| row.text.push('!'),
        |row| row.body = row.body.replace('4', "5"),
        |row| row.at_us += 1,
        |row| row.kind = "verdict".into(),
        |row| row.tool = Some(String::new()),
        |row| row.server = Some("s".into()),
        |row| row.agent = Some("a".into()),
        |row| row.credential = Some("c".into()),
        |row| row.decision = Some("allow".into()),
        |row| row.approver = Some("ann".into()),
        |row| row.call = Some(Uuid::nil()),
        |row| row.approval = Some(Uuid::nil()),
        |row| row.execution = Some(Uuid::nil()),
        |row| row.previous.0[0] ^= 1,
        |row| row.code.0[31] ^= 1,
    ];
    for (n, change) in changes.iter().enumerate() {
        let mut rows = log();
        change(&mut rows[4]);
        assert_eq!(verify(&rows, Vec::new(), &[]), Err((5, ChainErrorKind::Changed)), "change {n}");
    }
}

#[test]
fn removed_inserted_and_moved_rows_are_found() {
    let mut rows = log();
    rows.remove(4);
    assert_eq!(verify(&rows, Vec::new(), &[]), Err((5, ChainErrorKind::Missing { next: 6 })));

    let mut rows = log();
    let copy = rows[4].clone();
    rows.insert(5, copy);
    assert_eq!(verify(&rows, Vec::new(), &[]), Err((5, ChainErrorKind::Twice)));

    let mut rows = log();
    rows.swap(4, 5);
    assert_eq!(verify(&rows, Vec::new(), &[]), Err((5, ChainErrorKind::Missing { next: 6 })));

    // Renumbered so that there is no gap.
    let mut rows = log();
    rows.remove(4);
    for row in &mut rows[4..9] {
        row.seq -= 1;
    }
    assert_eq!(verify(&rows, Vec::new(), &[]), Err((5, ChainErrorKind::Changed)));
}

#[test]
fn checkpoint_reveals_a_missing_or_truncated_chain() {
    let rows = log();
    assert_eq!(verify(&rows[10..], Vec::new(), &[]), Err((10, ChainErrorKind::WriterMissing)));
    let short: Vec<ChainRow> = rows[..7].iter().chain(&rows[10..]).cloned().collect();
    assert_eq!(verify(&short, Vec::new(), &[]), Err((10, ChainErrorKind::CutShort)));
}

#[test]
fn exported_head_reveals_a_truncated_chain() {
    let rows = log();
    let heads = [rows[9].head(), rows[19].head()];
    assert!(verify(&rows[..18], Vec::new(), &[]).is_ok(), "nothing inside can tell");
    assert_eq!(verify(&rows[..18], Vec::new(), &heads), Err((10, ChainErrorKind::CutShort)));
    assert_eq!(verify(&[], Vec::new(), &heads).unwrap_err().1, ChainErrorKind::WriterMissing);
}

#[test]
fn log_written_without_the_key_is_rejected() {
    let other = KeyRing::of(SigningKey::new(1, [8; 32]));
    let mut forger = chain_writer(1, &other);
    let rows: Vec<ChainRow> = (0..10).map(|n| forger.write(&masked(entry(n))).unwrap()).collect();
    assert_eq!(verify(&rows, Vec::new(), &[]), Err((1, ChainErrorKind::Changed)));
    let unknown = KeyRing::of(SigningKey::new(2, [8; 32]));
    let mut forger = chain_writer(1, &unknown);
    let rows = [forger.write(&masked(entry(1))).unwrap()];
    assert_eq!(verify(&rows, Vec::new(), &[]), Err((1, ChainErrorKind::UnknownKey { key: 2 })));
}

#[test]
fn signed_cut_verifies_and_forged_cut_fails() {
    let rows = log();
    let at = Timestamp::UNIX_EPOCH;
    let cut = ChainCut::sign(rows[3].head(), at, &keys()).unwrap();
    let rest: Vec<ChainRow> = rows[4..].to_vec();
    assert!(verify(&rest, vec![cut.clone()], &[]).is_ok());
    assert_eq!(verify(&rest, Vec::new(), &[]), Err((1, ChainErrorKind::Missing { next: 5 })));
    let forged = ChainCut::sign(rows[5].head(), at, &KeyRing::of(SigningKey::new(1, [9; 32]))).unwrap();
    assert_eq!(verify(&rows[6..], vec![forged], &[]), Err((6, ChainErrorKind::ForgedCut)));
    let beyond = ChainCut { head: rows[5].head(), ..cut };
    assert_eq!(verify(&rows[6..], vec![beyond], &[]), Err((6, ChainErrorKind::ForgedCut)));
}

#[test]
fn old_keys_verify_after_rotation() {
    let old = keys();
    let new = old.rotated([9; 32]);
    let mut chain_writer = chain_writer(1, &old);
    let mut rows = vec![chain_writer.write(&masked(entry(0))).unwrap()];
    chain_writer.set_keys(Arc::new(new.clone()));
    rows.push(chain_writer.write(&masked(entry(1))).unwrap());
    assert_eq!((rows[0].key, rows[1].key), (1, 2));
    let mut verifier = Verifier::new(&new, Vec::new(), &[]).unwrap();
    rows.iter().for_each(|row| verifier.row(row).unwrap());
    assert_eq!(KeyRing::parse(&new.to_file_text()).unwrap(), new);
}

#[test]
fn invalid_key_file_is_rejected_with_its_line() {
    let digits = "0".repeat(64);
    for (text, message) in [
        (String::new(), "line 1: the file contains no key"),
        ("# only words\n".into(), "line 1: the file contains no key"),
        ("1\n".into(), "line 1: expected the key number, a space and 64 hexadecimal digits"),
        (format!("x {digits}\n"), "line 1: the key number is not a number"),
        ("# ok\n1 00\n".into(), "line 2: expected 64 hexadecimal digits"),
        (format!("2 {digits}\n1 {digits}\n"), "line 2: key numbers must be ascending"),
    ] {
        assert_eq!(KeyRing::parse(&text).unwrap_err().to_string(), message);
    }
}

#[test]
fn row_text_is_masked_and_on_one_line() {
    let masks = Masks::new(["correct-horse-battery".to_owned()]);
    let mut chain_writer = chain_writer(0, &keys());
    let mut entry = entry(0);
    entry.text = "used correct-horse-battery\n2026-01-01 forged line".into();
    entry.body = json!({ "password": "hunter2hunter2", "cmd": "echo correct-horse-battery" });
    let row = chain_writer.write(&MaskedEntry::new(entry, &masks)).unwrap();
    assert!(!row.text.contains('\n') && !row.text.contains("correct-horse"), "{}", row.text);
    assert!(!row.body.contains("hunter2") && !row.body.contains("correct-horse"), "{}", row.body);
}

#[test]
fn row_keeps_token_ids_and_masks_other_names() {
    let mut chain_writer = chain_writer(1, &keys());
    let token = "token:019a8c7e-1111-7222-8333-0123456789ab";
    for (credential, original) in [
        (token, token),
        ("socket:1000", "socket:1000"),
        ("token:hunter2hunter2hunter2x9", "token:[masked:secret-value]"),
    ] {
        let mut entry = entry(0);
        entry.credential = Some(credential.into());
        assert_eq!(chain_writer.write(&masked(entry)).unwrap().credential.as_deref(), Some(original));
    }
}

#[test]
fn chain_that_grows_while_reading_is_continued() {
    let keys = keys();
    let rows = log();
    let mut verifier = Verifier::new(&keys, Vec::new(), &[]).unwrap();
    let early: Vec<&ChainRow> = rows[..7].iter().chain(&rows[10..]).collect();
    early.iter().for_each(|row| verifier.row(row).unwrap());
    assert_eq!(verifier.awaited(), [(rows[0].writer, 7, 10)]);
    rows[7..10].iter().for_each(|row| verifier.row(row).unwrap());
    assert_eq!(verifier.awaited(), []);
    assert_eq!(verifier.finish().unwrap().heads, [rows[9].head(), rows[19].head()]);

    // Later rows must still follow the earlier ones.
    let mut verifier = Verifier::new(&keys, Vec::new(), &[]).unwrap();
    early.iter().for_each(|row| verifier.row(row).unwrap());
    assert_eq!(verifier.row(&rows[8]).unwrap_err().fault, ChainErrorKind::Missing { next: 9 });
    assert_eq!(verifier.row(&rows[6]).unwrap_err().fault, ChainErrorKind::Twice);
}

#[test]
fn exported_head_is_compared_despite_checkpoints() {
    let keys = keys();
    let (mut first, mut other) = (chain_writer(1, &keys), chain_writer(1, &keys));
    let original: Vec<ChainRow> = (0..5).map(|n| first.write(&masked(entry(n))).unwrap()).collect();
    // Somebody with the key rewrites the chain, and a chain that is read before it confirms the new
    // one.
    let rewritten: Vec<ChainRow> = (100..110).map(|n| other.write(&masked(entry(n))).unwrap()).collect();
    let mut earlier = chain_writer(0, &keys);
    let mut rows = vec![earlier.checkpoint(&[other.head().unwrap()], ManualClock::start()).unwrap()];
    rows.extend(rewritten);
    assert!(verify(&rows, Vec::new(), &[]).is_ok(), "nothing inside can tell");
    assert_eq!(verify(&rows, Vec::new(), &[original[4].head()]), Err((5, ChainErrorKind::Replaced)));
}

#[test]
fn head_before_a_cut_is_reported_as_unchecked() {
    let rows = log();
    let cut = ChainCut::sign(rows[3].head(), Timestamp::UNIX_EPOCH, &keys()).unwrap();
    let verified = |exported: ChainHead| verify(&rows[4..], vec![cut.clone()], &[exported]);
    assert_eq!(verified(rows[1].head()).unwrap().unchecked, 1);
    assert_eq!(verified(rows[3].head()).unwrap().unchecked, 0);
    let other = ChainHead { code: rows[5].code, ..rows[3].head() };
    assert_eq!(verified(other), Err((4, ChainErrorKind::Replaced)));
}

#[test]
fn late_heads_are_returned_for_comparison() {
    let rows = log();
    let report = verify(&rows, Vec::new(), &[]).unwrap();
    assert_eq!(report.late, [rows[9].head()]);
    assert!(VerifyReport::check_late_head(&report.late[0], Some(&rows[9])).is_ok());
    assert!(VerifyReport::check_late_head(&report.late[0], Some(&rows[8])).is_err());
    assert!(VerifyReport::check_late_head(&report.late[0], None).is_err());
}

#[test]
fn unreadable_checkpoint_is_an_error() {
    let mut chain_writer = chain_writer(1, &keys());
    let mut odd = entry(0);
    odd.kind = RecordKind::Checkpoint;
    let rows = [chain_writer.write(&masked(odd)).unwrap()];
    assert_eq!(verify(&rows, Vec::new(), &[]), Err((1, ChainErrorKind::Unreadable)));
}

#[test]
fn two_heads_of_one_row_conflict() {
    let rows = log();
    let other = ChainHead { code: rows[5].code, ..rows[9].head() };
    for exported in [[rows[9].head(), other], [other, rows[9].head()]] {
        assert_eq!(verify(&rows, Vec::new(), &exported), Err((10, ChainErrorKind::Replaced)));
    }
}
