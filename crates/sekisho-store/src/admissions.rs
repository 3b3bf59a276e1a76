//! Calls that run without a question, and those that are taken back.

use sekisho_gate::ExecutionId;
use sekisho_gate::ledger::{Admission, Admitted, Ending, answered_before, spent_before};
use sekisho_gate::machine::Happening;

use crate::approvals::{ApprovalTables, step};
use crate::executions::{Prepared, finish};
use crate::fault::Scripted;

/// Admits a call that needs no question, unless its durable key is spent or it was asked about before.
pub(crate) async fn admit(tables: &mut impl ApprovalTables, admission: &Admission) -> Scripted<Admitted> {
    if let Some(key) = admission.once()
        && let Some(spent) = tables.spent(&key).await?
        && let Some(before) = spent_before(spent, admission)
    {
        return Ok(before);
    }
    if let Some(key) = admission.key()
        && let Some(latest) = tables.take_latest(&key).await?
        && let Some(before) = answered_before(&latest, admission)
    {
        return Ok(before);
    }
    let Prepared { call, execution, record } = Prepared::of(admission)?;
    tables.insert_call(&call).await?;
    if let Some(execution) = execution {
        tables.start(&execution).await?;
    }
    tables.append(record)?;
    Ok(Admitted::New)
}

/// Ends an execution that was recorded and then not permitted. The answer that let it through lets nothing run.
pub(crate) async fn retract(
    tables: &mut impl ApprovalTables,
    execution: ExecutionId,
    ending: &Ending,
) -> Scripted<bool> {
    if !finish(tables, execution, ending).await? {
        return Ok(false);
    }
    tables.free(execution).await?;
    if let Some((about, _)) = tables.about(execution).await?
        && let Some(id) = about.approval
    {
        let why = ending.output.clone().unwrap_or_default();
        step(tables, id, &Happening::Retracted { execution, why }, ending.at).await?;
    }
    Ok(true)
}
