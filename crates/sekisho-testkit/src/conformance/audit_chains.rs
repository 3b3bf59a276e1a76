//! The audit log consists of chains that verify, whatever happens.

use std::sync::Arc;

use sekisho_gate::WriteAccess;

use sekisho_gate::answer::Answer;
use sekisho_gate::audit::{
    AuditQuery, ChainError, ChainErrorKind, ChainHead, ChainRow, KeyRing, Verifier, VerifyReport, WriterId,
};
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::{Call, Effect};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{
    admission, answer_trigger, audit_config, call, caller, pending_approval, rules_changed_record,
    seconds_after_start, stored_rule,
};

pub(super) const SPOOL: WriterId = WriterId(Uuid::from_u128(7));

/// What [`mixed_work`] did.
pub(super) struct MixedWork {
    pub(super) approved: ApprovalId,
    pub(super) ran: CallId,
    pub(super) refused: CallId,
}

/// Some of everything, within two hours: three verdicts without an approval, and four approvals that end in
/// four ways.
pub(super) async fn mixed_work(harness: &StoreHarness) -> MixedWork {
    let ask = |id: &str, timeout| pending_approval(call(id), caller(), seconds_after_start(0), Some(timeout));
    let (first, second, third, fourth) = (ask("1", 60), ask("2", 60), ask("3", 6), ask("4", 60));
    for question in [&first, &second, &third, &fourth] {
        harness.ask(question, 1).await;
    }
    harness
        .done(
            first.id,
            answer_trigger(&first, Answer::approve(), None, seconds_after_start(2)),
            seconds_after_start(2),
        )
        .await;
    let execution = ExecutionId::new(seconds_after_start(3));
    harness.run(first.id, execution, seconds_after_start(3)).await;
    let deny = Answer::deny().with_reason("Not On A Friday");
    harness
        .done(second.id, answer_trigger(&second, deny, None, seconds_after_start(4)), seconds_after_start(4))
        .await;
    let ending = ExecutionOutcome {
        at: seconds_after_start(5),
        is_error: false,
        output: Some("done".into()),
        duration_ms: Some(2000),
        exit: None,
    };
    assert_eq!(harness.0.ledger.finish(WriteAccess::TESTS, execution, ending).await, Ok(true));
    harness.sweep(1, seconds_after_start(7)).await;
    harness.leave(fourth.id, 1, seconds_after_start(8)).await;
    let other = |tool: &str| Call { tool: tool.into(), agent: None, ..call("x") };
    let ran = admission(other("publish"), caller(), seconds_after_start(9), Effect::Allow);
    let refused = admission(other("drop"), caller(), seconds_after_start(3700), Effect::Deny);
    let calls = (ran.call.id, refused.call.id);
    harness.0.ledger.admit(WriteAccess::TESTS, ran).await.expect("admitting works");
    harness
        .0
        .ledger
        .admit(
            WriteAccess::TESTS,
            admission(other("publish"), caller(), seconds_after_start(10), Effect::Allow),
        )
        .await
        .expect("it works");
    harness.0.ledger.admit(WriteAccess::TESTS, refused).await.expect("admitting works");
    harness
        .0
        .ledger
        .append_records(
            WriteAccess::TESTS,
            vec![rules_changed_record(seconds_after_start(3701), "a file changed")],
        )
        .await
        .expect("noting works");
    MixedWork { approved: first.id, ran: calls.0, refused: calls.1 }
}

