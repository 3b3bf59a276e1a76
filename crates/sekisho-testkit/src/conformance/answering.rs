//! What happens to questions.

use std::collections::BTreeMap;

use sekisho_gate::answer::{Answer, By, Scope};
use sekisho_gate::approval::{Approval, State};
use sekisho_gate::asker::Asker;
use sekisho_gate::ledger::execution_of;
use sekisho_gate::machine::{Claim, Happening, Said};
use sekisho_gate::record::{self, Change, Entry, Record};
use sekisho_gate::{ApprovalId, ExecutionId};
use sekisho_policy::{Effect, Rule};
use serde_json::{Value, json};

use super::Backend;
use super::desk::Desk;
use crate::fixtures::{after, answered, asker, call, question, verdict};
use crate::inspect::CallRow;

/// Everything that can happen, at the third second.
fn happenings(approval: &Approval) -> Vec<Happening> {
    let at = after(3);
    let call = &approval.asked.call;
    let answers = [
        Answer::approve(),
        Answer::deny().because("not on a Friday"),
        Answer::approve().with_input(json!({ "target": "staging" })),
        Answer::approve()
            .remembering(Scope::Session, vec![Rule { tool: Some("deploy".into()), ..Rule::default() }]),
    ];
    let answers = answers.into_iter().map(|answer| answered(approval, answer, None, at));
    let verdicts = [None, Some(Effect::Allow), Some(Effect::Confirm), Some(Effect::Deny)];
    let verdicts = verdicts.into_iter().map(|effect| Happening::Rejudged(verdict(call, effect, at)));
    let claims =
        [Claim::Run(ExecutionId::new(at)), Claim::Refusal, Claim::Void("a rule denies it now".into())];
    let others = [Happening::TimePassed, Happening::Left, Happening::CalledOff { why: "stopped".into() }];
    answers.chain(verdicts).chain(others).chain(claims.map(Happening::Claimed)).collect()
}

pub(super) async fn every_step_is_the_machines(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let askers = [asker(), Asker::remote("token-1"), asker().durable()];
    let kinds = askers.iter().flat_map(|asker| [Some(120), Some(2), None].map(|timeout| (asker, timeout)));
    let mut expected = Expected::default();
    for (kind, (asker, timeout)) in (0..).zip(kinds) {
        let happen = happenings(&question(call("0"), asker.clone(), after(0), timeout)).len();
        // One thing happens, then another.
        for (first, second) in (0..happen).flat_map(|first| (0..happen).map(move |second| (first, second))) {
            let call = call(&format!("{kind}.{first}.{second}"));
            let approval = question(call, asker.clone(), after(0), timeout);
            desk.ask(&approval, 1).await;
            expected.write(record::opened(&approval));
            let happenings = happenings(&approval);
            let between = expected.step(&desk, &approval, &happenings[first]).await;
            // A run that is tried again is another execution.
            let again = match &happenings[second] {
                Happening::Claimed(Claim::Run(_)) => {
                    Happening::Claimed(Claim::Run(ExecutionId::new(after(3))))
                }
                other => other.clone(),
            };
            expected.step(&desk, &between, &again).await;
        }
    }
    assert_eq!(desk.entries().await, expected.entries);
    assert_eq!(desk.changes().await, expected.changes);
    let executions = desk.0.inspect.executions().await;
    let executions = executions.into_iter().map(|row| (row.id, (row.tool, row.input, row.approval)));
    assert_eq!(executions.collect::<BTreeMap<_, _>>(), expected.executions);
}

/// What the machine says must be there in the end.
#[derive(Default)]
struct Expected {
    entries: Vec<Entry>,
    changes: Vec<Change>,
    executions: BTreeMap<ExecutionId, (String, Value, Option<ApprovalId>)>,
}

impl Expected {
    fn write(&mut self, record: Record) {
        self.entries.push(record.entry);
        self.changes.extend(record.change);
    }

