//! Executions: one run of one tool each.

use sekisho_gate::audit::MaskedEntry;
use sekisho_gate::caller::IdempotencyKey;
use sekisho_gate::ledger::{
    Admission, AdmissionOutcome, CallReference, Execution, ExecutionOutcome, ExecutionStart, ProgramExit,
    SpentKey,
};
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId};
use serde_json::Value;

use super::calls;
use super::connection::{PgConnection, column};
use super::nul_escape::{escape_nul, escape_nul_option, unescape_nul};
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use super::write_operation::{WriteOperation, lock_of_key};
use crate::admissions;
use crate::encoding::{from_micros, key_hash, micros};
use crate::executions::{self, AdmissionRows, ExecutedCall, ExecutionRow, ExecutionTable};
use crate::transaction_error::{TransactionError, TransactionResult};

const START: &str = "INSERT INTO tool_executions \
    (input, id, execution_id, tool_name, created_at, call, approval, once) \
    SELECT 'null', * FROM UNNEST($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::uuid[], $6::uuid[], $7::bytea[])";

/// Inserts any number of executions with one statement.
pub(crate) async fn start(db: &PgConnection<'_>, rows: &[ExecutionRow]) -> TransactionResult<()> {
    let id = column(rows, |row| row.id);
    let run = column(rows, |row| row.run);
    let tool = column(rows, |row| escape_nul(&row.tool));
    let created_at = column(rows, |row| row.created_at);
    let call = column(rows, |row| row.call);
    let approval = column(rows, |row| row.approval);
    let once = column(rows, |row| row.once.as_ref().map(<[u8; 32]>::as_slice));
    db.run(START, &[&id, &run, &tool, &created_at, &call, &approval, &once]).await.map(drop)
}

const SPENT: &str = "SELECT e.id, coalesce(asked.digest, c.digest) FROM tool_executions e JOIN calls c ON c.id = e.call \
    LEFT JOIN approvals a ON a.id = e.approval LEFT JOIN calls asked ON asked.id = a.call WHERE e.once = $1";

/// What a durable key was spent on.
pub(crate) async fn spent(
    db: &PgConnection<'_>,
    key: &IdempotencyKey,
) -> TransactionResult<Option<SpentKey>> {
    let hash = key_hash(key);
    let Some(row) = db.row(SPENT, &[&hash.as_slice()]).await? else { return Ok(None) };
    let digest: &[u8] = row.try_get(1)?;
    let digest = digest
        .try_into()
        .map_err(|_| TransactionError::inconsistent("the digest of a call has the wrong length"))?;
    Ok(Some(SpentKey { execution: ExecutionId(row.try_get(0)?), digest: Digest(digest) }))
}

const BEGIN: &str = "UPDATE tool_executions SET began_at = $2, sandbox = $3 \
    WHERE id = $1 AND began_at IS NULL AND finished_at IS NULL";

/// Returns whether it waited to begin.
async fn begin(
    db: &PgConnection<'_>,
    id: ExecutionId,
    at: i64,
    sandbox: Option<&str>,
) -> TransactionResult<bool> {
    Ok(db.run(BEGIN, &[&id.0, &at, &sandbox]).await? == 1)
}

const KEEP_INPUT: &str = "UPDATE tool_executions SET input = $2 WHERE id = $1";

async fn keep_masked_input(db: &PgConnection<'_>, id: ExecutionId, input: &str) -> TransactionResult<()> {
    db.run(KEEP_INPUT, &[&id.0, &input]).await.map(drop)
}

const END: &str = "UPDATE tool_executions \
    SET output = $2, is_error = $3, duration_ms = $4, finished_at = $5, exit_code = $6, signal = $7 \
    WHERE id = $1 AND finished_at IS NULL";

