//! Past calls as they were judged.

use sekisho_gate::WriteAccess;

use sekisho_gate::answer::Answer;
use sekisho_gate::approval::{Approval, ApprovalRequest};
use sekisho_gate::ledger::{ExecutionOutcome, PastCall, StoredCall};
use sekisho_gate::record;
use sekisho_gate::{CallId, Digest, ExecutionId};
use sekisho_policy::{Call, Decision, Effect, Fact, FactQuery, Facts, IdClaim};
use serde_json::json;

use super::Backend;
use super::harness::{ALL, StoreHarness};
use crate::fixtures::{
    admission, answer_trigger, call, caller, new_approval, pending_approval, replica, seconds_after_start,
    verdict,
};

fn facts() -> Facts {
    vec![(FactQuery::Resolve("/work/é".into()), Fact::Resolved("/mnt/é".into()))].into()
}

/// A call whose ids are proven.
fn proven(call_id: &str) -> Call {
    Call {
        agent: Some(IdClaim::proven("builder")),
        server: Some(IdClaim::proven("sérver\u{0}")),
        workspace: Some("w".into()),
        run_id: Some("r".into()),
        ..call(call_id)
    }
}

/// The same as stored when there was no approval.
fn claimed(call_id: &str) -> Call {
    Call {
        agent: Some(IdClaim::claimed("builder")),
        server: Some(IdClaim::claimed("sérver\u{0}")),
        ..proven(call_id)
    }
}

/// A call that a rule decides, judged with facts.
async fn admit(
    harness: &StoreHarness,
    call: Call,
    seconds: i64,
    effect: Effect,
) -> (CallId, Option<ExecutionId>) {
    let mut admission = admission(call, caller(), seconds_after_start(seconds), effect);
    let mut verdict = verdict(&admission.call.call, Some(effect), seconds_after_start(seconds));
    verdict.facts = facts();
    admission.call.facts = facts();
    let StoredCall { id, call, asker, .. } = &admission.call;
    admission.record =
        record::verdict_record(admission.at, (*id, call), asker, &verdict, admission.execution);
    let (id, execution) = (*id, admission.execution);
    harness.0.ledger.admit(WriteAccess::TESTS, admission).await.expect("admitting works");
    (id, execution)
}

/// An approval, judged with facts.
async fn ask(harness: &StoreHarness, call: Call, seconds: i64) -> Approval {
    let mut approval = pending_approval(call, caller(), seconds_after_start(seconds), Some(60));
    let mut asked = ApprovalRequest::clone(&approval.asked);
    asked.verdict.facts = facts();
    approval.asked = asked.into();
    harness.ask(&approval, 1).await;
    approval
}

async fn past(harness: &StoreHarness, limit: usize) -> Vec<PastCall> {
    harness.0.ledger.past_calls(limit).await.expect("looking back works")
}

pub(super) async fn calls_are_listed_as_judged(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(past(&harness, ALL).await, []);
    let (allowed, _) = admit(&harness, proven("a"), 1, Effect::Allow).await;
    let approval = ask(&harness, proven("q"), 2).await;
    let edit = Answer::approve().with_input(json!({ "target": "staging" }));
    harness
        .done(
            approval.id,
            answer_trigger(&approval, edit, None, seconds_after_start(3)),
            seconds_after_start(3),
        )
        .await;
    harness.run(approval.id, ExecutionId::new(seconds_after_start(4)), seconds_after_start(4)).await;
    let (denied, _) = admit(&harness, proven("d"), 5, Effect::Deny).await;
    let judged = |id, seconds, call, decision, approval| PastCall {
        id,
        at: seconds_after_start(seconds),
        call,
        credential: caller().credential,
        decision,
        facts: facts(),
        approval,
    };
    let expected = [
        judged(denied, 5, claimed("d"), Decision::Deny, None),
        judged(approval.asked.call_id, 2, proven("q"), Decision::Confirm, Some(approval.id)),
        judged(allowed, 1, claimed("a"), Decision::Allow, None),
    ];
    assert_eq!(past(&harness, ALL).await, expected, "once each, as asked and not as edited");
    assert_eq!(past(&harness, 2).await, expected[..2]);
    assert_eq!(past(&harness, 0).await, []);
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!(past(&harness, ALL).await, expected, "after it was opened again");
}

