//! Lists of approvals: their order, filters and pages.

use sekisho_gate::answer::Answer;
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::ApprovalQuery;
use serde_json::json;

use super::Backend;
use super::harness::{ALL, StoreHarness};
use crate::fixtures::{answer_trigger, call, caller, pending_approval, seconds_after_start};

pub(super) async fn five(harness: &StoreHarness) -> Vec<Approval> {
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