/// Returns whether it was running.
async fn end(db: &PgConnection<'_>, id: ExecutionId, ending: &ExecutionOutcome) -> TransactionResult<bool> {
    let output = escape_nul_option(ending.output.as_ref());
    let (is_error, duration, at) = (ending.is_error, ending.duration_ms, micros(ending.at));
    let (code, signal) = (ending.exit.and_then(ProgramExit::code), ending.exit.and_then(ProgramExit::signal));
    Ok(db.run(END, &[&id.0, &output, &is_error, &duration, &at, &code, &signal]).await? == 1)
}

const FREE: &str = "UPDATE tool_executions SET once = NULL WHERE id = $1";

/// Frees the durable key of an execution that was never permitted.
pub(crate) async fn free(db: &PgConnection<'_>, id: ExecutionId) -> TransactionResult<()> {
    db.run(FREE, &[&id.0]).await.map(drop)
}

const EXECUTED_CALL: &str = "SELECT c.id, e.approval, e.tool_name, c.server, c.agent, c.credential, a.call, c.run_id \
    FROM tool_executions e JOIN calls c ON c.id = e.call LEFT JOIN approvals a ON a.id = e.approval \
    WHERE e.id = $1";

/// The call of an execution.
pub(crate) async fn executed_call(
    db: &PgConnection<'_>,
    id: ExecutionId,
) -> TransactionResult<Option<ExecutedCall>> {
    let Some(row) = db.row(EXECUTED_CALL, &[&id.0]).await? else { return Ok(None) };
    let text = |index: usize| row.try_get::<_, Option<String>>(index).map(|text| text.map(unescape_nul));
    let about = AuditEntry {
        call: Some(CallId(row.try_get(0)?)),
        approval: row.try_get::<_, Option<_>>(1)?.map(ApprovalId),
        tool: text(2)?,
        server: text(3)?,
        agent: text(4)?,
        credential: text(5)?,
        ..AuditEntry::without_call(
            RecordKind::Execution,
            jiff::Timestamp::UNIX_EPOCH,
            None,
            String::new(),
            Value::Null,
        )
    };
    let asked = row.try_get::<_, Option<_>>(6)?.map(CallId);
    Ok(Some(ExecutedCall { about, asked, run: text(7)? }))
}

const BY_ID: &str = "SELECT c.credential, e.tool_name, e.approval, e.created_at, e.finished_at, e.is_error, e.output, \
    e.duration_ms, e.exit_code, e.signal, e.began_at, e.sandbox FROM tool_executions e JOIN calls c ON c.id = e.call WHERE e.id = $1";

pub(crate) async fn by_id(db: &PgConnection<'_>, id: ExecutionId) -> TransactionResult<Option<Execution>> {
    let Some(row) = db.row(BY_ID, &[&id.0]).await? else { return Ok(None) };
    let finished_at: Option<i64> = row.try_get(4)?;
    let ending = match finished_at {
        None => None,
        Some(at) => Some(ExecutionOutcome {
            at: from_micros(at)?,
            is_error: row.try_get(5)?,
            output: row.try_get::<_, Option<String>>(6)?.map(unescape_nul),
            duration_ms: row.try_get(7)?,
            exit: ProgramExit::from_columns(row.try_get(8)?, row.try_get(9)?),
        }),
    };
    Ok(Some(Execution {
        id,
        credential: unescape_nul(row.try_get(0)?),
        tool: unescape_nul(row.try_get(1)?),
        approval: row.try_get::<_, Option<_>>(2)?.map(ApprovalId),
        started_at: from_micros(row.try_get(3)?)?,
        began_at: row.try_get::<_, Option<i64>>(10)?.map(from_micros).transpose()?,
        sandbox: row.try_get(11)?,
        outcome: ending,
    }))
}

const LATEST: &str = "SELECT e.id FROM calls c JOIN tool_executions e ON e.call = c.id \
    WHERE c.credential = $1 AND c.call_id = $2 AND c.run_id IS NOT DISTINCT FROM $3 \
    ORDER BY c.created_at DESC LIMIT 1";

