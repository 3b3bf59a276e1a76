//! Concurrent operations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use sekisho_gate::WriteAccess;

use sekisho_gate::answer::Answer;
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, StepOutcome};
use sekisho_gate::ledger::{BoxFuture, Ledger, OpenOutcome, Snapshot};
use sekisho_gate::record::{Event, EventPayload};
use sekisho_gate::{ApprovalId, ExecutionId};

use super::harness::StoreHarness;
use super::{Backend, StorePorts};
use crate::fixtures::{
    answer_trigger, call, caller, new_approval, pending_approval, replica, seconds_after_start,
};

/// How often a race is run, since the winner is random.
const ROUNDS: i64 = 20;

/// Runs work on the store in parallel, and returns each result.
async fn at_once<T, F>(backend: &dyn Backend, store: &StorePorts, count: usize, work: F) -> Vec<T>
where
    T: Send + 'static,
    F: Fn(usize, Arc<dyn Ledger>) -> BoxFuture<'static, T>,
{
    let results = Arc::new(Mutex::new(BTreeMap::new()));
    let tasks = (0..count).map(|number| -> BoxFuture<'static, ()> {
        let (work, results) = (work(number, store.ledger.clone()), results.clone());
        Box::pin(async move {
            let result = work.await;
            results.lock().unwrap_or_else(PoisonError::into_inner).insert(number, result);
        })
    });
    backend.at_once(tasks.collect()).await;
    let results = std::mem::take(&mut *results.lock().unwrap_or_else(PoisonError::into_inner));
    assert_eq!(results.len(), count, "every task came to its end");
    results.into_values().collect()
}

/// Applies triggers to the same approval in parallel.
async fn steps(
    backend: &dyn Backend,
    harness: &StoreHarness,
    id: ApprovalId,
    all: Vec<ApprovalTrigger>,
) -> Vec<StepOutcome> {
    at_once(backend, &harness.0, all.len(), |number, ledger| {
        let trigger = all[number].clone();
        Box::pin(async move {
            let step = ledger
                .step(WriteAccess::TESTS, id, trigger, seconds_after_start(2))
                .await
                .expect("stepping works");
            step.expect("the question is there").outcome
        })
    })
    .await
}

fn count(all: &[StepOutcome], said: StepOutcome) -> usize {
    all.iter().filter(|one| **one == said).count()
}

async fn asked(harness: &StoreHarness, round: i64) -> Approval {
    let approval = pending_approval(call(&round.to_string()), caller(), seconds_after_start(0), Some(120));
    harness.ask(&approval, 1).await;
    approval
}

pub(super) async fn many_callers_open_one_approval(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let opened = at_once(backend, &harness.0, 50, |number, ledger| {
        let approval = pending_approval(call("1"), caller(), seconds_after_start(0), Some(120));
        let opening = new_approval(&approval, replica(number as u128 % 5));
        Box::pin(async move {
            (approval.id, ledger.open(WriteAccess::TESTS, opening).await.expect("asking works"))
        })
    })
    .await;
    let new: Vec<ApprovalId> =
        opened.iter().filter(|(_, opened)| *opened == OpenOutcome::New).map(|(id, _)| *id).collect();
    assert_eq!(new.len(), 1, "exactly one is new");
    let kept = harness.get(new[0]).await;
    let joined = opened.iter().filter(|(_, opened)| *opened == OpenOutcome::Joined(kept.clone())).count();
    assert_eq!(joined, 49, "and the others wait for it");
    assert_eq!(harness.pending().await, new);
    assert_eq!(harness.entries().await.len(), 1);
    assert_eq!(harness.0.inspect.calls().await.len(), 1);
    // All five replicas hold it.
    for number in 0..4 {
        assert_eq!(
            harness.leave(kept.id, number, seconds_after_start(1)).await.outcome,
            StepOutcome::NoEffect
        );
    }
    assert_eq!(harness.leave(kept.id, 4, seconds_after_start(1)).await.outcome, StepOutcome::Changed);
}

pub(super) async fn one_of_two_racing_answers_wins(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    for round in 0..ROUNDS {
        let approval = asked(&harness, round).await;
        let say = |answer| answer_trigger(&approval, answer, None, seconds_after_start(2));
        let said =
            steps(backend, &harness, approval.id, vec![say(Answer::approve()), say(Answer::deny())]).await;
        assert_eq!(
            (count(&said, StepOutcome::Changed), count(&said, StepOutcome::Conflict)),
            (1, 1),
            "{said:?}"
        );
        let winner = if said[0] == StepOutcome::Changed { "approved" } else { "denied" };
        assert_eq!(harness.state(approval.id).await, winner);
    }
    assert_eq!(harness.changes().await.len() as i64, 2 * ROUNDS);
}

pub(super) async fn equal_racing_answers_count_once(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let approval = asked(&harness, 0).await;
    let say = || answer_trigger(&approval, Answer::approve(), None, seconds_after_start(2));
    let said = steps(backend, &harness, approval.id, (0..10).map(|_| say()).collect()).await;
    assert_eq!(
        (count(&said, StepOutcome::Changed), count(&said, StepOutcome::Duplicate)),
        (1, 9),
        "{said:?}"
    );
    assert_eq!(harness.changes().await.len(), 2);
}

