//! Implements the gate's `Ledger` port.

use jiff::Timestamp;
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::{ApprovalTrigger, Step};
use sekisho_gate::ledger::{
    Admission, AdmissionOutcome, ApprovalQuery, CallReference, Execution, ExecutionOutcome, Ledger,
    LedgerFuture, LedgerReader, NewApproval, OpenOutcome, PastCall, Snapshot, SweepOutcome,
};
use sekisho_gate::record::{Event, Record};
use sekisho_gate::{ApprovalId, Digest, ExecutionId, ReplicaId, WriteAccess};
use serde_json::Value;
use tokio::sync::watch;

use super::store::PostgresStore;
use super::{tables, write_operations};

impl Ledger for PostgresStore {
    fn admit(&self, _: &WriteAccess, admission: Admission) -> LedgerFuture<'_, AdmissionOutcome> {
        match admission.durable_key() {
            Some(key) => self.write(write_operations::AdmitOnce { admission, key }),
            None => self.write_admission(admission),
        }
    }

    fn open(&self, _: &WriteAccess, opening: NewApproval) -> LedgerFuture<'_, OpenOutcome> {
        self.write(write_operations::OpenApproval(opening))
    }

    fn step(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        trigger: ApprovalTrigger,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>> {
        self.write(write_operations::StepApproval { id, trigger, at })
    }

    fn leave(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>> {
        self.write(write_operations::LeaveApproval { id, replica, at })
    }

    fn sweep(&self, _: &WriteAccess, replica: ReplicaId, at: Timestamp) -> LedgerFuture<'_, SweepOutcome> {
        self.write(write_operations::SweepApprovals { replica, at })
    }

    fn finish(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        ending: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool> {
        self.write(write_operations::Finish { execution, ending })
    }

    fn retract(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        ending: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool> {
        self.write(write_operations::Retract(write_operations::Finish { execution, ending }))
    }

    fn append_records(&self, _: &WriteAccess, records: Vec<Record>) -> LedgerFuture<'_, ()> {
        self.write(write_operations::AppendRecords(records))
    }
}

impl LedgerReader for PostgresStore {
    fn approval(&self, id: ApprovalId) -> LedgerFuture<'_, Option<Approval>> {
        self.read(move |db| Box::pin(tables::approvals::by_id(db, id)))
    }

    fn execution(&self, id: ExecutionId) -> LedgerFuture<'_, Option<Execution>> {
        self.read(move |db| Box::pin(tables::executions::by_id(db, id)))
    }

    fn latest_execution(&self, call: CallReference) -> LedgerFuture<'_, Option<ExecutionId>> {
        self.read(move |db| Box::pin(tables::executions::latest(db, call)))
    }

    fn input_schema(&self, tool: String, version: Digest) -> LedgerFuture<'_, Option<Value>> {
        self.read(move |db| Box::pin(tables::input_schemas::by_version(db, tool, version)))
    }

    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> LedgerFuture<'_, Vec<Approval>> {
        self.read(move |db| Box::pin(tables::approvals::pending(db, after, limit)))
    }

    fn approvals(&self, query: ApprovalQuery) -> LedgerFuture<'_, Vec<Approval>> {
        self.read(move |db| Box::pin(tables::listing::approvals(db, query)))
    }

    fn past_calls(&self, limit: usize) -> LedgerFuture<'_, Vec<PastCall>> {
        self.read_at_one_moment(move |db| Box::pin(tables::past_calls::newest_judged(db, limit)))
    }

    fn snapshot(&self) -> LedgerFuture<'_, Snapshot> {
        self.read_at_one_moment(|db| Box::pin(write_operations::snapshot(db)))
    }

    fn events(&self, after: u64, limit: usize) -> LedgerFuture<'_, Vec<Event>> {
        self.read(move |db| Box::pin(tables::record::after(db, after, limit)))
    }

    fn head(&self) -> watch::Receiver<u64> {
        self.heads.head()
    }
}
