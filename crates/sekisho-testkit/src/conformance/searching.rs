//! What was written is found.

use sekisho_gate::WriteAccess;

use sekisho_gate::ApprovalId;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval::Approval;
use sekisho_gate::audit::{Asked, AskedCommand, Hour, Outcomes, Query, Row, Spread};
use sekisho_gate::record::{Entry, Kind};
use sekisho_policy::Call;
use serde_json::{Value, json};

use super::Backend;
use super::auditing::{SPOOL, all_rows, line, mixed_work};
use super::desk::Desk;
use crate::fixtures::{after, answered, asker, call, question, rules_changed};

async fn found(desk: &Desk, query: Query) -> Vec<Row> {
    desk.0.audit.search(query).await.expect("searching works")
}

fn newest_first(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|row| std::cmp::Reverse((row.at_us, row.writer, row.seq)));
    rows
}

pub(super) async fn every_field_finds_its_rows(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let work = mixed_work(&desk).await;
    desk.0
        .audit
        .take_in(WriteAccess::TESTS, SPOOL, 1, vec![line(20, "taken IN")])
        .await
        .expect("taking in works");
    let all = newest_first(all_rows(&desk).await);
    let text = |text: &str| Some(text.to_owned());
    let is = |value: &Option<String>, wanted: &str| value.as_deref() == Some(wanted);
    let none = Query::default;
    type Fits<'a> = Box<dyn Fn(&Row) -> bool + Send + Sync + 'a>;
    let searches: Vec<(Query, usize, Fits<'_>)> = vec![
        (none(), 15, Box::new(|_| true)),
        (Query { tool: text("publish"), ..none() }, 2, Box::new(|row| is(&row.tool, "publish"))),
        (Query { decision: text("allow"), ..none() }, 3, Box::new(|row| is(&row.decision, "allow"))),
        (Query { kind: text("outcome"), ..none() }, 4, Box::new(|row| row.kind == "outcome")),
        (
            Query { agent: text("builder"), kind: text("outcome"), ..none() },
            4,
            Box::new(|row| is(&row.agent, "builder") && row.kind == "outcome"),
        ),
        (Query { approver: text("Ada"), ..none() }, 2, Box::new(|row| is(&row.approver, "Ada"))),
        (
            Query { approval: Some(work.approved), kind: text("claim"), ..none() },
            1,
            Box::new(|row| row.approval == Some(work.approved.0) && row.kind == "claim"),
        ),
        (
            Query { tool: text("deploy"), decision: text("deny"), ..none() },
            3,
            Box::new(|row| is(&row.tool, "deploy") && is(&row.decision, "deny")),
        ),
        (Query { text: text("TAKEN in"), ..none() }, 1, Box::new(|row| row.text == "taken IN")),
        (Query { text: text("on a friday"), ..none() }, 1, Box::new(|row| row.body.contains("On A Friday"))),
        (Query { text: text("nowhere 関所"), ..none() }, 0, Box::new(|_| false)),
        (
            Query { from: Some(after(2)), to: Some(after(9)), ..none() },
            6,
            Box::new(|row| (after(2)..after(9)).contains(&row.at())),
        ),
        (Query { tool: text("publis"), ..none() }, 0, Box::new(|_| false)),
    ];
    for (query, times, fits) in searches {
        let rows = found(&desk, query.clone()).await;
        let expected: Vec<Row> = all.iter().filter(|row| fits(row)).cloned().collect();
        assert_eq!((&rows, rows.len()), (&expected, times), "{query:?}");
    }
}

pub(super) async fn pages_turn_and_rows_are_followed(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    mixed_work(&desk).await;
    // Rows of two chains at the same moments.
    desk.0
        .audit
        .take_in(WriteAccess::TESTS, SPOOL, 1, vec![line(0, "a"), line(0, "b"), line(9, "c")])
        .await
        .expect("it works");
    let all = newest_first(all_rows(&desk).await);
    let place = |row: &Row| (row.at(), row.writer, row.seq);
    let (mut back, mut forth): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
    loop {
        let page = found(&desk, Query { before: back.last().map(place), limit: 4, ..Query::default() }).await;
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 4);
        back.extend(page);
    }
    assert_eq!(back, all);
    let oldest = all.last().expect("there are rows").clone();
    forth.push(oldest);
    loop {
        let page = found(&desk, Query { after: forth.last().map(place), limit: 4, ..Query::default() }).await;
        if page.is_empty() {
            break;
        }
        forth.extend(page);
    }
    forth.reverse();
    assert_eq!(forth, all, "following goes the other way");
    desk.0
        .ledger
        .note(WriteAccess::TESTS, vec![rules_changed(after(9000), "new")])
        .await
        .expect("noting works");
    let news = found(&desk, Query { after: all.first().map(place), ..Query::default() }).await;
    assert_eq!(news.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["new"]);
}

