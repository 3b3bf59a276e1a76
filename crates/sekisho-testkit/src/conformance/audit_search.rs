//! Every search field and page finds the rows that were written.

use sekisho_gate::WriteAccess;

use sekisho_gate::ApprovalId;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval::Approval;
use sekisho_gate::audit::{
    AskedCommand, AskedTool, AuditLog, AuditQuery, CallOutcome, CallRecords, ChainRow, HourStats,
    OutcomeCounts, Percentiles, START_CURSOR, search_calls,
};
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_policy::Call;
use serde_json::{Value, json};

use super::Backend;
use super::audit_chains::{SPOOL, all_rows, line, mixed_work};
use super::harness::StoreHarness;
use crate::fixtures::{
    answer_trigger, call, caller, pending_approval, rules_changed_record, seconds_after_start,
};

async fn found(harness: &StoreHarness, query: AuditQuery) -> Vec<ChainRow> {
    harness.0.audit.search(query).await.expect("searching works")
}

fn newest_first(mut rows: Vec<ChainRow>) -> Vec<ChainRow> {
    rows.sort_by_key(|row| std::cmp::Reverse((row.at_us, row.writer, row.seq)));
    rows
}

pub(super) async fn every_field_finds_its_rows(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let work = mixed_work(&harness).await;
    harness
        .0
        .audit
        .import_spool(WriteAccess::TESTS, SPOOL, 1, vec![line(20, "taken IN")])
        .await
        .expect("taking in works");
    let all = newest_first(all_rows(&harness).await);
    let text = |text: &str| Some(text.to_owned());
    let is = |value: &Option<String>, wanted: &str| value.as_deref() == Some(wanted);
    let none = AuditQuery::default;
    type Fits<'a> = Box<dyn Fn(&ChainRow) -> bool + Send + Sync + 'a>;
    let searches: Vec<(AuditQuery, usize, Fits<'_>)> = vec![
        (none(), 15, Box::new(|_| true)),
        (AuditQuery { tool: text("publish"), ..none() }, 2, Box::new(|row| is(&row.tool, "publish"))),
        (AuditQuery { decision: text("allow"), ..none() }, 3, Box::new(|row| is(&row.decision, "allow"))),
        (AuditQuery { kind: text("outcome"), ..none() }, 4, Box::new(|row| row.kind == "outcome")),
        (
            AuditQuery { agent: text("builder"), kind: text("outcome"), ..none() },
            4,
            Box::new(|row| is(&row.agent, "builder") && row.kind == "outcome"),
        ),
        (AuditQuery { approver: text("Ada"), ..none() }, 2, Box::new(|row| is(&row.approver, "Ada"))),
        (
            AuditQuery { approval: Some(work.approved), kind: text("claim"), ..none() },
            1,
            Box::new(|row| row.approval == Some(work.approved.0) && row.kind == "claim"),
        ),
        (
            AuditQuery { tool: text("deploy"), decision: text("deny"), ..none() },
            3,
            Box::new(|row| is(&row.tool, "deploy") && is(&row.decision, "deny")),
        ),
        (AuditQuery { text: text("TAKEN in"), ..none() }, 1, Box::new(|row| row.text == "taken IN")),
        (
            AuditQuery { text: text("on a friday"), ..none() },
            1,
            Box::new(|row| row.body.contains("On A Friday")),
        ),
        (AuditQuery { text: text("nowhere 関所"), ..none() }, 0, Box::new(|_| false)),
        (
            AuditQuery { from: Some(seconds_after_start(2)), to: Some(seconds_after_start(9)), ..none() },
            6,
            Box::new(|row| (seconds_after_start(2)..seconds_after_start(9)).contains(&row.at())),
        ),
        (AuditQuery { tool: text("publis"), ..none() }, 0, Box::new(|_| false)),
    ];
    for (query, times, fits) in searches {
        let rows = found(&harness, query.clone()).await;
        let expected: Vec<ChainRow> = all.iter().filter(|row| fits(row)).cloned().collect();
        assert_eq!((&rows, rows.len()), (&expected, times), "{query:?}");
    }
}

pub(super) async fn pages_and_following_rows(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    mixed_work(&harness).await;
    // Rows of two chains at the same times.
    harness
        .0
        .audit
        .import_spool(WriteAccess::TESTS, SPOOL, 1, vec![line(0, "a"), line(0, "b"), line(9, "c")])
        .await
        .expect("it works");
    let all = newest_first(all_rows(&harness).await);
    let place = |row: &ChainRow| (row.at(), row.writer, row.seq);
    let (mut back, mut forth): (Vec<ChainRow>, Vec<ChainRow>) = (Vec::new(), Vec::new());
    loop {
        let page =
            found(&harness, AuditQuery { before: back.last().map(place), limit: 4, ..AuditQuery::default() })
                .await;
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 4);
        back.extend(page);
    }
    assert_eq!(back, all);
    for (most, text) in [(1, None), (3000, None), (3000, Some("e".to_owned()))] {
        pages_end_by_bytes(&harness, most, text).await;
    }
    let oldest = all.last().expect("there are rows").clone();
    forth.push(oldest);
    loop {
        let page =
            found(&harness, AuditQuery { after: forth.last().map(place), limit: 4, ..AuditQuery::default() })
                .await;
        if page.is_empty() {
            break;
        }
        forth.extend(page);
    }
    forth.reverse();
    assert_eq!(forth, all, "following goes the other way");
    harness
        .0
        .ledger
        .append_records(WriteAccess::TESTS, vec![rules_changed_record(seconds_after_start(9000), "new")])
        .await
        .expect("noting works");
    let news = found(&harness, AuditQuery { after: all.first().map(place), ..AuditQuery::default() }).await;
    assert_eq!(news.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["new"]);
}

