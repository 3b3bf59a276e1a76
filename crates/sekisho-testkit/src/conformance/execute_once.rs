//! Calls of durable runs: at most one execution begins under a key, however the call came.

use sekisho_gate::WriteAccess;

use sekisho_gate::answer::Answer;
use sekisho_gate::approval_machine::StepOutcome;
use sekisho_gate::caller::Caller;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::{
    Admission, AdmissionOutcome, CallReference, Execution, ExecutionOutcome, OpenOutcome, SpentKey,
};
use sekisho_gate::{Digest, ExecutionId};
use sekisho_policy::{Call, Effect};
use serde_json::json;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{
    admission, answer_trigger, call, caller, new_approval, pending_approval, replica, seconds_after_start,
};

/// A caller whose run outlives its process.
fn durable() -> Caller {
    caller().durable()
}

fn allowed(call_id: &str, second: i64) -> Admission {
    admission(call(call_id), durable(), seconds_after_start(second), Effect::Allow)
}

fn execution_of(admission: &Admission) -> ExecutionId {
    admission.execution.expect("an allowed call runs")
}

async fn admit(harness: &StoreHarness, admission: &Admission) -> AdmissionOutcome {
    harness.0.ledger.admit(WriteAccess::TESTS, admission.clone()).await.expect("admitting works")
}

fn ended(second: i64) -> ExecutionOutcome {
    ExecutionOutcome {
        at: seconds_after_start(second),
        is_error: true,
        output: Some("not run".into()),
        duration_ms: None,
        exit: None,
    }
}

pub(super) async fn allowed_call_is_admitted_once(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = allowed("1", 1);
    assert_eq!(admit(&harness, &first).await, AdmissionOutcome::New);
    let before = harness.written().await;
    let spent = SpentKey { execution: execution_of(&first), digest: first.call.digest };
    assert_eq!(admit(&harness, &allowed("1", 2)).await, AdmissionOutcome::Spent(spent));
    let asked = pending_approval(call("1"), durable(), seconds_after_start(3), None);
    assert_eq!(
        harness.open(&asked, 1).await,
        OpenOutcome::Spent(spent),
        "a question does not begin it anew either"
    );
    assert_eq!(harness.written().await, before);
    assert_eq!(admit(&harness, &allowed("2", 4)).await, AdmissionOutcome::New, "another call is another");
}

pub(super) async fn only_local_durable_calls_spend_a_key(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let remote = Caller::remote("token-1").durable();
    let unnamed = Call { run_id: None, conversation: None, ..call("1") };
    for (number, (call, asker)) in
        [(call("1"), caller()), (call("1"), remote), (unnamed, durable())].into_iter().enumerate()
    {
        let second = i64::try_from(number).expect("a small number") * 2;
        for second in [second, second + 1] {
            let again = admission(call.clone(), asker.clone(), seconds_after_start(second), Effect::Allow);
            assert_eq!(admit(&harness, &again).await, AdmissionOutcome::New);
        }
    }
}

pub(super) async fn denied_call_spends_no_key(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let denied = admission(call("1"), durable(), seconds_after_start(1), Effect::Deny);
    assert_eq!(admit(&harness, &denied).await, AdmissionOutcome::New);
    assert_eq!(admit(&harness, &allowed("1", 2)).await, AdmissionOutcome::New);
}

pub(super) async fn denied_call_is_told_that_it_ran(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = allowed("1", 1);
    assert_eq!(admit(&harness, &first).await, AdmissionOutcome::New);
    let before = harness.written().await;
    let denied = admission(call("1"), durable(), seconds_after_start(2), Effect::Deny);
    let spent = SpentKey { execution: execution_of(&first), digest: first.call.digest };
    assert_eq!(admit(&harness, &denied).await, AdmissionOutcome::Spent(spent));
    assert_eq!(harness.written().await, before);
    let other = Call { input: json!({ "to": "elsewhere" }), ..call("1") };
    let other = admission(other, durable(), seconds_after_start(3), Effect::Deny);
    assert_eq!(
        admit(&harness, &other).await,
        AdmissionOutcome::New,
        "a denied call with another call's id is recorded"
    );
}