/// Facts contain parts of the input: the audit log has neither, past calls have both until they are purged.
pub(super) async fn facts_are_raw_in_the_call_and_masked_in_the_log(backend: &dyn Backend) {
    const SECRET: &str = "hunter2-hunter2";
    let harness = StoreHarness::fresh(backend).await;
    let named = |call_id: &str| Call {
        input: json!({ "command": format!("deploy --token {SECRET}") }),
        ..proven(call_id)
    };
    let found: Facts =
        vec![(FactQuery::Resolve(format!("/w/{SECRET}")), Fact::Resolved(format!("/w/{SECRET}")))].into();
    let mut admission = admission(named("a"), caller(), seconds_after_start(1), Effect::Deny);
    let mut verdict = verdict(&admission.call.call, Some(Effect::Deny), seconds_after_start(1));
    verdict.facts = found.clone();
    admission.call.facts = found.clone();
    let StoredCall { id, call, asker: by, .. } = &admission.call;
    admission.record = record::verdict_record(admission.at, (*id, call), by, &verdict, None);
    harness.0.ledger.admit(WriteAccess::TESTS, admission).await.expect("admitting works");
    let mut approval = pending_approval(named("q"), caller(), seconds_after_start(2), Some(60));
    let mut asked = ApprovalRequest::clone(&approval.asked);
    asked.verdict.facts = found.clone();
    approval.asked = asked.into();
    harness.ask(&approval, 1).await;
    let answer = Answer::deny().with_reason(format!("not with {SECRET}"));
    harness
        .done(
            approval.id,
            answer_trigger(&approval, answer, None, seconds_after_start(3)),
            seconds_after_start(3),
        )
        .await;
    let past = past(&harness, ALL).await;
    assert!(past.len() == 2 && past.iter().all(|past| past.facts == found), "{past:?}");
    let rows = harness.0.audit.rows(None, ALL).await.expect("reading works");
    assert!(rows.iter().any(|row| row.body.contains("[masked:")), "{rows:?}");
    assert!(rows.iter().all(|row| !format!("{row:?}").contains(SECRET)), "{rows:?}");
}

pub(super) async fn purged_calls_are_left_out(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (_, ran) = admit(&harness, proven("a"), 1, Effect::Allow).await;
    let ending = ExecutionOutcome {
        at: seconds_after_start(2),
        is_error: false,
        output: None,
        duration_ms: None,
        exit: None,
    };
    let finished =
        harness.0.ledger.finish(WriteAccess::TESTS, ran.expect("an allowed call runs"), ending).await;
    assert_eq!(finished, Ok(true));
    let ended = ask(&harness, proven("q"), 2).await;
    harness
        .done(
            ended.id,
            answer_trigger(&ended, Answer::deny(), None, seconds_after_start(3)),
            seconds_after_start(3),
        )
        .await;
    let open = ask(&harness, proven("open"), 4).await;
    admit(&harness, proven("d"), 5, Effect::Deny).await;
    assert_eq!(past(&harness, ALL).await.len(), 4);
    assert_eq!(harness.0.audit.purge(seconds_after_start(65)).await, Ok(2));
    let left: Vec<_> = past(&harness, ALL).await.into_iter().map(|past| past.call.call_id).collect();
    assert_eq!(left, [Some("d".to_owned()), Some("open".to_owned())]);
    assert_eq!(past(&harness, 1).await.len(), 1);
    assert!(harness.get(open.id).await.is_pending());
}

pub(super) async fn older_record_has_no_facts(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(proven("q"), caller(), seconds_after_start(1), Some(60));
    let mut old = new_approval(&approval, replica(1));
    old.record.entry.body = json!({ "message": "deploy" });
    harness.0.ledger.open(WriteAccess::TESTS, old).await.expect("asking works");
    let mut admission = admission(proven("a"), caller(), seconds_after_start(2), Effect::Deny);
    let digest = Digest::of(&admission.call.call).expect("an input that can be told exactly");
    assert_eq!(admission.call.digest, digest);
    admission.record.entry.body = json!(["facts"]);
    harness.0.ledger.admit(WriteAccess::TESTS, admission).await.expect("admitting works");
    let all = past(&harness, ALL).await;
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|past| past.facts == Facts::default()), "{all:?}");
}
