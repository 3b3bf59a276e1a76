//! Executions: one run of one tool each.

use jiff::Timestamp;
use sekisho_gate::audit::ChainRow;
use sekisho_gate::caller::{Caller, IdempotencyKey};
use sekisho_gate::ledger::{Admission, ExecutionOutcome, ExecutionStart, SpentKey};
use sekisho_gate::record::{AuditEntry, Record, execution_record};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::Call;
use serde_json::Value;
use uuid::Uuid;

use crate::calls::{CallRow, CallTable};
use crate::encoding::{json, key_hash, micros};
use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::{TransactionError, TransactionResult};

/// An execution as first inserted. Its raw input is in `calls`.
pub(crate) struct ExecutionRow {
    pub(crate) id: Uuid,
    pub(crate) run: Option<Uuid>,
    pub(crate) tool: String,
    pub(crate) created_at: i64,
    pub(crate) call: Uuid,
    pub(crate) approval: Option<Uuid>,
    /// Hash of its durable key, if it has one.
    pub(crate) once: Option<[u8; 32]>,
}

impl ExecutionRow {
    /// An execution that starts now.
    pub(crate) fn new(
        id: ExecutionId,
        (call_id, call, asker): (CallId, &Call, &Caller),
        tool: &str,
        approval: Option<ApprovalId>,
        at: Timestamp,
    ) -> ExecutionRow {
        ExecutionRow {
            id: id.0,
            run: call.run_id.as_deref().and_then(|run| run.parse().ok()),
            tool: tool.to_owned(),
            created_at: micros(at),
            call: call_id.0,
            approval: approval.map(|approval| approval.0),
            once: IdempotencyKey::for_durable_call(asker, call).map(|key| key_hash(&key)),
        }
    }
}

/// The call of an execution.
pub(crate) struct ExecutedCall {
    /// The beginning of its audit entry.
    pub(crate) about: AuditEntry,
    /// The call that needed approval, if an edited one ran instead.
    pub(crate) asked: Option<CallId>,
    /// Its run, if it names one.
    pub(crate) run: Option<String>,
}

/// An admission as rows.
pub(crate) struct AdmissionRows<'a> {
    pub(crate) call: CallRow<'a>,
    pub(crate) execution: Option<ExecutionRow>,
    pub(crate) record: &'a Record,
}

impl<'a> AdmissionRows<'a> {
    /// Fails if a row could not be stored, before anything is written.
    pub(crate) fn of(admission: &'a Admission) -> TransactionResult<AdmissionRows<'a>> {
        let Admission { at, call: kept, execution, record } = admission;
        let call = (kept.id, &kept.call, &kept.asker);
        Ok(AdmissionRows {
            call: CallRow::new(kept, *at, execution.is_none())?,
            execution: execution
                .map(|execution| ExecutionRow::new(execution, call, &kept.call.tool, None, *at)),
            record,
        })
    }
}

/// Operations on `tool_executions`.
pub(crate) trait ExecutionTable: CallTable + Transaction {
    /// What a durable key was spent on.
    fn spent(&self, key: &IdempotencyKey) -> impl TableFuture<Option<SpentKey>>;

    /// Inserts an execution that starts.
    fn start(&self, row: &ExecutionRow) -> impl TableFuture<()>;

    /// Marks an execution as begun. Returns whether it waited to begin.
    fn begin(&self, id: ExecutionId, at: i64, sandbox: Option<&str>) -> impl TableFuture<bool>;

    /// Stores the masked input.
    fn keep_masked_input(&self, id: ExecutionId, input: &str) -> impl TableFuture<()>;

    /// Returns whether it was running.
    fn finish(&self, id: ExecutionId, ending: &ExecutionOutcome) -> impl TableFuture<bool>;

    /// Frees the durable key of an execution that was never permitted.
    fn free_durable_key(&self, id: ExecutionId) -> impl TableFuture<()>;

    /// The call of an execution.
    fn executed_call(&self, id: ExecutionId) -> impl TableFuture<Option<ExecutedCall>>;
}

/// Begins an execution, with its audit record. Returns `false`, and writes nothing, if it does not wait to
/// begin.
pub(crate) async fn begin(
    tables: &mut impl ExecutionTable,
    execution: ExecutionId,
    start: &ExecutionStart,
) -> TransactionResult<bool> {
    if !tables.begin(execution, micros(start.at), start.sandbox.as_deref()).await? {
        return Ok(false);
    }
    let row = tables.append_row(&start.record)?;
    if let Some(input) = row.and_then(|row| masked_input(&row)) {
        tables.keep_masked_input(execution, &json(&input, "the execution's masked input")?).await?;
    }
    Ok(true)
}

/// The `input` in the body of an audit row.
fn masked_input(row: &ChainRow) -> Option<Value> {
    let body: Value = serde_json::from_str(&row.body).ok()?;
    body.get("input").cloned()
}

/// Ends an execution. Returns `false` if it was not running.
pub(crate) async fn finish(
    tables: &mut impl ExecutionTable,
    execution: ExecutionId,
    ending: &ExecutionOutcome,
) -> TransactionResult<bool> {
    if !tables.finish(execution, ending).await? {
        return Ok(false);
    }
    let Some(ExecutedCall { about, asked, run }) = tables.executed_call(execution).await? else {
        return Err(TransactionError::inconsistent(format!(
            "the call of execution `{execution}` is missing"
        )));
    };
    for call in about.call.into_iter().chain(asked) {
        tables.end_call(call, micros(ending.at)).await?;
    }
    tables.append(&execution_record(execution, ending, about, run))?;
    Ok(true)
}

/// The audit entry that ending the execution would write, judging by what is stored now.
pub(crate) fn predict_finish_entries(
    call: Option<ExecutedCall>,
    execution: ExecutionId,
    ending: &ExecutionOutcome,
) -> Vec<AuditEntry> {
    call.map(|call| execution_record(execution, ending, call.about, call.run).entry).into_iter().collect()
}
