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

use super::store::PostgresStore;
use super::{approvals, events, executions, input_schemas, past_calls};

impl Ledger for PostgresStore {
    fn admit(&self, _: &WriteAccess, admission: Admission) -> LedgerFuture<'_, AdmissionOutcome> {
        match admission.durable_key() {
            Some(key) => self.write(executions::AdmitOnce { admission, key }),
            None => self.write_admission(admission),
        }
    }

    fn open(&self, _: &WriteAccess, opening: NewApproval) -> LedgerFuture<'_, OpenOutcome> {
        self.write(approvals::OpenApproval(opening))
    }

    fn step(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        trigger: ApprovalTrigger,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>> {
        self.write(approvals::StepApproval { id, trigger, at })
    }

    fn leave(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>> {
        self.write(approvals::LeaveApproval { id, replica, at })
    }

    fn sweep(&self, _: &WriteAccess, replica: ReplicaId, at: Timestamp) -> LedgerFuture<'_, SweepOutcome> {
        self.write(approvals::SweepApprovals { replica, at })
    }

    fn begin(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        start: ExecutionStart,
    ) -> LedgerFuture<'_, bool> {
        self.write(executions::Begin { execution, start })
    }

    fn finish(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        ending: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool> {
        self.write(executions::Finish { execution, ending })
    }

    fn retract(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        ending: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool> {
        self.write(executions::Retract(executions::Finish { execution, ending }))
    }

    fn append_records(&self, _: &WriteAccess, records: Vec<Record>) -> LedgerFuture<'_, ()> {
        self.write(events::AppendRecords(records))
    }
}

impl LedgerReader for PostgresStore {
    fn approval(&self, id: ApprovalId) -> LedgerFuture<'_, Option<Approval>> {
        self.read(move |db| Box::pin(approvals::by_id(db, id)))
    }

    fn execution(&self, id: ExecutionId) -> LedgerFuture<'_, Option<Execution>> {
        self.read(move |db| Box::pin(executions::by_id(db, id)))
    }

    fn latest_execution(&self, call: CallReference) -> LedgerFuture<'_, Option<ExecutionId>> {
        self.read(move |db| Box::pin(executions::latest(db, call)))
    }

    fn input_schema(&self, tool: String, version: Digest) -> LedgerFuture<'_, Option<Value>> {
        self.read(move |db| Box::pin(input_schemas::by_version(db, tool, version)))
    }

    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> LedgerFuture<'_, Vec<Approval>> {
        self.read(move |db| Box::pin(approvals::pending(db, after, limit)))
    }

    fn approvals(&self, query: ApprovalQuery) -> LedgerFuture<'_, Vec<Approval>> {
        self.read(move |db| Box::pin(approvals::list::approvals(db, query)))
    }

    fn past_calls(&self, limit: usize) -> LedgerFuture<'_, Vec<PastCall>> {
        self.read_at_one_moment(move |db| Box::pin(past_calls::newest_judged(db, limit)))
    }

    fn snapshot(&self) -> LedgerFuture<'_, Snapshot> {
        self.read_at_one_moment(|db| Box::pin(approvals::snapshot(db)))
    }

    fn events(&self, after: u64, limit: usize) -> LedgerFuture<'_, Vec<Event>> {
        self.read(move |db| Box::pin(events::after(db, after, limit)))
    }

    fn head(&self) -> watch::Receiver<u64> {
        self.heads.head()
    }
}