pub(super) async fn a_span_of_time_in_numbers(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    mixed_work(&desk).await;
    let stats = desk.0.audit.stats(after(0), after(7200)).await.expect("counting works");
    let hour = |seconds, allowed, asked, denied| Hour {
        at: after(seconds),
        allowed,
        asked,
        denied,
        ..Hour::default()
    };
    let first = Hour { approved: 1, rejected: 1, answer_p50_ms: Some(2000), ..hour(0, 2, 4, 0) };
    assert_eq!(stats.hours, [first, hour(3600, 0, 0, 1)]);
    let deploy = Asked { tool: "deploy".into(), times: 4, approved: 1, denied: 1, expired: 1 };
    assert_eq!(stats.asked, [deploy]);
    assert_eq!(stats.commands, [], "no shell");
    let answers: Vec<(Option<u64>, u64)> = stats.answers.iter().map(|b| (b.up_to_ms, b.times)).collect();
    assert_eq!(answers.len(), 11);
    assert_eq!(answers[1..4], [(Some(2000), 1), (Some(5000), 1), (Some(10_000), 0)]);
    assert_eq!(stats.outcomes, Outcomes { approved: 1, denied: 1, expired: 1, aborted: 1 });
    assert_eq!(stats.answer_ms, Some(Spread { p50: 2000, p90: 4000, p99: 4000 }), "people's answers only");
    assert_eq!(stats.rows, desk.entries().await.len() as u64);
    assert!(stats.bytes > 0);
    let later = desk.0.audit.stats(after(3600), after(7200)).await.expect("counting works");
    assert_eq!((later.hours.len(), later.asked.len(), later.answer_ms), (1, 0, None));
    assert_eq!(later.outcomes, Outcomes::default());
}

fn shell(id: &str, command: &str, at: i64) -> Approval {
    let call = Call { tool: "Bash".into(), input: json!({ "command": command }), ..call(id) };
    question(call, asker(), after(at), Some(60))
}

/// A row as it was before questions named their commands.
fn old_row(at: i64, kind: Kind, approval: ApprovalId, body: Value) -> Entry {
    let (approval, tool) = (Some(approval), Some("bash".into()));
    Entry { kind, approval, tool, body, ..line(at, "before") }
}

pub(super) async fn the_commands_that_were_asked_about(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let pushed = shell("1", "cd /work/project && ls && git push origin main && git push --tags", 0);
    let both = shell("2", "rm -rf x; /usr/bin/git push", 1);
    let removed = shell("3", "rm y", 2);
    let later = shell("4", "npm run build", 3600);
    for question in [&pushed, &both, &removed, &later] {
        desk.ask(question, 1).await;
    }
    desk.done(pushed.id, answered(&pushed, Answer::approve(), None, after(5)), after(5)).await;
    desk.done(both.id, answered(&both, Answer::deny(), None, after(6)), after(6)).await;
    let old = ApprovalId::new(after(7));
    let message = json!({ "message": "bash: cd /work && git push" });
    let lines = vec![
        old_row(7, Kind::Question, old, message),
        old_row(8, Kind::Outcome, old, json!({ "state": "approved" })),
    ];
    desk.0.audit.take_in(WriteAccess::TESTS, SPOOL, 1, lines).await.expect("taking in works");
    let command = |command: &str, times, approved, denied| {
        let (command, tool) = (command.to_owned(), "bash".to_owned());
        AskedCommand { command, tool, times, approved, denied }
    };
    let stats = desk.0.audit.stats(after(0), after(7200)).await.expect("counting works");
    assert_eq!(
        stats.commands,
        [command("git push", 3, 2, 1), command("rm", 2, 0, 1), command("npm run build", 1, 0, 0)]
    );
    let stats = desk.0.audit.stats(after(3600), after(7200)).await.expect("counting works");
    assert_eq!(stats.commands, [command("npm run build", 1, 0, 0)], "of the span alone");
}
