//! Reading snapshots, and the events since.

use sekisho_gate::WriteAccess;

use sekisho_gate::ExecutionId;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::ApprovalQuery;
use sekisho_policy::Effect;
use serde_json::json;

use super::Backend;
use super::harness::{ALL, StoreHarness};
use crate::fixtures::{
    admission, answer_trigger, call, caller, pending_approval, rules_changed_record, seconds_after_start,
    stored_rule,
};

async fn five(harness: &StoreHarness) -> Vec<Approval> {
    let mut all = Vec::new();
    for seconds in 0..5 {
        let approval =
            pending_approval(call(&seconds.to_string()), caller(), seconds_after_start(seconds), Some(120));
        harness.ask(&approval, 1).await;
        all.push(approval);
    }
    all
}

pub(super) async fn pending_approvals_are_ordered_and_paged(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let all = five(&harness).await;
    let page = |after, limit| harness.0.ledger.pending(after, limit);
    assert_eq!(page(None, ALL).await, Ok(all.clone()));
    assert_eq!(page(None, 2).await, Ok(all[..2].to_vec()));
    assert_eq!(page(Some(all[1].id), 2).await, Ok(all[2..4].to_vec()));
    assert_eq!(page(Some(all[3].id), 2).await, Ok(all[4..].to_vec()));
    assert_eq!(page(Some(all[4].id), 2).await, Ok(vec![]));
    assert_eq!(page(None, 0).await, Ok(vec![]));
}

pub(super) async fn page_continues_after_an_ended_approval(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let all = five(&harness).await;
    for index in [1, 3] {
        let approval = &all[index];
        harness
            .done(
                approval.id,
                answer_trigger(approval, Answer::approve(), None, seconds_after_start(9)),
                seconds_after_start(9),
            )
            .await;
    }
    let rest = harness.0.ledger.pending(Some(all[1].id), ALL).await.expect("listing works");
    assert_eq!(rest, [all[2].clone(), all[4].clone()]);
}

pub(super) async fn snapshot_names_its_last_event(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(harness.snapshot().await, sekisho_gate::ledger::Snapshot::default());
    let all = five(&harness).await;
    harness.done(all[2].id, ApprovalTrigger::WaitersLeft, seconds_after_start(9)).await;
    let snapshot = harness.snapshot().await;
    assert_eq!(snapshot.seq, 6);
    assert_eq!(snapshot.pending, [0, 1, 3, 4].map(|index: usize| all[index].clone()));
    // A record without an event does not increase it.
    let mut record = rules_changed_record(seconds_after_start(9), "a line");
    record.event = None;
    harness.0.ledger.append_records(WriteAccess::TESTS, vec![record]).await.expect("noting works");
    assert_eq!(harness.snapshot().await.seq, 6);
}

pub(super) async fn events_have_no_gap(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    for round in 0..10 {
        mixed(&harness, round).await;
    }
    let events = harness.events().await;
    assert_eq!(events.len(), 90);
    assert!(events.iter().map(|event| event.seq).eq(1..=90), "counted from 1 without a gap");
    assert!(events.iter().map(|event| event.at).is_sorted(), "in the order they happened");
    assert_eq!(harness.snapshot().await.seq, 90);
    let page = |after, limit| harness.0.ledger.events(after, limit);
    assert_eq!(page(0, 7).await, Ok(events[..7].to_vec()));
    assert_eq!(page(41, 9).await, Ok(events[41..50].to_vec()));
    assert_eq!(page(89, 9).await, Ok(events[89..].to_vec()));
    assert_eq!(page(90, 9).await, Ok(vec![]));
    assert_eq!(page(u64::from(u32::MAX), 9).await, Ok(vec![]));
}

/// Nine events, and some operations that make none.
async fn mixed(harness: &StoreHarness, round: i64) {
    let at = |step: i64| seconds_after_start(round * 1000 + step);
    let asked =
        |name: &str, step| pending_approval(call(&format!("{name}{round}")), caller(), at(step), Some(120));
    let (first, second) = (asked("a", 0), asked("b", 1));
    harness.ask(&first, 1).await;
    harness.ask(&second, 1).await;
    harness.open(&asked("a", 2), 2).await;
    let approve = answer_trigger(&first, Answer::approve(), None, at(3));
    harness.done(first.id, approve.clone(), at(3)).await;
    harness.step(first.id, approve, at(4)).await;
    let execution = ExecutionId::new(at(5));
    harness.run(first.id, execution, at(5)).await;
    let ending = sekisho_gate::ledger::ExecutionOutcome {
        at: at(6),
        is_error: false,
        output: None,
        duration_ms: None,
        exit: None,
    };
    assert_eq!(harness.0.ledger.finish(WriteAccess::TESTS, execution, ending).await, Ok(true));
    for (step, effect) in [(7, Effect::Allow), (8, Effect::Deny)] {
        harness
            .0
            .ledger
            .admit(WriteAccess::TESTS, admission(call("x"), caller(), at(step), effect))
            .await
            .expect("admitting works");
    }
    let rule = stored_rule("deploy", Effect::Confirm, at(9));
    harness
        .0
        .rules
        .add(WriteAccess::TESTS, vec![rule], rules_changed_record(at(9), "a rule was made"))
        .await
        .expect("adding works");
    harness.sweep(1, at(10)).await;
    assert_eq!(harness.sweep(1, at(121)).await.ended, [second.id]);
}

