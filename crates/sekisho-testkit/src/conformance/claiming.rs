//! Taking an answer.

use jiff::Timestamp;
use sekisho_gate::ExecutionId;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval::{Approval, Claimed};
use sekisho_gate::asker::Asker;
use sekisho_gate::machine::{Claim, Happening, Said};
use sekisho_gate::record::{Change, Kind};

use super::Backend;
use super::desk::Desk;
use crate::fixtures::{after, answered, asker, call, question};
use crate::inspect::ExecutionRow;

/// A question that was answered at the first second.
async fn settled(desk: &Desk, call_id: &str, asker: Asker, answer: Answer) -> Approval {
    let approval = question(call(call_id), asker, after(0), Some(120));
    desk.ask(&approval, 1).await;
    desk.done(approval.id, answered(&approval, answer, None, after(1)), after(1)).await
}

fn new(at: Timestamp) -> ExecutionId {
    ExecutionId::new(at)
}

pub(super) async fn an_answer_is_taken_once(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = settled(&desk, "1", asker(), Answer::approve()).await;
    let execution = new(after(2));
    let step = desk.run(approval.id, execution, after(2)).await;
    assert_eq!((step.said, step.changed), (Said::Done, true));
    let claimed = Claimed { at: after(2), execution: Some(execution), void: None };
    assert_eq!(desk.get(approval.id).await.fate.claimed, Some(claimed));

    for (seconds, execution) in [(2, execution), (3, new(after(3))), (100, new(after(100)))] {
        let step = desk.run(approval.id, execution, after(seconds)).await;
        assert_eq!((step.said, step.changed), (Said::Taken, false));
    }
    let (tool, input) = (approval.asked.call.tool.clone(), approval.asked.call.input.clone());
    let row = ExecutionRow {
        id: execution,
        approval: Some(approval.id),
        tool: tool.clone(),
        input,
        started_at: after(2),
        ending: None,
    };
    assert_eq!(desk.0.inspect.executions().await, [row]);
    let credential = Some(approval.asked.asker.credential.clone());
    let started = Change::Started { execution, tool, approval: Some(approval.id), credential };
    assert_eq!(desk.changes().await[2..], [started]);
    let kinds: Vec<Kind> = desk.entries().await.iter().map(|entry| entry.kind.clone()).collect();
    assert_eq!(kinds, [Kind::Question, Kind::Outcome, Kind::Claim]);
}

pub(super) async fn a_remote_asker_is_told_again(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = settled(&desk, "1", Asker::remote("token-1"), Answer::approve()).await;
    assert_eq!(desk.run(approval.id, new(after(2)), after(2)).await.said, Said::Done);
    let before = desk.written().await;
    assert_eq!(desk.run(approval.id, new(after(3)), after(62)).await.said, Said::Same);
    assert_eq!(desk.run(approval.id, new(after(4)), after(63)).await.said, Said::Taken);
    assert_eq!(desk.written().await, before, "it runs once, however often it is told");
}

pub(super) async fn a_refusal_is_told_and_runs_nothing(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = settled(&desk, "1", asker(), Answer::deny()).await;
    let run = desk.run(approval.id, new(after(2)), after(2)).await;
    assert_eq!((run.said, run.changed), (Said::Conflict, false));
    let told = desk.done(approval.id, Happening::Claimed(Claim::Refusal), after(3)).await;
    assert_eq!(told.fate.claimed, Some(Claimed { at: after(3), execution: None, void: None }));
    assert_eq!(desk.run(approval.id, new(after(4)), after(4)).await.said, Said::Taken);
    assert_eq!(desk.0.inspect.executions().await, []);
    assert_eq!(desk.changes().await.len(), 2, "that a refusal was told is a line and no event");
    assert_eq!(desk.entries().await.len(), 3);
}

pub(super) async fn an_answer_that_no_longer_holds_runs_nothing(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = settled(&desk, "1", asker(), Answer::approve()).await;
    let void = Claim::Void("a file that was shown has changed".into());
    let turned = desk.done(approval.id, Happening::Claimed(void), after(2)).await;
    assert_eq!(desk.get(approval.id).await, turned);
    assert_eq!(desk.run(approval.id, new(after(3)), after(3)).await.said, Said::Taken);
    assert_eq!(desk.0.inspect.executions().await, []);
}

pub(super) async fn a_claim_whose_execution_is_there_already_changes_nothing(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let first = settled(&desk, "1", asker(), Answer::approve()).await;
    let second = settled(&desk, "2", asker(), Answer::approve()).await;
    let execution = new(after(2));
    desk.run(first.id, execution, after(2)).await;
    let before = desk.written().await;
    let claim = Happening::Claimed(Claim::Run(execution));
    assert!(
        desk.0.ledger.step(WriteAccess::TESTS, second.id, claim, after(3)).await.is_err(),
        "one run is one execution"
    );
    assert_eq!(desk.get(second.id).await, second);
    assert_eq!(desk.written().await, before);
}
