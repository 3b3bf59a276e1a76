//! Stored data is there, complete, after the process is gone.

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Answer;
use sekisho_gate::approval::EditedCall;
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, StepOutcome};
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::{ExecutionOutcome, Ledger, OpenOutcome, Snapshot};
use sekisho_gate::record::EventPayload;
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::{Call, Effect};
use sekisho_testkit::fixtures;
use serde_json::{Value, json};

use crate::harness::{
    TempDatabase, admission, answered, ask, at, call, line, new_approval, question, replica, send, wait, yes,
};

#[test]
fn approval_survives_a_restart_unchanged() {
    let place = TempDatabase::new();
    let odd =
        json!({ "a": [0.1, 1e300, -0.0, 5e-324, 123_456_789.123_456_79], "\u{202e}é": null, "n": u64::MAX });
    let asked = [
        question(call("1", json!({ "a": 0.1 + 0.2 })), Caller::remote("me"), at(0)),
        question(
            Call::new("mcp__x", Value::Null).on_server("x").by_agent("bot"),
            Caller::in_process("you").durable(),
            at(1),
        ),
    ];
    // Numbers without a digest cannot have an approval, but they can be admitted and stored.
    let mut admitted =
        fixtures::admission(call("3", Value::Null), Caller::in_process("me"), at(2), Effect::Allow);
    admitted.call.call.input = odd.clone();
    {
        let store = place.store();
        for approval in &asked {
            assert_eq!(
                wait(store.open(WriteAccess::TESTS, new_approval(approval, replica()))),
                Ok(OpenOutcome::New)
            );
        }
        wait(store.admit(WriteAccess::TESTS, admitted)).unwrap();
    }
    let store = place.store();
    assert_eq!(wait(store.snapshot()), Ok(Snapshot { seq: 3, pending: asked.to_vec() }));
    assert_eq!(wait(store.approval(asked[1].id)), Ok(Some(asked[1].clone())));
    assert_eq!(wait(store.pending(Some(asked[0].id), 9)), Ok(vec![asked[1].clone()]));
    assert_eq!(wait(store.approval(ApprovalId::new(at(0)))), Ok(None));
    let input: String = place
        .other()
        .query_row("SELECT input FROM calls WHERE id IN (SELECT call FROM tool_executions)", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(serde_json::from_str::<Value>(&input).unwrap(), odd);
    let doubled = "SELECT count(*) FROM approvals WHERE json_type(asked, '$.call.input') IS NOT NULL";
    assert_eq!(place.other().query_row(doubled, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn events_have_no_gap_whatever_fails() {
    let place = TempDatabase::new();
    let store = place.store();
    let first = ask("1", at(0));
    wait(store.open(WriteAccess::TESTS, new_approval(&first, replica()))).unwrap();
    // The same call id twice: undone with everything written before the conflict was noticed.
    let mut twice = admission(at(1));
    twice.call.id = first.asked.call_id;
    let refused = wait(store.admit(WriteAccess::TESTS, twice)).unwrap_err();
    assert!(!refused.transient && refused.message.contains("ledger.db"), "{refused}");
    wait(store.append_records(WriteAccess::TESTS, vec![line(1), line(2)])).unwrap();
    wait(store.step(WriteAccess::TESTS, first.id, yes(), at(2))).unwrap();
    let events = wait(store.events(0, 100)).unwrap();
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(events[3].change, EventPayload::Resolved { id: first.id, state: "approved".into() });
    assert_eq!(wait(store.events(2, 1)).unwrap(), events[2..3]);
    assert_eq!(wait(store.events(u64::MAX, 1)).unwrap(), []);
    assert_eq!(*store.head().borrow(), 4);
}

#[test]
fn edited_answer_runs_with_the_edited_input() {
    let place = TempDatabase::new();
    let store = place.store();
    let first = ask("1", at(0));
    wait(store.open(WriteAccess::TESTS, new_approval(&first, replica()))).unwrap();
    let input = json!({ "to": "somebody else" });
    let edited = EditedCall {
        call_id: CallId::new(at(1)),
        digest: first.asked.digest,
        verdict: first.asked.verdict.clone(),
    };
    let ApprovalTrigger::Answered { answer, by, .. } =
        answered(Answer::approve().with_input(input.clone()), "Ann")
    else {
        unreachable!()
    };
    let happening = ApprovalTrigger::Answered { answer, by, edited: Some(Box::new(edited.clone())) };
    assert_eq!(
        wait(store.step(WriteAccess::TESTS, first.id, happening, at(1))).unwrap().unwrap().outcome,
        StepOutcome::Changed
    );

    let execution = ExecutionId::new(at(2));
    let claim = ApprovalTrigger::Claimed(Claim::Run(execution));
    assert_eq!(
        wait(store.step(WriteAccess::TESTS, first.id, claim.clone(), at(2))).unwrap().unwrap().outcome,
        StepOutcome::Changed
    );
    assert_eq!(
        wait(store.step(WriteAccess::TESTS, first.id, claim, at(2))).unwrap().unwrap().outcome,
        StepOutcome::AlreadyClaimed
    );

    let db = place.other();
    let (run, of): (String, uuid::Uuid) = db
        .query_row(
            "SELECT c.input, e.call FROM tool_executions e JOIN calls c ON c.id = e.call WHERE e.id = ?1",
            [execution.0],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!((serde_json::from_str::<Value>(&run).unwrap(), of), (input, edited.call_id.0));

    let output = Some("no".into());
    let ending = ExecutionOutcome { at: at(3), is_error: true, output, duration_ms: Some(7), exit: None };
    assert_eq!(wait(store.finish(WriteAccess::TESTS, execution, ending.clone())), Ok(true));
    assert_eq!(wait(store.finish(WriteAccess::TESTS, execution, ending)), Ok(false));
    let open: i64 =
        db.query_row("SELECT count(*) FROM calls WHERE ended_at IS NULL", [], |row| row.get(0)).unwrap();
    assert_eq!(open, 0);
    let who = "SELECT kind || ' ' || coalesce(approver, '-') || ' ' || text FROM audit_log ORDER BY seq";
    let lines: Vec<String> =
        db.prepare(who).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(
        lines[1..],
        ["outcome Ann approved by Ann (phone)", "claim - allowed to run", "execution - failed"]
    );
    let last = wait(store.events(0, 100)).unwrap().pop().unwrap();
    let EventPayload::Finished { execution: ended, is_error, approval: asked, .. } = last.change else {
        panic!("{last:?}");
    };
    assert_eq!((ended, is_error, asked), (execution, true, Some(first.id)));
}

#[test]
fn dropped_future_is_still_written() {
    let place = TempDatabase::new();
    let store = place.store();
    let other = place.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for _ in 0..20 {
        drop(send(store.admit(WriteAccess::TESTS, admission(at(0)))));
    }
    std::thread::scope(|scope| {
        let dropping = scope.spawn(move || drop(store));
        other.execute_batch("COMMIT").unwrap();
        dropping.join().unwrap();
    });
    assert_eq!(place.count("calls"), 20);
}

#[test]
fn row_edited_by_hand_is_rejected() {
    let place = TempDatabase::new();
    let store = place.store();
    let first = ask("1", at(0));
    wait(store.open(WriteAccess::TESTS, new_approval(&first, replica()))).unwrap();
    place.other().execute("UPDATE approvals SET state = 'approved'", []).unwrap();
    let error = wait(store.approval(first.id)).unwrap_err();
    assert!(!error.transient && error.message.contains("by hand"), "{error}");
    place.other().execute("UPDATE approvals SET state = 'pending'", []).unwrap();
    place.other().execute("UPDATE calls SET input = NULL", []).unwrap();
    let error = wait(store.step(WriteAccess::TESTS, first.id, yes(), at(1))).unwrap_err();
    assert!(!error.transient && error.message.contains("the input of its call is missing"), "{error}");
}

#[test]
fn value_that_does_not_round_trip_is_not_written() {
    let place = TempDatabase::new();
    let store = place.store();
    let deep = (0..200).fold(Value::Null, |inner, _| json!([inner]));
    let asked = ask("1", at(0));
    wait(store.open(WriteAccess::TESTS, new_approval(&asked, replica()))).unwrap();
    let error = wait(store.step(
        WriteAccess::TESTS,
        asked.id,
        answered(Answer::approve().with_input(deep), "Ann"),
        at(1),
    ))
    .unwrap_err();
    assert!(!error.transient, "{error}");
    assert_eq!(
        wait(store.step(WriteAccess::TESTS, asked.id, yes(), at(2))).unwrap().unwrap().outcome,
        StepOutcome::Changed
    );
}