/// A page ends with the row that brings it to the limit, backwards and forwards, and no row is lost.
async fn pages_end_by_bytes(harness: &StoreHarness, most: usize, text: Option<String>) {
    let query = AuditQuery { text, limit: 100, ..AuditQuery::default() };
    let expected = found(harness, query.clone()).await;
    let sizes = |rows: &[ChainRow]| rows.iter().map(ChainRow::size).sum::<usize>();
    for forwards in [false, true] {
        let mut query = AuditQuery { max_bytes: Some(most), ..query.clone() };
        query.after = forwards.then_some(START_CURSOR);
        let mut read = Vec::new();
        loop {
            let page = found(harness, query.clone()).await;
            let (before_last, is_end) =
                (page.split_last().map_or(0, |(_, before)| sizes(before)), query.is_end(&page));
            assert!(before_last < most && (is_end || sizes(&page) >= most), "{before_last} of {most}");
            let last = page.last().map(|row| (row.at(), row.writer, row.seq));
            read.extend(page);
            if is_end {
                break;
            }
            match forwards {
                true => query.after = last,
                false => query.before = last,
            }
        }
        if forwards {
            read.reverse();
        }
        assert_eq!(read, expected, "{most} bytes, forwards: {forwards}");
    }
}

/// All calls, read in pages.
async fn calls_by_page(audit: &dyn AuditLog, limit: usize, max_bytes: Option<usize>) -> Vec<CallRecords> {
    let (mut calls, mut before) = (Vec::new(), None);
    loop {
        let query = AuditQuery { limit, before, max_bytes, ..AuditQuery::default() };
        let page = search_calls(audit, query).await.expect("searching works");
        assert!(page.calls.len() <= limit);
        let before_last = page.calls.split_last().map_or(&[][..], |(_, calls)| calls);
        let bytes: usize = before_last.iter().flat_map(|call| &call.rows).map(ChainRow::size).sum();
        assert!(max_bytes.is_none_or(|most| bytes < most), "{bytes} of {max_bytes:?}");
        calls.extend(page.calls);
        before = page.next;
        if before.is_none() {
            return calls;
        }
    }
}

