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

use super::store::SqliteStore;
use super::{approvals, events, executions, past, schemas, transaction};

impl Ledger for SqliteStore {
    fn admit(&self, _: &WriteAccess, admission: Admission) -> Kept<'_, Admitted> {
        self.record(vec![admission.record.entry.clone()], move |db| executions::admit(db, &admission))
    }

    fn open(&self, _: &WriteAccess, opening: Opening) -> Kept<'_, Opened> {
        self.record(vec![opening.record.entry.clone()], move |db| approvals::open(db, &opening))
    }

    fn step(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        happening: Happening,
        at: Timestamp,
    ) -> Kept<'_, Option<Step>> {
        let ahead = happening.clone();
        self.record_ahead(
            move |db| approvals::step_ahead(db, id, &ahead, at),
            move |db| approvals::step(db, id, &happening, at),
        )
    }

    fn leave(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> Kept<'_, Option<Step>> {
        self.write(move |db| approvals::leave(db, id, replica, at))
    }

    fn sweep(&self, _: &WriteAccess, replica: ReplicaId, at: Timestamp) -> Kept<'_, Swept> {
        self.write(move |db| approvals::sweep(db, replica, at))
    }

    fn finish(&self, _: &WriteAccess, execution: ExecutionId, ending: Ending) -> Kept<'_, bool> {
        let ahead = ending.clone();
        self.record_ahead(
            move |db| executions::finish_ahead(db, execution, &ahead),
            move |db| executions::finish(db, execution, &ending),
        )
    }

    fn retract(&self, _: &WriteAccess, execution: ExecutionId, ending: Ending) -> Kept<'_, bool> {
        let ahead = ending.clone();
        self.record_ahead(
            move |db| executions::finish_ahead(db, execution, &ahead),
            move |db| executions::retract(db, execution, &ending),
        )
    }

    fn note(&self, _: &WriteAccess, records: Vec<Record>) -> Kept<'_, ()> {
        let lines = records.iter().map(|record| record.entry.clone()).collect();
        self.record(lines, move |db| transaction::note(db, &records))
    }
}

impl LedgerReader for SqliteStore {
    fn approval(&self, id: ApprovalId) -> Kept<'_, Option<Approval>> {
        self.read(move |db| approvals::by_id(db, id))
    }

    fn execution(&self, id: ExecutionId) -> Kept<'_, Option<Execution>> {
        self.read(move |db| executions::by_id(db, id))
    }

    fn latest_execution(&self, call: CallName) -> Kept<'_, Option<ExecutionId>> {
        self.read(move |db| executions::latest(db, &call))
    }

    fn input_schema(&self, tool: String, version: Digest) -> Kept<'_, Option<Value>> {
        self.read(move |db| schemas::by_version(db, &tool, version))
    }

    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> Kept<'_, Vec<Approval>> {
        self.read(move |db| approvals::pending(db, after, limit))
    }

    fn approvals(&self, query: ApprovalQuery) -> Kept<'_, Vec<Approval>> {
        self.read(move |db| approvals::list::approvals(db, &query))
    }

    fn past(&self, limit: usize) -> Kept<'_, Vec<Past>> {
        self.read(move |db| past::newest_judged(db, limit))
    }

    fn snapshot(&self) -> Kept<'_, Snapshot> {
        self.read(approvals::snapshot)
    }

    fn events(&self, after: u64, limit: usize) -> Kept<'_, Vec<Event>> {
        self.read(move |db| events::after(db, after, limit))
    }

    fn head(&self) -> watch::Receiver<u64> {
        let head = self.heads.head();
        self.writer.look();
        head
    }
}