/// Every row, read in small pages.
pub(super) async fn all_rows(harness: &StoreHarness) -> Vec<ChainRow> {
    let mut rows: Vec<ChainRow> = Vec::new();
    loop {
        let last = rows.last().map(|row| (row.writer, row.seq));
        let page = harness.0.audit.rows(last, 7).await.expect("reading rows works");
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

pub(super) async fn verify(
    harness: &StoreHarness,
    keys: &KeyRing,
    exported: &[ChainHead],
) -> Result<VerifyReport, ChainError> {
    let cuts = harness.0.audit.cuts().await.expect("reading cuts works");
    verified(&all_rows(harness).await, Verifier::new(keys, cuts, exported)?)
}

fn verified(rows: &[ChainRow], mut verifier: Verifier<'_>) -> Result<VerifyReport, ChainError> {
    rows.iter().try_for_each(|row| verifier.row(row))?;
    verifier.finish()
}

pub(super) fn line(seconds: i64, text: &str) -> AuditEntry {
    AuditEntry::without_call(RecordKind::Rules, seconds_after_start(seconds), None, text.into(), Value::Null)
}

pub(super) async fn written_rows_verify(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(harness.0.audit.count().await, Ok(0));
    assert_eq!(harness.0.audit.heads().await, Ok(vec![]));
    mixed_work(&harness).await;
    let keys = audit_config().keys;
    let report = verify(&harness, &keys, &[]).await.expect("the log verifies");
    assert_eq!(report.rows, harness.entries().await.len() as u64);
    assert_eq!(harness.0.audit.count().await, Ok(report.rows));
    assert_eq!(harness.0.audit.heads().await.as_ref(), Ok(&report.heads));
    for row in all_rows(&harness).await {
        assert_eq!(harness.0.audit.row(row.writer, row.seq).await, Ok(Some(row)));
    }
    assert_eq!(harness.0.audit.row(SPOOL, 1).await, Ok(None));
    let harness = StoreHarness(backend.reopen(harness.0).await);
    harness
        .0
        .ledger
        .append_records(WriteAccess::TESTS, vec![rules_changed_record(seconds_after_start(4000), "later")])
        .await
        .expect("noting works");
    let again = verify(&harness, &keys, &report.heads).await.expect("it verifies after opening again");
    assert_eq!(again.rows, report.rows + 1);
}

pub(super) async fn concurrent_writes_leave_valid_chains(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let tasks = (0..8).map(|number| {
        let ledger = harness.0.ledger.clone();
        let work = async move {
            for _ in 0..10 {
                let record = rules_changed_record(seconds_after_start(number), "at once");
                ledger.append_records(WriteAccess::TESTS, vec![record]).await.expect("noting works");
            }
        };
        Box::pin(work) as sekisho_gate::ledger::BoxFuture<'static, ()>
    });
    backend.at_once(tasks.collect()).await;
    assert_eq!(verify(&harness, &audit_config().keys, &[]).await.map(|report| report.rows), Ok(80));
}

pub(super) async fn failed_write_leaves_no_gap(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let admitted = admission(call("1"), caller(), seconds_after_start(0), Effect::Allow);
    harness.0.ledger.admit(WriteAccess::TESTS, admitted.clone()).await.expect("admitting works");
    harness.0.ledger.admit(WriteAccess::TESTS, admitted).await.expect_err("the same call twice is an error");
    let rule = stored_rule("deploy", Effect::Allow, seconds_after_start(1));
    let add = || {
        harness.0.rules.add(
            WriteAccess::TESTS,
            vec![rule.clone()],
            rules_changed_record(seconds_after_start(1), "added"),
        )
    };
    add().await.expect("adding works");
    add().await.expect_err("the same rule twice is an error");
    harness
        .0
        .ledger
        .append_records(WriteAccess::TESTS, vec![rules_changed_record(seconds_after_start(2), "after all")])
        .await
        .expect("noting works");
    assert_eq!(verify(&harness, &audit_config().keys, &[]).await.map(|report| report.rows), Ok(3));
}

pub(super) async fn checkpoints_cover_chains_that_grew(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (audit, keys) = (harness.0.audit.clone(), audit_config().keys);
    let checkpoint = |seconds| audit.checkpoint(seconds_after_start(seconds));
    assert_eq!(checkpoint(0).await, Ok(None), "nothing was written");
    mixed_work(&harness).await;
    let first = checkpoint(1).await.expect("a checkpoint works").expect("something grew");
    assert!(audit.heads().await.expect("heads are read").contains(&first), "it is the end of its chain");
    assert_eq!(checkpoint(2).await, Ok(None), "a checkpoint is nothing to vouch for");
    audit
        .import_spool(WriteAccess::TESTS, SPOOL, 1, vec![line(3, "a"), line(4, "b")])
        .await
        .expect("taking in works");
    checkpoint(5).await.expect("a checkpoint works").expect("the spool grew");
    let heads = audit.heads().await.expect("heads are read");
    let spool = heads.iter().find(|head| head.writer == SPOOL).expect("the spool is a chain");
    let rows = all_rows(&harness).await;
    let last = rows.iter().filter(|row| row.kind == "checkpoint").max_by_key(|row| row.seq);
    let body: Value = serde_json::from_str(&last.expect("there are two").body).expect("it is JSON");
    assert_eq!(body.get("heads"), Some(&json!([spool])), "only what grew is in it");
    verify(&harness, &keys, &[]).await.expect("the log verifies");

    let found = |keep: fn(&ChainRow) -> bool| {
        let rows: Vec<ChainRow> = all_rows_of(&rows, keep);
        let verifier = Verifier::new(&keys, Vec::new(), &[]).expect("there are no cuts");
        verified(&rows, verifier).expect_err("what a checkpoint knows is missed")
    };
    // A missing chain is noticed whether it sorts before or after the chain with the checkpoint.
    assert_eq!(found(|row| row.writer != SPOOL).fault, ChainErrorKind::WriterMissing);
    assert_eq!(found(|row| row.writer != SPOOL || row.seq < 2).fault, ChainErrorKind::CutShort);
    let query = |checkpoints| AuditQuery { checkpoints, limit: 1000, ..AuditQuery::default() };
    let with = audit.search(query(true)).await.expect("searching works").len();
    let without = audit.search(query(false)).await.expect("searching works").len();
    assert_eq!((with, without), (rows.len(), rows.len() - 2));
}

fn all_rows_of(rows: &[ChainRow], keep: fn(&ChainRow) -> bool) -> Vec<ChainRow> {
    rows.iter().filter(|row| keep(row)).cloned().collect()
}

pub(super) async fn spools_are_imported_once(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let audit = &harness.0.audit;
    let lines = |numbers: std::ops::RangeInclusive<i64>| -> Vec<AuditEntry> {
        numbers.map(|number| line(number, &format!("line {number}"))).collect()
    };
    assert_eq!(audit.import_spool(WriteAccess::TESTS, SPOOL, 1, lines(1..=3)).await, Ok(3));
    assert_eq!(audit.import_spool(WriteAccess::TESTS, SPOOL, 1, lines(1..=3)).await, Ok(0), "they are there");
    assert_eq!(
        audit.import_spool(WriteAccess::TESTS, SPOOL, 2, lines(2..=5)).await,
        Ok(2),
        "two of them are"
    );
    assert_eq!(audit.import_spool(WriteAccess::TESTS, SPOOL, 6, Vec::new()).await, Ok(0));
    assert!(
        !audit
            .import_spool(WriteAccess::TESTS, SPOOL, 7, lines(7..=7))
            .await
            .expect_err("a gap is an error")
            .transient
    );
    assert!(
        !audit
            .import_spool(WriteAccess::TESTS, SPOOL, 0, lines(0..=0))
            .await
            .expect_err("lines count from 1")
            .transient
    );
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!(harness.0.audit.import_spool(WriteAccess::TESTS, SPOOL, 5, lines(5..=6)).await, Ok(1));
    let report = verify(&harness, &audit_config().keys, &[]).await.expect("the spool is a chain");
    assert_eq!((report.rows, report.heads.len()), (6, 1));
    let texts: Vec<String> = all_rows(&harness).await.into_iter().map(|row| row.text).collect();
    assert_eq!(texts, ["line 1", "line 2", "line 3", "line 4", "line 5", "line 6"]);
}

pub(super) async fn keys_can_change_in_the_middle(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let note = |seconds| {
        harness.0.ledger.append_records(
            WriteAccess::TESTS,
            vec![rules_changed_record(seconds_after_start(seconds), "a line")],
        )
    };
    note(0).await.expect("noting works");
    harness
        .0
        .audit
        .import_spool(WriteAccess::TESTS, SPOOL, 1, vec![line(0, "a")])
        .await
        .expect("taking in works");
    let old = audit_config().keys;
    let new = Arc::new(old.rotated([9; 32]));
    harness.0.audit.set_keys(new.clone()).await.expect("taking keys works");
    note(1).await.expect("noting works");
    harness
        .0
        .audit
        .import_spool(WriteAccess::TESTS, SPOOL, 2, vec![line(1, "b")])
        .await
        .expect("taking in works");
    let keys: Vec<u32> = all_rows(&harness).await.iter().map(|row| row.key).collect();
    assert_eq!(keys.iter().filter(|key| **key == 2).count(), 2, "{keys:?}");
    assert_eq!(verify(&harness, &new, &[]).await.map(|report| report.rows), Ok(4));
    let unknown = verify(&harness, &old, &[]).await.expect_err("the old keys are not enough");
    assert_eq!(unknown.fault, ChainErrorKind::UnknownKey { key: 2 });
}
