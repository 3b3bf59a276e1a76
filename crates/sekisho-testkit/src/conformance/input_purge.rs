//! Raw inputs are purged once they are no longer needed.

use sekisho_gate::WriteAccess;

use sekisho_gate::ExecutionId;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval::{Approval, ApprovalRequest};
use sekisho_gate::approval_machine::StepOutcome;
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_policy::{Fact, FactQuery};
use serde_json::{Value, json};

use super::Backend;
use super::audit_chains::{mixed_work, verify};
use super::harness::StoreHarness;
use crate::fixtures::{answer_trigger, audit_config, call, caller, pending_approval, seconds_after_start};

pub(super) async fn inputs_are_purged_after_the_end(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let audit = harness.0.audit.clone();
    let work = mixed_work(&harness).await;
    let first = harness.get(work.approved).await.asked.call_id;
    assert_eq!(audit.raw_input(first).await, Ok(Some(call("1").input)));
    let log = audit.rows(None, 1000).await.expect("reading works");
    assert_eq!(audit.purge(seconds_after_start(3)).await, Ok(0), "nothing ended that long ago");
    assert_eq!(audit.purge(seconds_after_start(1000)).await, Ok(4), "four questions ended");
    assert_eq!(audit.purge(seconds_after_start(1000)).await, Ok(0), "they are gone already");
    assert_eq!(audit.raw_input(first).await, Ok(None));
    assert!(audit.raw_input(work.ran).await.expect("reading works").is_some(), "it has not ended");
    assert!(audit.raw_input(work.refused).await.expect("reading works").is_some(), "it ended later");
    assert_eq!(audit.rows(None, 1000).await, Ok(log), "the log is what it was");
    verify(&harness, &audit_config().keys, &[]).await.expect("and verifies");
}

pub(super) async fn command_text_is_purged_everywhere(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let command = "curl -u admin:only-in-the-command https://example.com/ && rm -r only-in-the-command";
    let mut shell = call("s");
    shell.tool = "bash".into();
    shell.input = json!({ "command": command });
    let asked = pending_approval(shell, caller(), seconds_after_start(10), Some(60));
    assert!(!asked.asked.verdict.parts.is_empty(), "its parts are kept");
    harness.ask(&asked, 1).await;
    harness
        .done(
            asked.id,
            answer_trigger(&asked, Answer::deny(), None, seconds_after_start(11)),
            seconds_after_start(11),
        )
        .await;
    assert_eq!(harness.0.audit.purge(seconds_after_start(1000)).await, Ok(1));
    let left = harness.get(asked.id).await;
    let written = serde_json::to_string(&left).expect("it can be written");
    assert!(!written.contains("only-in-the-command"), "{written}");
    assert_eq!(left.asked.verdict.decision, asked.asked.verdict.decision);
}

pub(super) async fn facts_of_a_call_are_purged(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let mut shell = call("s");
    shell.tool = "bash".into();
    shell.input = json!({ "command": "mysql -uroot -pK4tzenklo77 shop" });
    let mut asked = pending_approval(shell, caller(), seconds_after_start(10), Some(60));
    let mut request = ApprovalRequest::clone(&asked.asked);
    let path = || String::from("/w/K4tzenklo77");
    request.verdict.facts.insert(FactQuery::Resolve(path()), Fact::Resolved(path()));
    asked.asked = request.into();
    harness.ask(&asked, 1).await;
    harness
        .done(
            asked.id,
            answer_trigger(&asked, Answer::deny(), None, seconds_after_start(11)),
            seconds_after_start(11),
        )
        .await;
    let written = |approval: &Approval| serde_json::to_string(approval).expect("it can be written");
    let before = written(&harness.get(asked.id).await);
    assert!(before.contains("/w/K4tzenklo77"), "{before}");
    assert_eq!(harness.0.audit.purge(seconds_after_start(1000)).await, Ok(1));
    let left = written(&harness.get(asked.id).await);
    assert!(!left.contains("K4tzenklo77"), "{left}");
}

/// Opened at the tenth second, approved with another input, run, and finished at the thirteenth.
async fn edited_and_run(harness: &StoreHarness, input: Value) -> (Approval, ExecutionId) {
    let asked = pending_approval(call("e"), caller(), seconds_after_start(10), Some(60));
    harness.ask(&asked, 1).await;
    let answer = Answer::approve().with_input(input);
    harness
        .done(
            asked.id,
            answer_trigger(&asked, answer, None, seconds_after_start(11)),
            seconds_after_start(11),
        )
        .await;
    let execution = ExecutionId::new(seconds_after_start(12));
    let run = harness.run(asked.id, execution, seconds_after_start(12)).await;
    let ending = ExecutionOutcome {
        at: seconds_after_start(13),
        is_error: false,
        output: Some("secret".into()),
        duration_ms: None,
        exit: None,
    };
    assert_eq!(harness.0.ledger.finish(WriteAccess::TESTS, execution, ending).await, Ok(true));
    (run.approval, execution)
}

pub(super) async fn edited_inputs_are_purged_too(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let audit = harness.0.audit.clone();
    let input = json!({ "target": "only in the edited input" });
    let (approval, execution) = edited_and_run(&harness, input.clone()).await;
    let other = approval.fate.state.answered().and_then(|answered| answered.edited.clone());
    let calls = [approval.asked.call_id, other.expect("the input was edited").call_id];
    assert_eq!(audit.raw_input(calls[1]).await, Ok(Some(input)));
    assert_eq!(
        audit.purge(seconds_after_start(1000)).await,
        Ok(2),
        "the call that was asked about and the one that ran"
    );
    for call in calls {
        assert_eq!(audit.raw_input(call).await, Ok(None));
    }
    let purged = harness.get(approval.id).await;
    assert_eq!((&purged.asked.call.input, purged.asked.shown.json.as_str()), (&Value::Null, ""));
    assert_eq!(purged.fate.state.answered().and_then(|answered| answered.answer.updated_input.clone()), None);
    assert_eq!(purged.fate.claimed.and_then(|claimed| claimed.execution), Some(execution));
    let runs = harness.0.inspect.executions().await;
    let run = runs.iter().find(|run| run.id == execution).expect("the execution is there");
    assert_eq!((&run.input, run.ending.as_ref().and_then(|end| end.output.clone())), (&Value::Null, None));
}

pub(super) async fn call_that_may_still_run_keeps_its_input(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (pending, approved) = (
        pending_approval(call("p"), caller(), seconds_after_start(0), None),
        pending_approval(call("a"), caller(), seconds_after_start(0), None),
    );
    harness.ask(&pending, 1).await;
    harness.ask(&approved, 1).await;
    let changed = Answer::approve().with_input(json!({ "target": "staging" }));
    let unclaimed = harness
        .done(
            approved.id,
            answer_trigger(&approved, changed, None, seconds_after_start(1)),
            seconds_after_start(1),
        )
        .await;
    assert_eq!(harness.0.audit.purge(seconds_after_start(1_000_000)).await, Ok(0));
    assert_eq!(harness.get(pending.id).await, pending);
    assert_eq!(harness.get(approved.id).await, unclaimed);
    let step =
        harness.run(approved.id, ExecutionId::new(seconds_after_start(2)), seconds_after_start(2)).await;
    assert_eq!(step.outcome, StepOutcome::Changed);
    assert_eq!(step.approval.call_to_run().input, json!({ "target": "staging" }));
    assert_eq!(harness.0.audit.purge(seconds_after_start(1_000_000)).await, Ok(0), "it runs");
    assert!(harness.0.audit.raw_input(approved.asked.call_id).await.expect("it works").is_some());
}
