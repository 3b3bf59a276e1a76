//! Transactions that store a call allowed without an approval, and that take such a call back.

use sekisho_gate::ExecutionId;
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_gate::ledger::{
    Admission, AdmissionOutcome, ExecutionOutcome, match_earlier_answer, match_spent_key,
};

use crate::approvals::{ApprovalTables, step};
use crate::executions::{AdmissionRows, finish};
use crate::transaction_error::TransactionResult;

/// Admits a call that needs no approval, unless its durable key is spent or an approval for it already
/// exists.
pub(crate) async fn admit(
    tables: &mut impl ApprovalTables,
    admission: &Admission,
) -> TransactionResult<AdmissionOutcome> {
    if let Some(key) = admission.durable_key()
        && let Some(spent) = tables.spent(&key).await?
        && let Some(before) = match_spent_key(spent, admission)
    {
        return Ok(before);
    }
    if let Some(key) = admission.idempotency_key()
        && let Some(latest) = tables.lock_latest(&key).await?
        && let Some(before) = match_earlier_answer(&latest, admission)
    {
        return Ok(before);
    }
    let AdmissionRows { call, execution, record } = AdmissionRows::of(admission)?;
    tables.insert_call(&call).await?;
    if let Some(execution) = execution {
        tables.start(&execution).await?;
    }
    tables.append(record)?;
    Ok(AdmissionOutcome::New)
}

/// Ends an execution that was recorded but never permitted. An approval behind it no longer allows anything
/// to run.
pub(crate) async fn retract(
    tables: &mut impl ApprovalTables,
    execution: ExecutionId,
    ending: &ExecutionOutcome,
) -> TransactionResult<bool> {
    if !finish(tables, execution, ending).await? {
        return Ok(false);
    }
    tables.free_durable_key(execution).await?;
    if let Some(call) = tables.executed_call(execution).await?
        && let Some(id) = call.about.approval
    {
        let why = ending.output.clone().unwrap_or_default();
        step(tables, id, &ApprovalTrigger::Retracted { execution, why }, ending.at).await?;
    }
    Ok(true)
}
