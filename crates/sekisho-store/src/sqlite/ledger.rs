//! Implements the gate's `Ledger` port.

use jiff::Timestamp;
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::{ApprovalTrigger, Step};
use sekisho_gate::ledger::{
    Admission, AdmissionOutcome, ApprovalQuery, CallReference, Execution, ExecutionOutcome, ExecutionStart,
    Ledger, LedgerFuture, LedgerReader, NewApproval, OpenOutcome, PastCall, Snapshot, SweepOutcome,
};
use sekisho_gate::record::{Event, Record};
use sekisho_gate::{ApprovalId, Digest, ExecutionId, ReplicaId, WriteAccess};
use serde_json::Value;
use tokio::sync::watch;

use super::store::SqliteStore;
use super::{approvals, events, executions, input_schemas, past_calls, transaction_impl};

impl Ledger for SqliteStore {
    fn admit(&self, _: &WriteAccess, admission: Admission) -> LedgerFuture<'_, AdmissionOutcome> {
        self.record(vec![admission.record.entry.clone()], move |db| executions::admit(db, &admission))
    }

    fn open(&self, _: &WriteAccess, opening: NewApproval) -> LedgerFuture<'_, OpenOutcome> {
        self.record(vec![opening.record.entry.clone()], move |db| approvals::open(db, &opening))
    }

    fn step(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        trigger: ApprovalTrigger,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>> {
        let ahead = trigger.clone();
        self.record_predicted(
            move |db| approvals::step_ahead(db, id, &ahead, at),
            move |db| approvals::step(db, id, &trigger, at),
        )
    }

    fn leave(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>> {
        self.write(move |db| approvals::leave(db, id, replica, at))
    }

    fn sweep(&self, _: &WriteAccess, replica: ReplicaId, at: Timestamp) -> LedgerFuture<'_, SweepOutcome> {
        self.write(move |db| approvals::sweep(db, replica, at))
    }

    fn begin(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        start: ExecutionStart,
    ) -> LedgerFuture<'_, bool> {
        let entries = vec![start.record.entry.clone()];
        self.record(entries, move |db| executions::begin(db, execution, &start))
    }

    fn finish(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        ending: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool> {
        let ahead = ending.clone();
        self.record_predicted(
            move |db| executions::finish_ahead(db, execution, &ahead),
            move |db| executions::finish(db, execution, &ending),
        )
    }

    fn retract(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        ending: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool> {
        let ahead = ending.clone();
        self.record_predicted(
            move |db| executions::finish_ahead(db, execution, &ahead),
            move |db| executions::retract(db, execution, &ending),
        )
    }

    fn append_records(&self, _: &WriteAccess, records: Vec<Record>) -> LedgerFuture<'_, ()> {
        let lines = records.iter().map(|record| record.entry.clone()).collect();
        self.record(lines, move |db| transaction_impl::note(db, &records))
    }
}

impl LedgerReader for SqliteStore {
    fn approval(&self, id: ApprovalId) -> LedgerFuture<'_, Option<Approval>> {
        self.read(move |db| approvals::by_id(db, id))
    }

    fn execution(&self, id: ExecutionId) -> LedgerFuture<'_, Option<Execution>> {
        self.read(move |db| executions::by_id(db, id))
    }

    fn latest_execution(&self, call: CallReference) -> LedgerFuture<'_, Option<ExecutionId>> {
        self.read(move |db| executions::latest(db, &call))
    }

    fn input_schema(&self, tool: String, version: Digest) -> LedgerFuture<'_, Option<Value>> {
        self.read(move |db| input_schemas::by_version(db, &tool, version))
    }

    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> LedgerFuture<'_, Vec<Approval>> {
        self.read(move |db| approvals::pending(db, after, limit))
    }

    fn approvals(&self, query: ApprovalQuery) -> LedgerFuture<'_, Vec<Approval>> {
        self.read(move |db| approvals::list::approvals(db, &query))
    }

    fn past_calls(&self, limit: usize) -> LedgerFuture<'_, Vec<PastCall>> {
        self.read(move |db| past_calls::newest_judged(db, limit))
    }

    fn snapshot(&self) -> LedgerFuture<'_, Snapshot> {
        self.read(approvals::snapshot)
    }

    fn events(&self, after: u64, limit: usize) -> LedgerFuture<'_, Vec<Event>> {
        self.read(move |db| events::after(db, after, limit))
    }

    fn head(&self) -> watch::Receiver<u64> {
        let head = self.heads.head();
        self.writer.poll_other_commits();
        head
    }
}