pub(super) async fn claimed_answer_spends_the_key(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), durable(), seconds_after_start(0), None);
    harness.ask(&approval, 1).await;
    let edited = Answer::approve().with_input(json!({ "to": "elsewhere" }));
    harness
        .done(
            approval.id,
            answer_trigger(&approval, edited, Some(Effect::Confirm), seconds_after_start(1)),
            seconds_after_start(1),
        )
        .await;
    let execution = ExecutionId::new(seconds_after_start(2));
    assert_eq!(
        harness.run(approval.id, execution, seconds_after_start(2)).await.outcome,
        StepOutcome::Changed
    );
    // Calls are told apart by the request, not by an edited input.
    let spent = SpentKey { execution, digest: approval.asked.digest };
    assert_eq!(admit(&harness, &allowed("1", 3)).await, AdmissionOutcome::Spent(spent));
    let again = pending_approval(call("1"), durable(), seconds_after_start(4), None);
    assert_eq!(harness.open(&again, 1).await, OpenOutcome::Spent(spent));
}

pub(super) async fn approve_is_void_if_the_key_was_spent(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), durable(), seconds_after_start(0), None);
    harness.ask(&approval, 1).await;
    let first = allowed("1", 1);
    assert_eq!(admit(&harness, &first).await, AdmissionOutcome::New, "nobody has answered");
    harness
        .done(
            approval.id,
            answer_trigger(&approval, Answer::approve(), None, seconds_after_start(2)),
            seconds_after_start(2),
        )
        .await;
    let step =
        harness.run(approval.id, ExecutionId::new(seconds_after_start(3)), seconds_after_start(3)).await;
    let claimed = step.approval.fate.claimed.expect("it was taken");
    assert_eq!((claimed.execution, claimed.void.is_some()), (None, true));
    let executions = harness.0.inspect.executions().await;
    assert_eq!(executions.iter().map(|row| row.id).collect::<Vec<_>>(), [execution_of(&first)]);
}

pub(super) async fn earlier_answer_beats_a_later_rule(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let remote = || Caller::remote("token-1").durable();
    for (number, asker) in [durable(), remote(), caller()].into_iter().enumerate() {
        let second = i64::try_from(number).expect("a small number") * 10;
        for (effect, answer) in [("yes", Answer::approve()), ("no", Answer::deny())] {
            let call = call(&format!("{effect} {number}"));
            let approval = pending_approval(call.clone(), asker.clone(), seconds_after_start(second), None);
            harness.ask(&approval, 1).await;
            harness
                .done(
                    approval.id,
                    answer_trigger(&approval, answer, None, seconds_after_start(second + 1)),
                    seconds_after_start(second + 1),
                )
                .await;
            let before = harness.written().await;
            let later =
                admission(call.clone(), asker.clone(), seconds_after_start(second + 2), Effect::Allow);
            assert_eq!(admit(&harness, &later).await, AdmissionOutcome::Answered(approval.id));
            let other = Call { input: json!({ "to": "elsewhere" }), ..call.clone() };
            let other = admission(other, asker.clone(), seconds_after_start(second + 3), Effect::Allow);
            if number == 0 {
                assert_eq!(admit(&harness, &other).await, AdmissionOutcome::Conflict(approval.id));
                assert_eq!(harness.written().await, before);
            } else {
                assert_eq!(
                    admit(&harness, &other).await,
                    AdmissionOutcome::New,
                    "the answer is to another call"
                );
            }
            let denied = admission(call, asker.clone(), seconds_after_start(second + 4), Effect::Deny);
            assert_eq!(admit(&harness, &denied).await, AdmissionOutcome::New, "what is denied stays denied");
        }
    }
}

