//! Calls of durable runs: at most one execution begins under a key, whichever way the call came.

use sekisho_gate::WriteAccess;

use sekisho_gate::answer::Answer;
use sekisho_gate::asker::Asker;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::{Admission, Admitted, CallName, Ending, Execution, Opened, Spent};
use sekisho_gate::machine::Said;
use sekisho_gate::{Digest, ExecutionId};
use sekisho_policy::{Call, Effect};
use serde_json::json;

use super::Backend;
use super::desk::Desk;
use crate::fixtures::{admission, after, answered, asker, call, opening, question, replica};

/// One whose run outlives its process.
fn durable() -> Asker {
    asker().durable()
}

fn allowed(call_id: &str, second: i64) -> Admission {
    admission(call(call_id), durable(), after(second), Effect::Allow)
}

fn execution_of(admission: &Admission) -> ExecutionId {
    admission.execution.expect("an allowed call runs")
}

async fn admit(desk: &Desk, admission: &Admission) -> Admitted {
    desk.0.ledger.admit(WriteAccess::TESTS, admission.clone()).await.expect("admitting works")
}

fn ended(second: i64) -> Ending {
    Ending { at: after(second), is_error: true, output: Some("not run".into()), duration_ms: None }
}

pub(super) async fn an_allowed_call_is_admitted_once(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let first = allowed("1", 1);
    assert_eq!(admit(&desk, &first).await, Admitted::New);
    let before = desk.written().await;
    let spent = Spent { execution: execution_of(&first), digest: first.call.digest };
    assert_eq!(admit(&desk, &allowed("1", 2)).await, Admitted::Spent(spent));
    let asked = question(call("1"), durable(), after(3), None);
    assert_eq!(desk.open(&asked, 1).await, Opened::Spent(spent), "a question does not begin it anew either");
    assert_eq!(desk.written().await, before);
    assert_eq!(admit(&desk, &allowed("2", 4)).await, Admitted::New, "another call is another");
}

pub(super) async fn only_durable_calls_of_this_process_are_held_to_it(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let remote = Asker::remote("token-1").durable();
    let unnamed = Call { run_id: None, conversation: None, ..call("1") };
    for (number, (call, asker)) in
        [(call("1"), asker()), (call("1"), remote), (unnamed, durable())].into_iter().enumerate()
    {
        let second = i64::try_from(number).expect("a small number") * 2;
        for second in [second, second + 1] {
            let again = admission(call.clone(), asker.clone(), after(second), Effect::Allow);
            assert_eq!(admit(&desk, &again).await, Admitted::New);
        }
    }
}

pub(super) async fn a_call_that_is_turned_back_spends_nothing(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let denied = admission(call("1"), durable(), after(1), Effect::Deny);
    assert_eq!(admit(&desk, &denied).await, Admitted::New);
    assert_eq!(admit(&desk, &allowed("1", 2)).await, Admitted::New);
}

pub(super) async fn a_call_that_is_turned_back_finds_that_it_ran(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let first = allowed("1", 1);
    assert_eq!(admit(&desk, &first).await, Admitted::New);
    let before = desk.written().await;
    let denied = admission(call("1"), durable(), after(2), Effect::Deny);
    let spent = Spent { execution: execution_of(&first), digest: first.call.digest };
    assert_eq!(admit(&desk, &denied).await, Admitted::Spent(spent));
    assert_eq!(desk.written().await, before);
    let other = Call { input: json!({ "to": "elsewhere" }), ..call("1") };
    let other = admission(other, durable(), after(3), Effect::Deny);
    assert_eq!(
        admit(&desk, &other).await,
        Admitted::New,
        "what is denied under another's id is on the record"
    );
}

pub(super) async fn a_claimed_answer_spends_the_key(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = question(call("1"), durable(), after(0), None);
    desk.ask(&approval, 1).await;
    let edited = Answer::approve().with_input(json!({ "to": "elsewhere" }));
    desk.done(approval.id, answered(&approval, edited, Some(Effect::Confirm), after(1)), after(1)).await;
    let execution = ExecutionId::new(after(2));
    assert_eq!(desk.run(approval.id, execution, after(2)).await.said, Said::Done);
    // What was asked tells calls apart, not what an answer made of it.
    let spent = Spent { execution, digest: approval.asked.digest };
    assert_eq!(admit(&desk, &allowed("1", 3)).await, Admitted::Spent(spent));
    let again = question(call("1"), durable(), after(4), None);
    assert_eq!(desk.open(&again, 1).await, Opened::Spent(spent));
}

