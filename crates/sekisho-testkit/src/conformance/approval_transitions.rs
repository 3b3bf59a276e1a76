//! Each trigger moves an approval as the state machine says.

use std::collections::BTreeMap;

use sekisho_gate::answer::{Actor, Answer, RuleScope};
use sekisho_gate::approval::{Approval, ApprovalState};
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, StepOutcome};
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::execution_to_start;
use sekisho_gate::record::{self, AuditEntry, EventPayload, Record};
use sekisho_gate::{ApprovalId, ExecutionId};
use sekisho_policy::{Effect, Rule};
use serde_json::json;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{answer_trigger, call, caller, pending_approval, seconds_after_start, verdict};
use crate::inspect::CallRow;

/// Every possible trigger, at the third second.
fn triggers(approval: &Approval) -> Vec<ApprovalTrigger> {
    let at = seconds_after_start(3);
    let call = &approval.asked.call;
    let answers = [
        Answer::approve(),
        Answer::deny().with_reason("not on a Friday"),
        Answer::approve().with_input(json!({ "target": "staging" })),
        Answer::approve()
            .with_rules(RuleScope::Session, vec![Rule { tool: Some("deploy".into()), ..Rule::default() }]),
    ];
    let answers = answers.into_iter().map(|answer| answer_trigger(approval, answer, None, at));
    let verdicts = [None, Some(Effect::Allow), Some(Effect::Confirm), Some(Effect::Deny)];
    let verdicts = verdicts.into_iter().map(|effect| ApprovalTrigger::Rejudged(verdict(call, effect, at)));
    let claims =
        [Claim::Run(ExecutionId::new(at)), Claim::Refusal, Claim::Void("a rule denies it now".into())];
    let others = [
        ApprovalTrigger::TimePassed,
        ApprovalTrigger::WaitersLeft,
        ApprovalTrigger::Cancelled { why: "stopped".into() },
    ];
    answers.chain(verdicts).chain(others).chain(claims.map(ApprovalTrigger::Claimed)).collect()
}

pub(super) async fn every_step_follows_the_state_machine(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let askers = [caller(), Caller::remote("token-1"), caller().durable()];
    let kinds = askers.iter().flat_map(|asker| [Some(120), Some(2), None].map(|timeout| (asker, timeout)));
    let mut expected = Expected::default();
    for (kind, (asker, timeout)) in (0..).zip(kinds) {
        let happen =
            triggers(&pending_approval(call("0"), asker.clone(), seconds_after_start(0), timeout)).len();
        // One trigger, then another.
        for (first, second) in (0..happen).flat_map(|first| (0..happen).map(move |second| (first, second))) {
            let call = call(&format!("{kind}.{first}.{second}"));
            let approval = pending_approval(call, asker.clone(), seconds_after_start(0), timeout);
            harness.ask(&approval, 1).await;
            expected.write(record::opening_record(&approval));
            let triggers = triggers(&approval);
            let between = expected.step(&harness, &approval, &triggers[first]).await;
            // A retried run is another execution.
            let again = match &triggers[second] {
                ApprovalTrigger::Claimed(Claim::Run(_)) => {
                    ApprovalTrigger::Claimed(Claim::Run(ExecutionId::new(seconds_after_start(3))))
                }
                other => other.clone(),
            };
            expected.step(&harness, &between, &again).await;
        }
    }
    assert_eq!(harness.entries().await, expected.entries);
    assert_eq!(harness.changes().await, expected.changes);
    let executions = harness.0.inspect.executions().await;
    let executions = executions.into_iter().map(|row| (row.id, (row.tool, row.approval)));
    assert_eq!(executions.collect::<BTreeMap<_, _>>(), expected.executions);
}

/// What the state machine requires in the end.
#[derive(Default)]
struct Expected {
    entries: Vec<AuditEntry>,
    changes: Vec<EventPayload>,
    executions: BTreeMap<ExecutionId, (String, Option<ApprovalId>)>,
}

impl Expected {
    fn write(&mut self, record: Record) {
        self.entries.push(record.entry);
        self.changes.extend(record.event);
    }