pub(super) async fn approval_without_a_durable_key_permits_no_durable_call(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    for (number, other) in [caller(), Caller::remote("token-1").durable()].into_iter().enumerate() {
        let other = Caller { credential: durable().credential, ..other };
        let call = || call(&number.to_string());
        let approval = pending_approval(call(), other, seconds_after_start(0), None);
        harness.ask(&approval, 1).await;
        let own = pending_approval(call(), durable(), seconds_after_start(1), None);
        assert!(
            matches!(harness.open(&own, 1).await, OpenOutcome::Conflict(found) if found.id == approval.id)
        );
        harness
            .done(
                approval.id,
                answer_trigger(&approval, Answer::approve(), None, seconds_after_start(2)),
                seconds_after_start(2),
            )
            .await;
        let own = pending_approval(call(), durable(), seconds_after_start(3), None);
        assert_eq!(harness.open(&own, 1).await, OpenOutcome::New);
    }
}

pub(super) async fn answer_is_void_if_its_execution_was_never_permitted(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), durable(), seconds_after_start(0), None);
    harness.ask(&approval, 1).await;
    harness
        .done(
            approval.id,
            answer_trigger(&approval, Answer::approve(), None, seconds_after_start(1)),
            seconds_after_start(1),
        )
        .await;
    let execution = ExecutionId::new(seconds_after_start(2));
    assert_eq!(
        harness.run(approval.id, execution, seconds_after_start(2)).await.outcome,
        StepOutcome::Changed
    );
    assert_eq!(harness.0.ledger.retract(WriteAccess::TESTS, execution, ended(3)).await, Ok(true));
    let found = harness.0.ledger.approval(approval.id).await.expect("reading works").expect("it is there");
    let claimed = found.fate.claimed.expect("it was taken");
    assert_eq!((claimed.execution, claimed.void.as_deref()), (None, Some("not run")));
    let again = pending_approval(call("1"), durable(), seconds_after_start(4), None);
    assert_eq!(harness.open(&again, 1).await, OpenOutcome::New, "it is asked anew");
}

pub(super) async fn claimed_denial_is_found_again(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), durable(), seconds_after_start(0), None);
    harness.ask(&approval, 1).await;
    harness
        .done(
            approval.id,
            answer_trigger(&approval, Answer::deny(), None, seconds_after_start(1)),
            seconds_after_start(1),
        )
        .await;
    let again = pending_approval(call("1"), durable(), seconds_after_start(100_000), None);
    assert!(matches!(harness.open(&again, 1).await, OpenOutcome::Answered(found) if found.id == approval.id));
    let other = Call { input: json!({ "to": "elsewhere" }), ..call("1") };
    let other = pending_approval(other, durable(), seconds_after_start(100_001), None);
    assert!(matches!(harness.open(&other, 1).await, OpenOutcome::Conflict(found) if found.id == approval.id));
}

pub(super) async fn unpermitted_execution_frees_its_key(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = allowed("1", 1);
    admit(&harness, &first).await;
    let retract = |ending| harness.0.ledger.retract(WriteAccess::TESTS, execution_of(&first), ending);
    assert_eq!(retract(ended(2)).await, Ok(true));
    assert_eq!(retract(ended(3)).await, Ok(false), "it has ended before");
    assert_eq!(harness.0.inspect.executions().await[0].ending, Some(ended(2)));
    assert_eq!(admit(&harness, &allowed("1", 4)).await, AdmissionOutcome::New);
}

pub(super) async fn spent_key_stays_spent_after_reopening(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = allowed("1", 1);
    admit(&harness, &first).await;
    harness
        .0
        .ledger
        .finish(WriteAccess::TESTS, execution_of(&first), ended(2))
        .await
        .expect("finishing works");
    let harness = StoreHarness(backend.reopen(harness.0).await);
    let spent = SpentKey { execution: execution_of(&first), digest: first.call.digest };
    assert_eq!(admit(&harness, &allowed("1", 3)).await, AdmissionOutcome::Spent(spent));
}