/// The newest execution of a call, by the id its caller gave it.
pub(crate) async fn latest(
    db: &PgConnection<'_>,
    call: CallReference,
) -> TransactionResult<Option<ExecutionId>> {
    let (credential, call_id) = (escape_nul(&call.credential), escape_nul(&call.call_id));
    let run_id = escape_nul_option(call.run_id.as_ref());
    match db.row(LATEST, &[&credential, &call_id, &run_id]).await? {
        Some(row) => Ok(Some(ExecutionId(row.try_get(0)?))),
        None => Ok(None),
    }
}

async fn start_one(db: &PgConnection<'_>, row: &ExecutionRow) -> TransactionResult<()> {
    start(db, std::slice::from_ref(row)).await
}

operations! {
    impl ExecutionTable for OpenTransaction<'_> {
        spent(key: &IdempotencyKey) -> Option<SpentKey> = spent;
        start(row: &ExecutionRow) -> () = start_one;
        begin(id: ExecutionId, at: i64, sandbox: Option<&str>) -> bool = begin;
        keep_masked_input(id: ExecutionId, input: &str) -> () = keep_masked_input;
        finish(id: ExecutionId, ending: &ExecutionOutcome) -> bool = end;
        free_durable_key(id: ExecutionId) -> () = free;
        executed_call(id: ExecutionId) -> Option<ExecutedCall> = executed_call;
    }
}

impl AdmissionRows<'_> {
    /// Writes many admissions together, with their masked entries. Fails for all or none.
    pub(super) async fn write(
        all: Vec<(AdmissionRows<'_>, &MaskedEntry)>,
        tx: &mut OpenTransaction<'_>,
    ) -> TransactionResult<()> {
        let (mut calls, mut executions, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for (one, line) in all {
            calls.push(one.call);
            executions.extend(one.execution);
            records.push((one.record, line));
        }
        calls::insert(&tx.db, &calls).await?;
        if !executions.is_empty() {
            start(&tx.db, &executions).await?;
        }
        records.into_iter().try_for_each(|(record, line)| tx.draft.append(record, line))
    }
}

/// Admits a call with a durable key. It runs separately because its key may be spent.
pub(super) struct AdmitOnce {
    pub(super) admission: Admission,
    pub(super) key: IdempotencyKey,
}

impl WriteOperation for AdmitOnce {
    type Outcome = AdmissionOutcome;

    /// Callers with the same key wait for each other.
    fn locks(&self) -> Option<i64> {
        Some(lock_of_key(&self.key))
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.admission.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<AdmissionOutcome> {
        admissions::admit(tx, &self.admission).await
    }
}

/// Records that an execution begins.
pub(super) struct Begin {
    pub(super) execution: ExecutionId,
    pub(super) start: ExecutionStart,
}

impl WriteOperation for Begin {
    type Outcome = bool;

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.start.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        executions::begin(tx, self.execution, &self.start).await
    }
}

pub(super) struct Finish {
    pub(super) execution: ExecutionId,
    pub(super) ending: ExecutionOutcome,
}

impl WriteOperation for Finish {
    type Outcome = bool;

    const PREDICTS_ENTRIES: bool = true;

    async fn predict_entries(&self, db: &PgConnection<'_>) -> TransactionResult<Vec<AuditEntry>> {
        Ok(executions::predict_finish_entries(
            executed_call(db, self.execution).await?,
            self.execution,
            &self.ending,
        ))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        executions::finish(tx, self.execution, &self.ending).await
    }
}

/// Ends an execution that was recorded but is not permitted.
pub(super) struct Retract(pub(super) Finish);

impl WriteOperation for Retract {
    type Outcome = bool;

    const PREDICTS_ENTRIES: bool = true;

    async fn predict_entries(&self, db: &PgConnection<'_>) -> TransactionResult<Vec<AuditEntry>> {
        self.0.predict_entries(db).await
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        admissions::retract(tx, self.0.execution, &self.0.ending).await
    }
}
