//! Executions: one run of one tool each.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::caller::IdempotencyKey;
use sekisho_gate::ledger::{
    Admission, AdmissionOutcome, CallReference, Execution, ExecutionOutcome, ExecutionStart, ProgramExit,
    SpentKey,
};
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId};
use serde_json::Value;

use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::transaction_impl::{operations, poll_ready};
use crate::admissions;
use crate::encoding::{from_micros, key_hash, micros};
use crate::executions::{self, ExecutedCall, ExecutionRow, ExecutionTable};
use crate::transaction_error::TransactionResult;

const START: &str = "INSERT INTO tool_executions \
    (id, execution_id, tool_name, input, created_at, call, approval, once) VALUES (?1, ?2, ?3, 'null', ?4, ?5, ?6, ?7)";

pub(crate) fn start(db: &Connection, row: &ExecutionRow) -> TransactionResult<()> {
    let values = params![row.id, row.run, row.tool, row.created_at, row.call, row.approval, row.once];
    run(db, START, values).map(drop)
}

const SPENT: &str = "SELECT e.id, coalesce(asked.digest, c.digest) FROM tool_executions e JOIN calls c ON c.id = e.call \
    LEFT JOIN approvals a ON a.id = e.approval LEFT JOIN calls asked ON asked.id = a.call WHERE e.once = ?1";

/// What a durable key was spent on.
pub(crate) fn spent(db: &Connection, key: &IdempotencyKey) -> TransactionResult<Option<SpentKey>> {
    let mut statement = db.prepare_cached(SPENT)?;
    let found = statement.query_row([key_hash(key)], |row| {
        Ok(SpentKey { execution: ExecutionId(row.get(0)?), digest: Digest(row.get(1)?) })
    });
    Ok(found.optional()?)
}

const BEGIN: &str = "UPDATE tool_executions SET began_at = ?2, sandbox = ?3 \
    WHERE id = ?1 AND began_at IS NULL AND finished_at IS NULL";

/// Returns whether it waited to begin.
fn begin_row(db: &Connection, id: ExecutionId, at: i64, sandbox: Option<&str>) -> TransactionResult<bool> {
    Ok(run(db, BEGIN, params![id.0, at, sandbox])? == 1)
}

const KEEP_INPUT: &str = "UPDATE tool_executions SET input = ?2 WHERE id = ?1";

fn keep_masked_input(db: &Connection, id: ExecutionId, input: &str) -> TransactionResult<()> {
    run(db, KEEP_INPUT, params![id.0, input]).map(drop)
}

const END: &str = "UPDATE tool_executions \
    SET output = ?2, is_error = ?3, duration_ms = ?4, finished_at = ?5, exit_code = ?6, signal = ?7 \
    WHERE id = ?1 AND finished_at IS NULL";

/// Returns whether it was running.
fn end(db: &Connection, id: ExecutionId, ending: &ExecutionOutcome) -> TransactionResult<bool> {
    let (code, signal) = (ending.exit.and_then(ProgramExit::code), ending.exit.and_then(ProgramExit::signal));
    let at = micros(ending.at);
    let values = params![id.0, ending.output, ending.is_error, ending.duration_ms, at, code, signal];
    Ok(run(db, END, values)? == 1)
}

const FREE: &str = "UPDATE tool_executions SET once = NULL WHERE id = ?1";

/// Frees the durable key of an execution that was never permitted.
pub(crate) fn free(db: &Connection, id: ExecutionId) -> TransactionResult<()> {
    run(db, FREE, [id.0]).map(drop)
}

const EXECUTED_CALL: &str = "SELECT c.id, e.approval, e.tool_name, c.server, c.agent, c.credential, a.call, c.run_id \
    FROM tool_executions e JOIN calls c ON c.id = e.call LEFT JOIN approvals a ON a.id = e.approval \
    WHERE e.id = ?1";

/// The call of an execution.
pub(crate) fn executed_call(db: &Connection, id: ExecutionId) -> TransactionResult<Option<ExecutedCall>> {
    let mut statement = db.prepare_cached(EXECUTED_CALL)?;
    let found = statement.query_row([id.0], |row| {
        let asked: Option<_> = row.get(6)?;
        let about = AuditEntry {
            call: Some(CallId(row.get(0)?)),
            approval: row.get::<_, Option<_>>(1)?.map(ApprovalId),
            tool: row.get(2)?,
            server: row.get(3)?,
            agent: row.get(4)?,
            credential: row.get(5)?,
            ..AuditEntry::without_call(
                RecordKind::Execution,
                jiff::Timestamp::UNIX_EPOCH,
                None,
                String::new(),
                Value::Null,
            )
        };
        Ok(ExecutedCall { about, asked: asked.map(CallId), run: row.get(7)? })
    });
    Ok(found.optional()?)
}

