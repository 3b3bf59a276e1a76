//! The log is made of chains that verify, whatever happens.

use std::sync::Arc;

use sekisho_gate::WriteAccess;

use sekisho_gate::answer::Answer;
use sekisho_gate::audit::{Bad, Fault, Head, Keys, Query, Report, Row, Verifier, WriterId};
use sekisho_gate::ledger::Ending;
use sekisho_gate::record::{Entry, Kind};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::{Call, Effect};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Backend;
use super::desk::Desk;
use crate::fixtures::{admission, after, answered, asker, call, question, rules_changed, seal, stored_rule};

pub(super) const SPOOL: WriterId = WriterId(Uuid::from_u128(7));

/// What [`mixed_work`] was about.
pub(super) struct Work {
    pub(super) approved: ApprovalId,
    pub(super) ran: CallId,
    pub(super) refused: CallId,
}

/// A bit of everything, in two hours: three verdicts without a question, and four questions with four ends.
pub(super) async fn mixed_work(desk: &Desk) -> Work {
    let ask = |id: &str, timeout| question(call(id), asker(), after(0), Some(timeout));
    let (first, second, third, fourth) = (ask("1", 60), ask("2", 60), ask("3", 6), ask("4", 60));
    for question in [&first, &second, &third, &fourth] {
        desk.ask(question, 1).await;
    }
    desk.done(first.id, answered(&first, Answer::approve(), None, after(2)), after(2)).await;
    let execution = ExecutionId::new(after(3));
    desk.run(first.id, execution, after(3)).await;
    let deny = Answer::deny().because("Not On A Friday");
    desk.done(second.id, answered(&second, deny, None, after(4)), after(4)).await;
    let ending =
        Ending { at: after(5), is_error: false, output: Some("done".into()), duration_ms: Some(2000) };
    assert_eq!(desk.0.ledger.finish(WriteAccess::TESTS, execution, ending).await, Ok(true));
    desk.sweep(1, after(7)).await;
    desk.leave(fourth.id, 1, after(8)).await;
    let other = |tool: &str| Call { tool: tool.into(), agent: None, ..call("x") };
    let ran = admission(other("publish"), asker(), after(9), Effect::Allow);
    let refused = admission(other("drop"), asker(), after(3700), Effect::Deny);
    let calls = (ran.call.id, refused.call.id);
    desk.0.ledger.admit(WriteAccess::TESTS, ran).await.expect("admitting works");
    desk.0
        .ledger
        .admit(WriteAccess::TESTS, admission(other("publish"), asker(), after(10), Effect::Allow))
        .await
        .expect("it works");
    desk.0.ledger.admit(WriteAccess::TESTS, refused).await.expect("admitting works");
    desk.0
        .ledger
        .note(WriteAccess::TESTS, vec![rules_changed(after(3701), "a file changed")])
        .await
        .expect("noting works");
    Work { approved: first.id, ran: calls.0, refused: calls.1 }
}

