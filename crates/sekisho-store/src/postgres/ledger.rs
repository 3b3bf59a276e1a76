//! The gate's ledger, request by request.

use jiff::Timestamp;
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::{
    Admission, Admitted, ApprovalQuery, CallName, Ending, Execution, Kept, Ledger, LedgerReader, Opened,
    Opening, Past, Snapshot, Swept,
};
use sekisho_gate::machine::{Happening, Step};
use sekisho_gate::record::{Event, Record};
use sekisho_gate::{ApprovalId, Digest, ExecutionId, ReplicaId, WriteAccess};
use serde_json::Value;
use tokio::sync::watch;

use super::store::PostgresStore;
use super::{approvals, events, executions, past, schemas};

impl Ledger for PostgresStore {
    fn admit(&self, _: &WriteAccess, admission: Admission) -> Kept<'_, Admitted> {
        match admission.once() {
            Some(key) => self.write(executions::AdmitOnce { admission, key }),
            None => self.write_admission(admission),
        }
    }

    fn open(&self, _: &WriteAccess, opening: Opening) -> Kept<'_, Opened> {
        self.write(approvals::Open(opening))
    }

    fn step(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        happening: Happening,
        at: Timestamp,
    ) -> Kept<'_, Option<Step>> {
        self.write(approvals::Take { id, happening, at })
    }

    fn leave(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> Kept<'_, Option<Step>> {
        self.write(approvals::Leave { id, replica, at })
    }

    fn sweep(&self, _: &WriteAccess, replica: ReplicaId, at: Timestamp) -> Kept<'_, Swept> {
        self.write(approvals::Sweep { replica, at })
    }

    fn finish(&self, _: &WriteAccess, execution: ExecutionId, ending: Ending) -> Kept<'_, bool> {
        self.write(executions::Finish { execution, ending })
    }

    fn retract(&self, _: &WriteAccess, execution: ExecutionId, ending: Ending) -> Kept<'_, bool> {
        self.write(executions::Retract(executions::Finish { execution, ending }))
    }

    fn note(&self, _: &WriteAccess, records: Vec<Record>) -> Kept<'_, ()> {
        self.write(events::Note(records))
    }
}

impl LedgerReader for PostgresStore {
    fn approval(&self, id: ApprovalId) -> Kept<'_, Option<Approval>> {
        self.read(move |db| Box::pin(approvals::by_id(db, id)))
    }

    fn execution(&self, id: ExecutionId) -> Kept<'_, Option<Execution>> {
        self.read(move |db| Box::pin(executions::by_id(db, id)))
    }

    fn latest_execution(&self, call: CallName) -> Kept<'_, Option<ExecutionId>> {
        self.read(move |db| Box::pin(executions::latest(db, call)))
    }

    fn input_schema(&self, tool: String, version: Digest) -> Kept<'_, Option<Value>> {
        self.read(move |db| Box::pin(schemas::by_version(db, tool, version)))
    }

    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> Kept<'_, Vec<Approval>> {
        self.read(move |db| Box::pin(approvals::pending(db, after, limit)))
    }

    fn approvals(&self, query: ApprovalQuery) -> Kept<'_, Vec<Approval>> {
        self.read(move |db| Box::pin(approvals::list::approvals(db, query)))
    }

    fn past(&self, limit: usize) -> Kept<'_, Vec<Past>> {
        self.read_at_one_moment(move |db| Box::pin(past::newest_judged(db, limit)))
    }

    fn snapshot(&self) -> Kept<'_, Snapshot> {
        self.read_at_one_moment(|db| Box::pin(approvals::snapshot(db)))
    }

    fn events(&self, after: u64, limit: usize) -> Kept<'_, Vec<Event>> {
        self.read(move |db| Box::pin(events::after(db, after, limit)))
    }

    fn head(&self) -> watch::Receiver<u64> {
        self.heads.head()
    }
}