const BY_ID: &str = "SELECT c.credential, e.tool_name, e.approval, e.created_at, e.finished_at, e.is_error, e.output, \
    e.duration_ms, e.exit_code, e.signal, e.began_at, e.sandbox FROM tool_executions e JOIN calls c ON c.id = e.call WHERE e.id = ?1";

pub(crate) fn by_id(db: &Connection, id: ExecutionId) -> TransactionResult<Option<Execution>> {
    let mut statement = db.prepare_cached(BY_ID)?;
    let mut rows = statement.query([id.0])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let finished_at: Option<i64> = row.get(4)?;
    let ending = match finished_at {
        None => None,
        Some(at) => Some(ExecutionOutcome {
            at: from_micros(at)?,
            is_error: row.get(5)?,
            output: row.get(6)?,
            duration_ms: row.get(7)?,
            exit: ProgramExit::from_columns(row.get(8)?, row.get(9)?),
        }),
    };
    Ok(Some(Execution {
        id,
        credential: row.get(0)?,
        tool: row.get(1)?,
        approval: row.get::<_, Option<_>>(2)?.map(ApprovalId),
        started_at: from_micros(row.get(3)?)?,
        began_at: row.get::<_, Option<i64>>(10)?.map(from_micros).transpose()?,
        sandbox: row.get(11)?,
        outcome: ending,
    }))
}

const LATEST: &str = "SELECT e.id FROM calls c INDEXED BY calls_by_call_id JOIN tool_executions e ON e.call = c.id \
    WHERE c.credential = ?1 AND c.call_id = ?2 AND c.call_id IS NOT NULL AND c.run_id IS ?3 \
    ORDER BY c.created_at DESC LIMIT 1";

/// The newest execution of a call, by the id its caller gave it.
pub(crate) fn latest(db: &Connection, call: &CallReference) -> TransactionResult<Option<ExecutionId>> {
    let mut statement = db.prepare_cached(LATEST)?;
    let found = statement.query_row(params![call.credential, call.call_id, call.run_id], |row| row.get(0));
    Ok(found.optional()?.map(ExecutionId))
}

operations! {
    impl ExecutionTable for &OpenTransaction<'_> {
        spent(key: &IdempotencyKey) -> Option<SpentKey> = spent;
        start(row: &ExecutionRow) -> () = start;
        begin(id: ExecutionId, at: i64, sandbox: Option<&str>) -> bool = begin_row;
        keep_masked_input(id: ExecutionId, input: &str) -> () = keep_masked_input;
        finish(id: ExecutionId, ending: &ExecutionOutcome) -> bool = end;
        free_durable_key(id: ExecutionId) -> () = free;
        executed_call(id: ExecutionId) -> Option<ExecutedCall> = executed_call;
    }
}

pub(super) fn admit(
    mut tx: &OpenTransaction<'_>,
    admission: &Admission,
) -> TransactionResult<AdmissionOutcome> {
    poll_ready(admissions::admit(&mut tx, admission))
}

pub(super) fn begin(
    mut tx: &OpenTransaction<'_>,
    execution: ExecutionId,
    start: &ExecutionStart,
) -> TransactionResult<bool> {
    poll_ready(executions::begin(&mut tx, execution, start))
}

pub(super) fn finish(
    mut tx: &OpenTransaction<'_>,
    execution: ExecutionId,
    ending: &ExecutionOutcome,
) -> TransactionResult<bool> {
    poll_ready(executions::finish(&mut tx, execution, ending))
}

/// The entry that ending an execution will write.
pub(super) fn finish_ahead(
    db: &Connection,
    execution: ExecutionId,
    ending: &ExecutionOutcome,
) -> TransactionResult<Vec<AuditEntry>> {
    Ok(executions::predict_finish_entries(executed_call(db, execution)?, execution, ending))
}

pub(super) fn retract(
    mut tx: &OpenTransaction<'_>,
    execution: ExecutionId,
    ending: &ExecutionOutcome,
) -> TransactionResult<bool> {
    poll_ready(admissions::retract(&mut tx, execution, ending))
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (SPENT, "tool_executions_once"),
            (BEGIN, "USING INDEX"),
            (KEEP_INPUT, "USING INDEX"),
            (END, "USING INDEX"),
            (EXECUTED_CALL, "USING INDEX"),
            (BY_ID, "USING INDEX"),
            (LATEST, "calls_by_call_id"),
        ]);
    }
}