pub(super) async fn many_submissions_make_one_execution(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let tasks = (0..8).map(|second| {
        let ledger = harness.0.ledger.clone();
        let submission = allowed("1", second);
        Box::pin(async move {
            ledger.admit(WriteAccess::TESTS, submission).await.map(drop).expect("admitting works")
        }) as _
    });
    backend.at_once(tasks.collect()).await;
    assert_eq!(harness.0.inspect.executions().await.len(), 1);
    assert_eq!(harness.0.inspect.calls().await.len(), 1, "what finds it spent writes nothing");
}

pub(super) async fn executions_are_found_with_their_owner(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let first = admission(call("1"), caller(), seconds_after_start(1), Effect::Allow);
    let second = admission(call("1"), caller(), seconds_after_start(2), Effect::Allow);
    let other = admission(call("1"), Caller::remote("token-2"), seconds_after_start(3), Effect::Allow);
    for one in [&first, &second, &other] {
        admit(&harness, one).await;
    }
    let harness = StoreHarness(backend.reopen(harness.0).await);
    let ending = ExecutionOutcome {
        at: seconds_after_start(9),
        is_error: false,
        output: Some("関所\n".into()),
        duration_ms: Some(5),
        exit: None,
    };
    assert_eq!(
        harness.0.ledger.finish(WriteAccess::TESTS, execution_of(&first), ending.clone()).await,
        Ok(true)
    );
    let expected = |admission: &Admission, credential: &str, second, ending| Execution {
        id: execution_of(admission),
        credential: credential.to_owned(),
        tool: "deploy".into(),
        approval: None,
        started_at: seconds_after_start(second),
        began_at: None,
        sandbox: None,
        outcome: ending,
    };
    let found = async |id| harness.0.ledger.execution(id).await.expect("reading works");
    let own = caller().credential;
    assert_eq!(found(execution_of(&first)).await, Some(expected(&first, &own, 1, Some(ending))));
    assert_eq!(found(execution_of(&other)).await, Some(expected(&other, "token-2", 3, None)));
    assert_eq!(found(ExecutionId::new(seconds_after_start(4))).await, None);

    let name = CallReference::of(&own, &call("1")).expect("it has an id");
    let latest = async |name: &CallReference| {
        harness.0.ledger.latest_execution(name.clone()).await.expect("reading works")
    };
    assert_eq!(latest(&name).await, second.execution, "the newest of that credential");
    assert_eq!(latest(&CallReference { run_id: Some("another".into()), ..name.clone() }).await, None);
    assert_eq!(latest(&CallReference { call_id: "2".into(), ..name }).await, None);
}

pub(super) async fn schema_is_stored_by_tool_and_version(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let schema = InputSchema::new(json!({ "type": "object", "title": "関所" })).expect("a sound schema");
    for (call_id, second) in [("1", 1), ("2", 2)] {
        let approval = pending_approval(call(call_id), caller(), seconds_after_start(second), Some(120));
        let mut opening = new_approval(&approval, replica(1));
        opening.schema = Some(schema.clone());
        assert_eq!(harness.0.ledger.open(WriteAccess::TESTS, opening).await, Ok(OpenOutcome::New));
    }
    let harness = StoreHarness(backend.reopen(harness.0).await);
    let found = async |tool: &str, version| harness.0.ledger.input_schema(tool.to_owned(), version).await;
    assert_eq!(found("deploy", schema.version()).await, Ok(Some(schema.schema().clone())));
    assert_eq!(found("deploy", Digest([0; 32])).await, Ok(None));
    assert_eq!(found("other", schema.version()).await, Ok(None));

    // It stays as long as an open approval may be about the tool.
    let purge =
        async |second| harness.0.audit.purge(seconds_after_start(second)).await.expect("purging works");
    purge(10_000).await;
    assert!(found("deploy", schema.version()).await.expect("reading works").is_some());
    harness.sweep(1, seconds_after_start(200)).await;
    purge(10_000).await;
    assert_eq!(found("deploy", schema.version()).await, Ok(None));
}