pub(super) async fn a_yes_is_void_where_the_key_was_spent(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = question(call("1"), durable(), after(0), None);
    desk.ask(&approval, 1).await;
    let first = allowed("1", 1);
    assert_eq!(admit(&desk, &first).await, Admitted::New, "nobody has answered");
    desk.done(approval.id, answered(&approval, Answer::approve(), None, after(2)), after(2)).await;
    let step = desk.run(approval.id, ExecutionId::new(after(3)), after(3)).await;
    let claimed = step.approval.fate.claimed.expect("it was taken");
    assert_eq!((claimed.execution, claimed.void.is_some()), (None, true));
    let executions = desk.0.inspect.executions().await;
    assert_eq!(executions.iter().map(|row| row.id).collect::<Vec<_>>(), [execution_of(&first)]);
}

pub(super) async fn an_answer_goes_before_a_rule_that_came_later(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let remote = || Asker::remote("token-1").durable();
    for (number, asker) in [durable(), remote(), asker()].into_iter().enumerate() {
        let second = i64::try_from(number).expect("a small number") * 10;
        for (effect, answer) in [("yes", Answer::approve()), ("no", Answer::deny())] {
            let call = call(&format!("{effect} {number}"));
            let approval = question(call.clone(), asker.clone(), after(second), None);
            desk.ask(&approval, 1).await;
            desk.done(approval.id, answered(&approval, answer, None, after(second + 1)), after(second + 1))
                .await;
            let before = desk.written().await;
            let later = admission(call.clone(), asker.clone(), after(second + 2), Effect::Allow);
            assert_eq!(admit(&desk, &later).await, Admitted::Answered(approval.id));
            let other = Call { input: json!({ "to": "elsewhere" }), ..call.clone() };
            let other = admission(other, asker.clone(), after(second + 3), Effect::Allow);
            if number == 0 {
                assert_eq!(admit(&desk, &other).await, Admitted::Conflict(approval.id));
                assert_eq!(desk.written().await, before);
            } else {
                assert_eq!(admit(&desk, &other).await, Admitted::New, "the answer is to another call");
            }
            let denied = admission(call, asker.clone(), after(second + 4), Effect::Deny);
            assert_eq!(admit(&desk, &denied).await, Admitted::New, "what is denied stays denied");
        }
    }
}

pub(super) async fn a_question_that_spends_no_key_lets_nothing_run_under_one(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    for (number, other) in [asker(), Asker::remote("token-1").durable()].into_iter().enumerate() {
        let other = Asker { credential: durable().credential, ..other };
        let call = || call(&number.to_string());
        let approval = question(call(), other, after(0), None);
        desk.ask(&approval, 1).await;
        let own = question(call(), durable(), after(1), None);
        assert!(matches!(desk.open(&own, 1).await, Opened::Conflict(found) if found.id == approval.id));
        desk.done(approval.id, answered(&approval, Answer::approve(), None, after(2)), after(2)).await;
        let own = question(call(), durable(), after(3), None);
        assert_eq!(desk.open(&own, 1).await, Opened::New);
    }
}

pub(super) async fn an_answer_is_void_where_its_execution_was_never_permitted(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = question(call("1"), durable(), after(0), None);
    desk.ask(&approval, 1).await;
    desk.done(approval.id, answered(&approval, Answer::approve(), None, after(1)), after(1)).await;
    let execution = ExecutionId::new(after(2));
    assert_eq!(desk.run(approval.id, execution, after(2)).await.said, Said::Done);
    assert_eq!(desk.0.ledger.retract(WriteAccess::TESTS, execution, ended(3)).await, Ok(true));
    let found = desk.0.ledger.approval(approval.id).await.expect("reading works").expect("it is there");
    let claimed = found.fate.claimed.expect("it was taken");
    assert_eq!((claimed.execution, claimed.void.as_deref()), (None, Some("not run")));
    let again = question(call("1"), durable(), after(4), None);
    assert_eq!(desk.open(&again, 1).await, Opened::New, "it is asked anew");
}

pub(super) async fn a_refusal_that_was_taken_is_found_again(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = question(call("1"), durable(), after(0), None);
    desk.ask(&approval, 1).await;
    desk.done(approval.id, answered(&approval, Answer::deny(), None, after(1)), after(1)).await;
    let again = question(call("1"), durable(), after(100_000), None);
    assert!(matches!(desk.open(&again, 1).await, Opened::Answered(found) if found.id == approval.id));
    let other = Call { input: json!({ "to": "elsewhere" }), ..call("1") };
    let other = question(other, durable(), after(100_001), None);
    assert!(matches!(desk.open(&other, 1).await, Opened::Conflict(found) if found.id == approval.id));
}