/// Every row, read in small pages.
pub(super) async fn all_rows(desk: &Desk) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    loop {
        let last = rows.last().map(|row| (row.writer, row.seq));
        let page = desk.0.audit.rows(last, 7).await.expect("reading rows works");
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

pub(super) async fn verify(desk: &Desk, keys: &Keys, exported: &[Head]) -> Result<Report, Bad> {
    let cuts = desk.0.audit.cuts().await.expect("reading cuts works");
    verified(&all_rows(desk).await, Verifier::new(keys, cuts, exported)?)
}

fn verified(rows: &[Row], mut verifier: Verifier<'_>) -> Result<Report, Bad> {
    rows.iter().try_for_each(|row| verifier.row(row))?;
    verifier.finish()
}

pub(super) fn line(seconds: i64, text: &str) -> Entry {
    Entry::plain(Kind::Rules, after(seconds), None, text.into(), Value::Null)
}

pub(super) async fn what_was_written_verifies(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    assert_eq!(desk.0.audit.count().await, Ok(0));
    assert_eq!(desk.0.audit.heads().await, Ok(vec![]));
    mixed_work(&desk).await;
    let keys = seal().keys;
    let report = verify(&desk, &keys, &[]).await.expect("the log verifies");
    assert_eq!(report.rows, desk.entries().await.len() as u64);
    assert_eq!(desk.0.audit.count().await, Ok(report.rows));
    assert_eq!(desk.0.audit.heads().await.as_ref(), Ok(&report.heads));
    for row in all_rows(&desk).await {
        assert_eq!(desk.0.audit.row(row.writer, row.seq).await, Ok(Some(row)));
    }
    assert_eq!(desk.0.audit.row(SPOOL, 1).await, Ok(None));
    let desk = Desk(backend.reopen(desk.0).await);
    desk.0
        .ledger
        .note(WriteAccess::TESTS, vec![rules_changed(after(4000), "later")])
        .await
        .expect("noting works");
    let again = verify(&desk, &keys, &report.heads).await.expect("it verifies after opening again");
    assert_eq!(again.rows, report.rows + 1);
}

pub(super) async fn many_writers_at_once_leave_a_chain(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let tasks = (0..8).map(|number| {
        let ledger = desk.0.ledger.clone();
        let work = async move {
            for _ in 0..10 {
                let record = rules_changed(after(number), "at once");
                ledger.note(WriteAccess::TESTS, vec![record]).await.expect("noting works");
            }
        };
        Box::pin(work) as sekisho_gate::ledger::Later<'static, ()>
    });
    backend.at_once(tasks.collect()).await;
    assert_eq!(verify(&desk, &seal().keys, &[]).await.map(|report| report.rows), Ok(80));
}

pub(super) async fn what_fails_leaves_no_gap(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let admitted = admission(call("1"), asker(), after(0), Effect::Allow);
    desk.0.ledger.admit(WriteAccess::TESTS, admitted.clone()).await.expect("admitting works");
    desk.0.ledger.admit(WriteAccess::TESTS, admitted).await.expect_err("the same call twice is an error");
    let rule = stored_rule("deploy", Effect::Allow, after(1));
    let add = || desk.0.rules.add(WriteAccess::TESTS, vec![rule.clone()], rules_changed(after(1), "added"));
    add().await.expect("adding works");
    add().await.expect_err("the same rule twice is an error");
    desk.0
        .ledger
        .note(WriteAccess::TESTS, vec![rules_changed(after(2), "after all")])
        .await
        .expect("noting works");
    assert_eq!(verify(&desk, &seal().keys, &[]).await.map(|report| report.rows), Ok(3));
}

pub(super) async fn checkpoints_vouch_for_what_grew(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let (audit, keys) = (desk.0.audit.clone(), seal().keys);
    let checkpoint = |seconds| audit.checkpoint(after(seconds));
    assert_eq!(checkpoint(0).await, Ok(None), "nothing was written");
    mixed_work(&desk).await;
    let first = checkpoint(1).await.expect("a checkpoint works").expect("something grew");
    assert!(audit.heads().await.expect("heads are read").contains(&first), "it is the end of its chain");
    assert_eq!(checkpoint(2).await, Ok(None), "a checkpoint is nothing to vouch for");
    audit
        .take_in(WriteAccess::TESTS, SPOOL, 1, vec![line(3, "a"), line(4, "b")])
        .await
        .expect("taking in works");
    checkpoint(5).await.expect("a checkpoint works").expect("the spool grew");
    let heads = audit.heads().await.expect("heads are read");
    let spool = heads.iter().find(|head| head.writer == SPOOL).expect("the spool is a chain");
    let rows = all_rows(&desk).await;
    let last = rows.iter().filter(|row| row.kind == "checkpoint").max_by_key(|row| row.seq);
    let body: Value = serde_json::from_str(&last.expect("there are two").body).expect("it is JSON");
    assert_eq!(body.get("heads"), Some(&json!([spool])), "only what grew is in it");
    verify(&desk, &keys, &[]).await.expect("the log verifies");

    let found = |keep: fn(&Row) -> bool| {
        let rows: Vec<Row> = all_rows_of(&rows, keep);
        let verifier = Verifier::new(&keys, Vec::new(), &[]).expect("there are no cuts");
        verified(&rows, verifier).expect_err("what a checkpoint knows is missed")
    };
    // A chain that sorts after the one with the checkpoint or before it is missed either way.
    assert_eq!(found(|row| row.writer != SPOOL).fault, Fault::WriterMissing);
    assert_eq!(found(|row| row.writer != SPOOL || row.seq < 2).fault, Fault::CutShort);
    let query = |checkpoints| Query { checkpoints, limit: 1000, ..Query::default() };
    let with = audit.search(query(true)).await.expect("searching works").len();
    let without = audit.search(query(false)).await.expect("searching works").len();
    assert_eq!((with, without), (rows.len(), rows.len() - 2));
}

fn all_rows_of(rows: &[Row], keep: fn(&Row) -> bool) -> Vec<Row> {
    rows.iter().filter(|row| keep(row)).cloned().collect()
}

pub(super) async fn spools_are_taken_in_once(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let audit = &desk.0.audit;
    let lines = |numbers: std::ops::RangeInclusive<i64>| -> Vec<Entry> {
        numbers.map(|number| line(number, &format!("line {number}"))).collect()
    };
    assert_eq!(audit.take_in(WriteAccess::TESTS, SPOOL, 1, lines(1..=3)).await, Ok(3));
    assert_eq!(audit.take_in(WriteAccess::TESTS, SPOOL, 1, lines(1..=3)).await, Ok(0), "they are there");
    assert_eq!(audit.take_in(WriteAccess::TESTS, SPOOL, 2, lines(2..=5)).await, Ok(2), "two of them are");
    assert_eq!(audit.take_in(WriteAccess::TESTS, SPOOL, 6, Vec::new()).await, Ok(0));
    assert!(
        !audit
            .take_in(WriteAccess::TESTS, SPOOL, 7, lines(7..=7))
            .await
            .expect_err("a gap is an error")
            .passing
    );
    assert!(
        !audit
            .take_in(WriteAccess::TESTS, SPOOL, 0, lines(0..=0))
            .await
            .expect_err("lines count from 1")
            .passing
    );
    let desk = Desk(backend.reopen(desk.0).await);
    assert_eq!(desk.0.audit.take_in(WriteAccess::TESTS, SPOOL, 5, lines(5..=6)).await, Ok(1));
    let report = verify(&desk, &seal().keys, &[]).await.expect("the spool is a chain");
    assert_eq!((report.rows, report.heads.len()), (6, 1));
    let texts: Vec<String> = all_rows(&desk).await.into_iter().map(|row| row.text).collect();
    assert_eq!(texts, ["line 1", "line 2", "line 3", "line 4", "line 5", "line 6"]);
}

pub(super) async fn keys_change_in_the_middle(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let note =
        |seconds| desk.0.ledger.note(WriteAccess::TESTS, vec![rules_changed(after(seconds), "a line")]);
    note(0).await.expect("noting works");
    desk.0.audit.take_in(WriteAccess::TESTS, SPOOL, 1, vec![line(0, "a")]).await.expect("taking in works");
    let old = seal().keys;
    let new = Arc::new(old.rotated([9; 32]));
    desk.0.audit.take_keys(new.clone()).await.expect("taking keys works");
    note(1).await.expect("noting works");
    desk.0.audit.take_in(WriteAccess::TESTS, SPOOL, 2, vec![line(1, "b")]).await.expect("taking in works");
    let keys: Vec<u32> = all_rows(&desk).await.iter().map(|row| row.key).collect();
    assert_eq!(keys.iter().filter(|key| **key == 2).count(), 2, "{keys:?}");
    assert_eq!(verify(&desk, &new, &[]).await.map(|report| report.rows), Ok(4));
    let unknown = verify(&desk, &old, &[]).await.expect_err("the old keys are not enough");
    assert_eq!(unknown.fault, Fault::UnknownKey { key: 2 });
}