pub(super) async fn event_head_grows(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let mut head = harness.0.ledger.head();
    assert_eq!(*head.borrow(), 0);
    let all = five(&harness).await;
    assert_eq!(*head.wait_for(|head| *head >= 5).await.expect("the ledger is open"), 5);
    harness.done(all[0].id, ApprovalTrigger::WaitersLeft, seconds_after_start(9)).await;
    assert_eq!(*head.wait_for(|head| *head >= 6).await.expect("the ledger is open"), 6);
    assert_eq!(*harness.0.ledger.head().borrow(), 6, "a new listener starts at the current head");
}

/// Nine approvals of two credentials: the first three were denied, the next three left.
async fn nine(harness: &StoreHarness) -> Vec<Approval> {
    let mut all = Vec::new();
    for number in 0..9 {
        let credential = if number % 3 == 0 { "tökèn \u{0}" } else { "token-1" };
        // Some are opened at the same time.
        let (call, at) = (call(&number.to_string()), seconds_after_start(number / 2));
        let approval = pending_approval(call, Caller::in_process(credential), at, Some(120));
        harness.ask(&approval, 1).await;
        let approval = match number {
            0..3 => harness.done(approval.id, answer_trigger(&approval, Answer::deny(), None, at), at).await,
            3..6 => harness.done(approval.id, ApprovalTrigger::WaitersLeft, at).await,
            _ => approval,
        };
        all.push(approval);
    }
    all
}

async fn found(harness: &StoreHarness, query: ApprovalQuery) -> Vec<Approval> {
    harness.0.ledger.approvals(query).await.expect("listing works")
}

pub(super) async fn approvals_are_found_by_every_filter(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(found(&harness, ApprovalQuery::default()).await, []);
    let all = nine(&harness).await;
    let text = |text: &str| Some(text.to_owned());
    let none = ApprovalQuery::default;
    let denied = || ApprovalQuery { state: text("denied"), ..none() };
    let of_token = || ApprovalQuery { credential: text("tökèn \u{0}"), ..none() };
    let cases: Vec<(ApprovalQuery, Vec<usize>)> = vec![
        (none(), vec![8, 7, 6, 5, 4, 3, 2, 1, 0]),
        (denied(), vec![2, 1, 0]),
        (ApprovalQuery { state: text("aborted"), ..none() }, vec![5, 4, 3]),
        (ApprovalQuery { state: text("pending"), since: Some(seconds_after_start(4)), ..none() }, vec![8]),
        (ApprovalQuery { state: text("expired"), ..none() }, vec![]),
        (ApprovalQuery { state: text("no state"), ..none() }, vec![]),
        (of_token(), vec![6, 3, 0]),
        (ApprovalQuery { since: Some(seconds_after_start(1)), ..of_token() }, vec![6, 3]),
        (ApprovalQuery { credential: text("tökèn"), ..none() }, vec![]),
        (ApprovalQuery { state: text("denied"), ..of_token() }, vec![0]),
        (ApprovalQuery { credential: text("token-1"), ..denied() }, vec![2, 1]),
        (ApprovalQuery { since: Some(seconds_after_start(3)), ..none() }, vec![8, 7, 6]),
        (ApprovalQuery { since: Some(seconds_after_start(9)), ..none() }, vec![]),
        (ApprovalQuery { before: Some(all[3].id), ..none() }, vec![2, 1, 0]),
        (ApprovalQuery { before: Some(all[6].id), ..of_token() }, vec![3, 0]),
        (ApprovalQuery { before: Some(all[2].id), limit: 1, ..denied() }, vec![1]),
        (
            ApprovalQuery { before: Some(sekisho_gate::ApprovalId::new(seconds_after_start(0))), ..none() },
            vec![],
        ),
    ];
    for (query, expected) in cases {
        let expected: Vec<Approval> = expected.into_iter().map(|place| all[place].clone()).collect();
        assert_eq!(found(&harness, query.clone()).await, expected, "{query:?}");
    }
}

pub(super) async fn page_is_bounded_by_size(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let mut all = Vec::new();
    for number in 0..5 {
        let mut call = call(&number.to_string());
        // Small as text, large in memory.
        call.input = json!({ "a": vec![json!({ "": 0 }); 100] });
        let asked = pending_approval(call, caller(), seconds_after_start(number), Some(120));
        harness.ask(&asked, 1).await;
        all.insert(0, asked);
    }
    let one = all[0].asked.memory_size();
    assert!(one > 50_000, "{one}");
    let none = ApprovalQuery::default;
    for (heaviest, limit, count) in [
        (None, 0, 5),
        (Some(0), 0, 1),
        (Some(one - 1), 0, 1),
        (Some(one), 0, 2),
        (Some(3 * one), 0, 4),
        (Some(3 * one), 2, 2),
        (Some(9 * one), 0, 5),
    ] {
        let page = found(&harness, ApprovalQuery { max_bytes: heaviest, limit, ..none() }).await;
        assert_eq!(page, all[..count], "{heaviest:?} {limit}");
    }
}

pub(super) async fn approvals_are_paged_newest_first(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let mut all = Vec::new();
    for number in 0..103 {
        let asked = pending_approval(
            call(&number.to_string()),
            caller(),
            seconds_after_start(number / 10),
            Some(120),
        );
        harness.ask(&asked, 1).await;
        all.insert(0, asked);
    }
    let page = found(&harness, ApprovalQuery::default()).await;
    assert_eq!(page, all[..100], "the default page size is a hundred");
    let mut turned: Vec<Approval> = Vec::new();
    loop {
        let before = turned.last().map(|approval| approval.id);
        let page = found(&harness, ApprovalQuery { before, limit: 40, ..ApprovalQuery::default() }).await;
        if page.is_empty() {
            break;
        }
        turned.extend(page);
    }
    assert_eq!(turned, all);
}