pub(super) async fn what_was_never_permitted_frees_its_key(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let first = allowed("1", 1);
    admit(&desk, &first).await;
    let retract = |ending| desk.0.ledger.retract(WriteAccess::TESTS, execution_of(&first), ending);
    assert_eq!(retract(ended(2)).await, Ok(true));
    assert_eq!(retract(ended(3)).await, Ok(false), "it has ended before");
    assert_eq!(desk.0.inspect.executions().await[0].ending, Some(ended(2)));
    assert_eq!(admit(&desk, &allowed("1", 4)).await, Admitted::New);
}

pub(super) async fn a_spent_key_stays_spent_after_reopening(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let first = allowed("1", 1);
    admit(&desk, &first).await;
    desk.0.ledger.finish(WriteAccess::TESTS, execution_of(&first), ended(2)).await.expect("finishing works");
    let desk = Desk(backend.reopen(desk.0).await);
    let spent = Spent { execution: execution_of(&first), digest: first.call.digest };
    assert_eq!(admit(&desk, &allowed("1", 3)).await, Admitted::Spent(spent));
}

pub(super) async fn many_submissions_are_one_execution(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let tasks = (0..8).map(|second| {
        let ledger = desk.0.ledger.clone();
        let submission = allowed("1", second);
        Box::pin(async move {
            ledger.admit(WriteAccess::TESTS, submission).await.map(drop).expect("admitting works")
        }) as _
    });
    backend.at_once(tasks.collect()).await;
    assert_eq!(desk.0.inspect.executions().await.len(), 1);
    assert_eq!(desk.0.inspect.calls().await.len(), 1, "what finds it spent writes nothing");
}

pub(super) async fn executions_are_found_with_their_owner(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let first = admission(call("1"), asker(), after(1), Effect::Allow);
    let second = admission(call("1"), asker(), after(2), Effect::Allow);
    let other = admission(call("1"), Asker::remote("token-2"), after(3), Effect::Allow);
    for one in [&first, &second, &other] {
        admit(&desk, one).await;
    }
    let desk = Desk(backend.reopen(desk.0).await);
    let ending =
        Ending { at: after(9), is_error: false, output: Some("関所\n".into()), duration_ms: Some(5) };
    assert_eq!(
        desk.0.ledger.finish(WriteAccess::TESTS, execution_of(&first), ending.clone()).await,
        Ok(true)
    );
    let expected = |admission: &Admission, credential: &str, second, ending| Execution {
        id: execution_of(admission),
        credential: credential.to_owned(),
        tool: "deploy".into(),
        approval: None,
        started_at: after(second),
        ending,
    };
    let found = async |id| desk.0.ledger.execution(id).await.expect("reading works");
    let own = asker().credential;
    assert_eq!(found(execution_of(&first)).await, Some(expected(&first, &own, 1, Some(ending))));
    assert_eq!(found(execution_of(&other)).await, Some(expected(&other, "token-2", 3, None)));
    assert_eq!(found(ExecutionId::new(after(4))).await, None);

    let name = CallName::of(&own, &call("1")).expect("it has an id");
    let latest =
        async |name: &CallName| desk.0.ledger.latest_execution(name.clone()).await.expect("reading works");
    assert_eq!(latest(&name).await, second.execution, "the newest of that credential");
    assert_eq!(latest(&CallName { run_id: Some("another".into()), ..name.clone() }).await, None);
    assert_eq!(latest(&CallName { call_id: "2".into(), ..name }).await, None);
}

pub(super) async fn a_schema_is_kept_by_tool_and_version(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let schema = InputSchema::new(json!({ "type": "object", "title": "関所" })).expect("a sound schema");
    for (call_id, second) in [("1", 1), ("2", 2)] {
        let approval = question(call(call_id), asker(), after(second), Some(120));
        let mut opening = opening(&approval, replica(1));
        opening.schema = Some(schema.clone());
        assert_eq!(desk.0.ledger.open(WriteAccess::TESTS, opening).await, Ok(Opened::New));
    }
    let desk = Desk(backend.reopen(desk.0).await);
    let found = async |tool: &str, version| desk.0.ledger.input_schema(tool.to_owned(), version).await;
    assert_eq!(found("deploy", schema.version()).await, Ok(Some(schema.schema().clone())));
    assert_eq!(found("deploy", Digest([0; 32])).await, Ok(None));
    assert_eq!(found("other", schema.version()).await, Ok(None));

    // It is there as long as somebody may be asked about the tool.
    let purge = async |second| desk.0.audit.purge(after(second)).await.expect("purging works");
    purge(10_000).await;
    assert!(found("deploy", schema.version()).await.expect("reading works").is_some());
    desk.sweep(1, after(200)).await;
    purge(10_000).await;
    assert_eq!(found("deploy", schema.version()).await, Ok(None));
}