pub(super) async fn calls_are_listed_once_with_their_rows(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let work = mixed_work(&harness).await;
    let all = newest_first(all_rows(&harness).await);
    let audit = harness.0.audit.as_ref();
    let pages = [(1, None), (2, None), (3, None), (100, None), (100, Some(1)), (100, Some(5000))];
    for (limit, max_bytes) in pages {
        let calls = calls_by_page(audit, limit, max_bytes).await;
        // Every row is in exactly one place, and calls are in the order of their newest rows.
        let mut rows: Vec<ChainRow> = calls.iter().flat_map(|call| call.rows.clone()).collect();
        rows = newest_first(rows);
        assert_eq!(rows, all, "{limit}");
        let newest: Vec<_> =
            calls.iter().map(|call| newest_first(call.rows.clone()).swap_remove(0)).collect();
        assert_eq!(newest, newest_first(newest.clone()), "{limit}");
        // Four questions, three calls without one, and the change of a file.
        assert_eq!(calls.len(), 8, "{limit}");
    }
    let found = async |query: AuditQuery| search_calls(audit, query).await.expect("searching works").calls;
    let outcomes = |calls: &[CallRecords]| -> Vec<Option<CallOutcome>> {
        calls.iter().map(|call| call.summary().map(|summary| summary.outcome)).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    // A match of one record lists the call with all of them.
    let denied = found(AuditQuery { text: text("friday on"), ..AuditQuery::default() }).await;
    assert_eq!(outcomes(&denied), [Some(CallOutcome::Denied)]);
    assert_eq!(denied[0].rows.len(), 2);
    let approved = found(AuditQuery { approval: Some(work.approved), ..AuditQuery::default() }).await;
    let [one] = approved.as_slice() else { panic!("{approved:?}") };
    let kinds: Vec<&str> = one.rows.iter().map(|row| row.kind.as_str()).collect();
    assert_eq!(kinds, ["question", "outcome", "claim", "execution"]);
    let summary = one.summary().expect("it has a question");
    assert_eq!((summary.outcome, summary.by.as_deref()), (CallOutcome::Approved, Some("Ada")));
    assert_eq!((summary.answered_after_ms, summary.failed), (Some(2000), Some(false)));
    assert_eq!(summary.ran_ms, Some(2000));
    let others = found(AuditQuery { kind: text("verdict"), ..AuditQuery::default() }).await;
    let expected = [CallOutcome::DeniedByRule, CallOutcome::Allowed, CallOutcome::Allowed].map(Some);
    assert_eq!(outcomes(&others), expected);
    let ended = found(AuditQuery { kind: text("outcome"), decision: text("deny"), ..AuditQuery::default() });
    let expected = [CallOutcome::Aborted, CallOutcome::Expired, CallOutcome::Denied].map(Some);
    assert_eq!(outcomes(&ended.await), expected);
    let rules = found(AuditQuery { kind: text("rules"), ..AuditQuery::default() }).await;
    assert_eq!(outcomes(&rules), [None]);
}

pub(super) async fn statistics_of_a_time_span(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    mixed_work(&harness).await;
    let stats = harness
        .0
        .audit
        .stats(seconds_after_start(0), seconds_after_start(7200))
        .await
        .expect("counting works");
    let hour = |seconds, allowed, asked, denied| HourStats {
        at: seconds_after_start(seconds),
        allowed,
        asked,
        denied,
        ..HourStats::default()
    };
    let first = HourStats { approved: 1, rejected: 1, answer_p50_ms: Some(2000), ..hour(0, 2, 4, 0) };
    assert_eq!(stats.hours, [first, hour(3600, 0, 0, 1)]);
    let deploy = AskedTool { tool: "deploy".into(), times: 4, approved: 1, denied: 1, expired: 1 };
    assert_eq!(stats.asked, [deploy]);
    assert_eq!(stats.commands, [], "no shell");
    let answers: Vec<(Option<u64>, u64)> = stats.answers.iter().map(|b| (b.up_to_ms, b.times)).collect();
    assert_eq!(answers.len(), 11);
    assert_eq!(answers[1..4], [(Some(2000), 1), (Some(5000), 1), (Some(10_000), 0)]);
    assert_eq!(stats.outcomes, OutcomeCounts { approved: 1, denied: 1, expired: 1, aborted: 1 });
    assert_eq!(
        stats.answer_ms,
        Some(Percentiles { p50: 2000, p90: 4000, p99: 4000 }),
        "people's answers only"
    );
    assert_eq!(stats.rows, harness.entries().await.len() as u64);
    assert!(stats.bytes > 0);
    let later = harness
        .0
        .audit
        .stats(seconds_after_start(3600), seconds_after_start(7200))
        .await
        .expect("counting works");
    assert_eq!((later.hours.len(), later.asked.len(), later.answer_ms), (1, 0, None));
    assert_eq!(later.outcomes, OutcomeCounts::default());
}

fn shell(id: &str, command: &str, at: i64) -> Approval {
    let call = Call { tool: "Bash".into(), input: json!({ "command": command }), ..call(id) };
    pending_approval(call, caller(), seconds_after_start(at), Some(60))
}

/// A row in the old format, in which approvals did not name their commands.
fn old_row(at: i64, kind: RecordKind, approval: ApprovalId, body: Value) -> AuditEntry {
    let (approval, tool) = (Some(approval), Some("bash".into()));
    AuditEntry { kind, approval, tool, body, ..line(at, "before") }
}

pub(super) async fn most_confirmed_commands(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let pushed = shell("1", "cd /work/project && ls && git push origin main && git push --tags", 0);
    let both = shell("2", "rm -rf x; /usr/bin/git push", 1);
    let removed = shell("3", "rm y", 2);
    let later = shell("4", "npm run build", 3600);
    for question in [&pushed, &both, &removed, &later] {
        harness.ask(question, 1).await;
    }
    harness
        .done(
            pushed.id,
            answer_trigger(&pushed, Answer::approve(), None, seconds_after_start(5)),
            seconds_after_start(5),
        )
        .await;
    harness
        .done(
            both.id,
            answer_trigger(&both, Answer::deny(), None, seconds_after_start(6)),
            seconds_after_start(6),
        )
        .await;
    let old = ApprovalId::new(seconds_after_start(7));
    let message = json!({ "message": "bash: cd /work && git push" });
    let lines = vec![
        old_row(7, RecordKind::Question, old, message),
        old_row(8, RecordKind::Outcome, old, json!({ "state": "approved" })),
    ];
    harness.0.audit.import_spool(WriteAccess::TESTS, SPOOL, 1, lines).await.expect("taking in works");
    let command = |command: &str, times, approved, denied| {
        let (command, tool) = (command.to_owned(), "bash".to_owned());
        AskedCommand { command, tool, times, approved, denied }
    };
    let stats = harness
        .0
        .audit
        .stats(seconds_after_start(0), seconds_after_start(7200))
        .await
        .expect("counting works");
    assert_eq!(
        stats.commands,
        [command("git push", 3, 2, 1), command("rm", 2, 0, 1), command("npm run build", 1, 0, 0)]
    );
    let stats = harness
        .0
        .audit
        .stats(seconds_after_start(3600), seconds_after_start(7200))
        .await
        .expect("counting works");
    assert_eq!(stats.commands, [command("npm run build", 1, 0, 0)], "of the span alone");
}