pub(super) async fn one_of_many_claims_wins(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    for round in 0..ROUNDS {
        let approval = asked(&harness, round).await;
        harness
            .done(
                approval.id,
                answer_trigger(&approval, Answer::approve(), None, seconds_after_start(1)),
                seconds_after_start(1),
            )
            .await;
        let claim = || ApprovalTrigger::Claimed(Claim::Run(ExecutionId::new(seconds_after_start(2))));
        let said = steps(backend, &harness, approval.id, (0..10).map(|_| claim()).collect()).await;
        assert_eq!(
            (count(&said, StepOutcome::Changed), count(&said, StepOutcome::AlreadyClaimed)),
            (1, 9),
            "{said:?}"
        );
    }
    let executions = harness.0.inspect.executions().await;
    assert_eq!(executions.len() as i64, ROUNDS, "an answer is spent once");
}

pub(super) async fn answer_and_leave_race_has_one_winner(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    for round in 0..ROUNDS {
        let approval = asked(&harness, round).await;
        let id = approval.id;
        let changed = at_once(backend, &harness.0, 2, |number, ledger| {
            let say = answer_trigger(&approval, Answer::approve(), None, seconds_after_start(2));
            Box::pin(async move {
                let step = match number {
                    0 => ledger.step(WriteAccess::TESTS, id, say, seconds_after_start(2)).await,
                    _ => ledger.leave(WriteAccess::TESTS, id, replica(1), seconds_after_start(2)).await,
                };
                step.expect("stepping works").expect("the question is there").changed
            })
        })
        .await;
        let expected = if changed[0] { "approved" } else { "aborted" };
        assert!(changed[0] != changed[1], "one of them ends it: {changed:?}");
        assert_eq!(harness.state(id).await, expected);
    }
}

pub(super) async fn snapshots_agree_with_events_while_others_write(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let snapshots = at_once(backend, &harness.0, 9, |number, ledger| match number {
        0 => Box::pin(watch(ledger)),
        writer => Box::pin(async move {
            for round in 0..ROUNDS {
                whole_life(ledger.as_ref(), writer, round).await;
            }
            Vec::new()
        }),
    })
    .await;
    let events = harness.events().await;
    assert!(events.iter().map(|event| event.seq).eq(1..=events.len() as u64), "counted without a gap");
    assert_eq!(events.len() as i64, 8 * ROUNDS * 3);
    for snapshot in snapshots.iter().flatten().chain([&harness.snapshot().await]) {
        let pending: BTreeSet<ApprovalId> = snapshot.pending.iter().map(|approval| approval.id).collect();
        assert_eq!(pending, pending_after(&events, snapshot.seq), "as of event {}", snapshot.seq);
    }
    lives_are_in_order(&events);
}

async fn watch(ledger: Arc<dyn Ledger>) -> Vec<Snapshot> {
    let mut seen = Vec::new();
    for _ in 0..50 {
        seen.push(ledger.snapshot().await.expect("a snapshot works"));
    }
    seen
}

/// Opens, answers and claims an approval: three events.
async fn whole_life(ledger: &dyn Ledger, writer: usize, round: i64) {
    let approval =
        pending_approval(call(&format!("{writer}.{round}")), caller(), seconds_after_start(round), Some(120));
    let opened = ledger.open(WriteAccess::TESTS, new_approval(&approval, replica(writer as u128))).await;
    assert_eq!(opened, Ok(OpenOutcome::New));
    let say = answer_trigger(&approval, Answer::approve(), None, seconds_after_start(round));
    let claim = ApprovalTrigger::Claimed(Claim::Run(ExecutionId::new(seconds_after_start(round))));
    for trigger in [say, claim] {
        let step = ledger
            .step(WriteAccess::TESTS, approval.id, trigger, seconds_after_start(round))
            .await
            .expect("stepping works");
        assert_eq!(step.map(|step| step.outcome), Some(StepOutcome::Changed));
    }
}

/// The pending approvals, computed from events alone.
fn pending_after(events: &[Event], seq: u64) -> BTreeSet<ApprovalId> {
    let mut pending = BTreeSet::new();
    for event in events.iter().filter(|event| event.seq <= seq) {
        match &event.change {
            EventPayload::Opened { id } => pending.insert(*id),
            EventPayload::Resolved { id, .. } => pending.remove(id),
            _ => false,
        };
    }
    pending
}

fn lives_are_in_order(events: &[Event]) {
    let mut stages: BTreeMap<ApprovalId, u8> = BTreeMap::new();
    for event in events {
        let (id, stage) = match &event.change {
            EventPayload::Opened { id } => (*id, 1),
            EventPayload::Resolved { id, .. } => (*id, 2),
            EventPayload::Started { approval: Some(id), .. } => (*id, 3),
            other => panic!("nobody made this happen: {other:?}"),
        };
        let before = stages.insert(id, stage).unwrap_or(0);
        assert_eq!(before + 1, stage, "asked, answered, taken");
    }
}