    /// Takes a step, and compares what it gave and left behind with what the machine says.
    async fn step(&mut self, desk: &Desk, before: &Approval, happening: &Happening) -> Approval {
        let expected = before.step(happening, after(3));
        let step = desk.step(before.id, happening.clone(), after(3)).await;
        assert_eq!(step, expected, "{happening:?} to {:?}", before.fate);
        assert_eq!(desk.get(before.id).await, expected.approval);
        record::stepped(before, &expected.approval, after(3)).into_iter().for_each(|it| self.write(it));
        if let Some((id, tool, input)) = execution_of(happening, &expected) {
            self.executions.insert(id, (tool, input, Some(before.id)));
        }
        expected.approval
    }
}

pub(super) async fn the_first_answer_wins(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = question(call("1"), asker(), after(0), Some(120));
    desk.ask(&approval, 1).await;
    let say = |answer| answered(&approval, answer, None, after(1));
    let first = Answer::deny().because("no");
    let settled = desk.done(approval.id, say(first.clone()), after(1)).await;
    let before = desk.written().await;
    let bound = Answer { digest: Some(approval.asked.digest), ..first.clone() };
    let others = [
        (first, Said::Same),
        (bound, Said::Same),
        (Answer::deny(), Said::Conflict),
        (Answer::approve(), Said::Conflict),
    ];
    for (answer, said) in others {
        // An answer after the deadline is told the same: it was settled before.
        for seconds in [2, 500] {
            let step = desk.step(approval.id, say(answer.clone()), after(seconds)).await;
            assert_eq!((step.said, step.changed, &step.approval), (said, false, &settled));
        }
    }
    assert_eq!(desk.written().await, before);
    assert_eq!(desk.get(approval.id).await, settled);
}

pub(super) async fn an_answer_that_is_late_finds_it_expired(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = question(call("1"), asker(), after(0), Some(120));
    desk.ask(&approval, 1).await;
    let late = answered(&approval, Answer::approve(), None, after(120));
    let step = desk.step(approval.id, late.clone(), after(120)).await;
    assert_eq!((step.said, step.changed), (Said::Gone, true));
    assert_eq!(desk.get(approval.id).await.fate.state, State::Expired { at: after(120) });
    let expired = Change::Resolved { id: approval.id, state: "expired".into() };
    assert_eq!(desk.changes().await[1..], [expired]);
    let step = desk.step(approval.id, late, after(121)).await;
    assert_eq!((step.said, step.changed), (Said::Gone, false));
    let claim = desk.run(approval.id, ExecutionId::new(after(122)), after(122)).await;
    assert_eq!((claim.said, claim.changed), (Said::Gone, false));
    assert_eq!(desk.0.inspect.executions().await, []);
}

pub(super) async fn an_edited_call_is_kept_and_runs(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = question(call("1"), asker(), after(0), Some(120));
    desk.ask(&approval, 1).await;
    let input = json!({ "target": "staging" });
    let happening = answered(&approval, Answer::approve().with_input(input.clone()), None, after(1));
    let settled = desk.done(approval.id, happening, after(1)).await;
    let edited = settled.fate.state.answered().and_then(|answered| answered.edited.clone());
    let edited = edited.expect("the answer has another input");
    let row =
        CallRow { id: edited.call_id, tool: "deploy".into(), input: input.clone(), digest: edited.digest };
    assert!(desk.0.inspect.calls().await.contains(&row), "its raw input is kept under its own id");
    assert_eq!(desk.0.inspect.calls().await.len(), 2);
    desk.run(approval.id, ExecutionId::new(after(2)), after(2)).await;
    assert_eq!(desk.0.inspect.executions().await[0].input, input);
}

pub(super) async fn an_edited_call_that_a_rule_denies_is_denied(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = question(call("1"), asker(), after(0), Some(120));
    desk.ask(&approval, 1).await;
    let answer = Answer::approve().with_input(json!({ "target": "moon" }));
    let settled =
        desk.done(approval.id, answered(&approval, answer, Some(Effect::Deny), after(1)), after(1)).await;
    assert!(matches!(&settled.fate.state, State::Denied(answered) if matches!(answered.by, By::Rule(_))));
    let claim = desk.run(approval.id, ExecutionId::new(after(2)), after(2)).await;
    assert_eq!(claim.said, Said::Conflict);
    assert_eq!(desk.0.inspect.executions().await, []);
}
