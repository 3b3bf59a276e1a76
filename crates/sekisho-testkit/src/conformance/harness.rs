//! A store with helpers for the cases. An error of the ledger fails the case.

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, Step, StepOutcome};
use sekisho_gate::ledger::{OpenOutcome, Snapshot, SweepOutcome};
use sekisho_gate::record::{AuditEntry, Event, EventPayload};
use sekisho_gate::{ApprovalId, ExecutionId};

use super::{Backend, StorePorts};
use crate::fixtures;

/// More than any case writes.
pub(super) const ALL: usize = 100_000;

pub(super) struct StoreHarness(pub(super) StorePorts);

/// How much was written.
#[derive(Debug, PartialEq)]
pub(super) struct Written {
    entries: usize,
    events: usize,
    calls: usize,
    executions: usize,
}

impl StoreHarness {
    pub(super) async fn fresh(backend: &dyn Backend) -> StoreHarness {
        StoreHarness(backend.fresh().await)
    }

    /// Opens an approval at its own time, from a replica.
    pub(super) async fn open(&self, approval: &Approval, replica: u128) -> OpenOutcome {
        let opening = fixtures::new_approval(approval, fixtures::replica(replica));
        self.0.ledger.open(WriteAccess::TESTS, opening).await.expect("asking works")
    }

    /// Opens a new approval.
    pub(super) async fn ask(&self, approval: &Approval, replica: u128) {
        assert_eq!(self.open(approval, replica).await, OpenOutcome::New);
    }

    pub(super) async fn step(&self, id: ApprovalId, trigger: ApprovalTrigger, at: Timestamp) -> Step {
        let step = self.0.ledger.step(WriteAccess::TESTS, id, trigger, at).await.expect("stepping works");
        step.expect("the question is there")
    }

    /// Applies a trigger that must have an effect.
    pub(super) async fn done(&self, id: ApprovalId, trigger: ApprovalTrigger, at: Timestamp) -> Approval {
        let step = self.step(id, trigger, at).await;
        assert_eq!((step.outcome, step.changed), (StepOutcome::Changed, true));
        step.approval
    }

    /// Claims an answer to run the call.
    pub(super) async fn run(&self, id: ApprovalId, execution: ExecutionId, at: Timestamp) -> Step {
        self.step(id, ApprovalTrigger::Claimed(Claim::Run(execution)), at).await
    }

    pub(super) async fn leave(&self, id: ApprovalId, replica: u128, at: Timestamp) -> Step {
        let step = self
            .0
            .ledger
            .leave(WriteAccess::TESTS, id, fixtures::replica(replica), at)
            .await
            .expect("leaving works");
        step.expect("the question is there")
    }

    pub(super) async fn sweep(&self, replica: u128, at: Timestamp) -> SweepOutcome {
        self.0.ledger.sweep(WriteAccess::TESTS, fixtures::replica(replica), at).await.expect("sweeping works")
    }

    pub(super) async fn get(&self, id: ApprovalId) -> Approval {
        let approval = self.0.ledger.approval(id).await.expect("reading works");
        approval.expect("the question is there")
    }

    pub(super) async fn state(&self, id: ApprovalId) -> &'static str {
        self.get(id).await.fate.state.name()
    }

    pub(super) async fn pending(&self) -> Vec<ApprovalId> {
        let all = self.0.ledger.pending(None, ALL).await.expect("listing works");
        all.iter().map(|approval| approval.id).collect()
    }

    pub(super) async fn snapshot(&self) -> Snapshot {
        self.0.ledger.snapshot().await.expect("a snapshot works")
    }

    pub(super) async fn events(&self) -> Vec<Event> {
        self.0.ledger.events(0, ALL).await.expect("reading events works")
    }

    pub(super) async fn changes(&self) -> Vec<EventPayload> {
        self.events().await.into_iter().map(|event| event.change).collect()
    }

    pub(super) async fn entries(&self) -> Vec<AuditEntry> {
        self.0.inspect.entries().await
    }

    pub(super) async fn written(&self) -> Written {
        Written {
            entries: self.entries().await.len(),
            events: self.events().await.len(),
            calls: self.0.inspect.calls().await.len(),
            executions: self.0.inspect.executions().await.len(),
        }
    }
}