    /// Applies a trigger, and compares the result and the stored data with the state machine.
    async fn step(
        &mut self,
        harness: &StoreHarness,
        before: &Approval,
        trigger: &ApprovalTrigger,
    ) -> Approval {
        let expected = before.step(trigger, seconds_after_start(3));
        let step = harness.step(before.id, trigger.clone(), seconds_after_start(3)).await;
        assert_eq!(step, expected, "{trigger:?} to {:?}", before.fate);
        assert_eq!(harness.get(before.id).await, expected.approval);
        record::step_records(before, &expected.approval, seconds_after_start(3))
            .into_iter()
            .for_each(|it| self.write(it));
        if let Some((id, tool)) = execution_to_start(trigger, &expected) {
            self.executions.insert(id, (tool, Some(before.id)));
        }
        expected.approval
    }
}

pub(super) async fn first_answer_wins(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    harness.ask(&approval, 1).await;
    let say = |answer| answer_trigger(&approval, answer, None, seconds_after_start(1));
    let first = Answer::deny().with_reason("no");
    let settled = harness.done(approval.id, say(first.clone()), seconds_after_start(1)).await;
    let before = harness.written().await;
    let bound = Answer { digest: Some(approval.asked.digest), ..first.clone() };
    let others = [
        (first, StepOutcome::Duplicate),
        (bound, StepOutcome::Duplicate),
        (Answer::deny(), StepOutcome::Conflict),
        (Answer::approve(), StepOutcome::Conflict),
    ];
    for (answer, said) in others {
        // The second answer gets the same result after the deadline, because the question was answered before
        // it.
        for seconds in [2, 500] {
            let step = harness.step(approval.id, say(answer.clone()), seconds_after_start(seconds)).await;
            assert_eq!((step.outcome, step.changed, &step.approval), (said, false, &settled));
        }
    }
    assert_eq!(harness.written().await, before);
    assert_eq!(harness.get(approval.id).await, settled);
}

pub(super) async fn late_answer_finds_it_expired(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    harness.ask(&approval, 1).await;
    let late = answer_trigger(&approval, Answer::approve(), None, seconds_after_start(120));
    let step = harness.step(approval.id, late.clone(), seconds_after_start(120)).await;
    assert_eq!((step.outcome, step.changed), (StepOutcome::Gone, true));
    assert_eq!(
        harness.get(approval.id).await.fate.state,
        ApprovalState::Expired { at: seconds_after_start(120) }
    );
    let expired = EventPayload::Resolved { id: approval.id, state: "expired".into() };
    assert_eq!(harness.changes().await[1..], [expired]);
    let step = harness.step(approval.id, late, seconds_after_start(121)).await;
    assert_eq!((step.outcome, step.changed), (StepOutcome::Gone, false));
    let claim =
        harness.run(approval.id, ExecutionId::new(seconds_after_start(122)), seconds_after_start(122)).await;
    assert_eq!((claim.outcome, claim.changed), (StepOutcome::Gone, false));
    assert_eq!(harness.0.inspect.executions().await, []);
}

pub(super) async fn edited_call_is_stored_and_runs(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    harness.ask(&approval, 1).await;
    let input = json!({ "target": "staging" });
    let trigger =
        answer_trigger(&approval, Answer::approve().with_input(input.clone()), None, seconds_after_start(1));
    let settled = harness.done(approval.id, trigger, seconds_after_start(1)).await;
    let edited = settled.fate.state.answered().and_then(|answered| answered.edited.clone());
    let edited = edited.expect("the answer has another input");
    let row =
        CallRow { id: edited.call_id, tool: "deploy".into(), input: input.clone(), digest: edited.digest };
    assert!(harness.0.inspect.calls().await.contains(&row), "its raw input is kept under its own id");
    assert_eq!(harness.0.inspect.calls().await.len(), 2);
    let step =
        harness.run(approval.id, ExecutionId::new(seconds_after_start(2)), seconds_after_start(2)).await;
    assert_eq!(step.approval.call_to_run().input, input);
    assert_eq!(harness.0.inspect.executions().await.len(), 1);
}

pub(super) async fn edited_call_denied_by_a_rule_is_denied(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
    harness.ask(&approval, 1).await;
    let answer = Answer::approve().with_input(json!({ "target": "moon" }));
    let settled = harness
        .done(
            approval.id,
            answer_trigger(&approval, answer, Some(Effect::Deny), seconds_after_start(1)),
            seconds_after_start(1),
        )
        .await;
    assert!(
        matches!(&settled.fate.state, ApprovalState::Denied(answered) if matches!(answered.by, Actor::Rule(_)))
    );
    let claim =
        harness.run(approval.id, ExecutionId::new(seconds_after_start(2)), seconds_after_start(2)).await;
    assert_eq!(claim.outcome, StepOutcome::Conflict);
    assert_eq!(harness.0.inspect.executions().await, []);
}
