//! Transactions on approvals: open, answer, leave and end.
//!
//! The gate's pure functions decide what happens to an approval. The steps here read the rows, call them, and
//! write the result.

mod expiry;
mod row;

pub(crate) use expiry::sweep;
pub(crate) use row::{
    ApprovalRow, MaskedPurge, PurgeCandidate, StatusRow, StoredApproval, claimed_at, edited_call,
    requested_call,
};

use jiff::Timestamp;
use sekisho_gate::approval::{Approval, ApprovalProgress};
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, Step, StepOutcome};
use sekisho_gate::caller::IdempotencyKey;
use sekisho_gate::ledger::{
    NewApproval, OpenOutcome, REPLICA_LEASE_S, StoredCall, execution_to_start, match_open_request,
    void_if_spent,
};
use sekisho_gate::record::{AuditEntry, step_records};
use sekisho_gate::{ApprovalId, ReplicaId};

use crate::calls::CallRow;
use crate::encoding::{micros, seconds};
use crate::executions::{ExecutionRow, ExecutionTable};
use crate::input_schemas::SchemaTable;
use crate::rules::RuleTables;
use crate::transaction::TableFuture;
use crate::transaction_error::{TransactionError, TransactionResult};

/// Operations on `approvals`, `holds` and `replicas`.
pub(crate) trait ApprovalTables: ExecutionTable + RuleTables + SchemaTable {
    /// Reads an approval and locks it until the transaction ends.
    fn lock_approval(&self, id: ApprovalId) -> impl TableFuture<Option<Approval>>;

    /// Reads the latest approval under a key and locks it until the transaction ends.
    fn lock_latest(&self, key: &IdempotencyKey) -> impl TableFuture<Option<Approval>>;

    fn insert_approval(&self, approval: &Approval) -> impl TableFuture<()>;

    /// Compare-and-set: fails if the row changed since it was read.
    fn update_approval(
        &self,
        id: ApprovalId,
        before: &ApprovalProgress,
        after: &ApprovalProgress,
    ) -> impl TableFuture<()>;

    fn any_pending(&self) -> impl TableFuture<bool>;

    /// Pending approvals whose deadline has passed, earliest first.
    fn due(&self, at: i64, limit: usize) -> impl TableFuture<Vec<ApprovalId>>;

    /// The earliest deadline of a pending approval.
    fn next_deadline(&self) -> impl TableFuture<Option<i64>>;

    /// Records that a replica has a waiter for an approval.
    fn hold(&self, id: ApprovalId, replica: ReplicaId) -> impl TableFuture<()>;

    /// Records that a replica no longer has a waiter for an approval.
    fn release(&self, id: ApprovalId, replica: ReplicaId) -> impl TableFuture<()>;

    /// Removes all waiters of an approval.
    fn release_all(&self, id: ApprovalId) -> impl TableFuture<()>;

    /// Whether a replica seen after `moment` has a waiter for the approval.
    fn held_after(&self, id: ApprovalId, moment: i64) -> impl TableFuture<bool>;

    /// Pending approvals whose holders were all last seen at or before `moment`.
    fn abandoned(&self, moment: i64, limit: usize) -> impl TableFuture<Vec<ApprovalId>>;

    /// When the first lost holder was last seen. A holder is lost if it was not seen after `moment`.
    fn first_lost(&self, moment: i64) -> impl TableFuture<Option<i64>>;

    /// Records that a replica is alive.
    fn touch_replica(&self, replica: ReplicaId, at: i64) -> impl TableFuture<()>;

    /// Deletes replicas that hold nothing and were last seen before a time.
    fn forget_replicas(&self, before: i64) -> impl TableFuture<()>;
}

/// Opens an approval, or joins the one already open under the same key.
pub(crate) async fn open(
    tables: &mut impl ApprovalTables,
    opening: &NewApproval,
) -> TransactionResult<OpenOutcome> {
    let approval = &opening.approval;
    let at = approval.asked.at;
    if !approval.is_pending() {
        return Err(TransactionError::inconsistent(format!(
            "approval `{}` is not pending and cannot be opened",
            approval.id
        )));
    }
    if let Some(key) = approval.asked.durable_key()
        && let Some(spent) = tables.spent(&key).await?
    {
        return Ok(OpenOutcome::Spent(spent));
    }
    tables.touch_replica(opening.replica, micros(at)).await?;
    let latest = match approval.asked.idempotency_key() {
        Some(key) => tables.lock_latest(&key).await?,
        None => None,
    };
    // The sweep may not have run since. An expired approval cannot be joined.
    let latest = match latest {
        Some(latest) => {
            Some(apply_trigger(tables, &latest, &ApprovalTrigger::TimePassed, at).await?.approval)
        }
        None => None,
    };
    let opened = match_open_request(latest, opening);
    match &opened {
        OpenOutcome::New => ask(tables, opening).await?,
        OpenOutcome::Joined(joined) => hold(tables, joined, opening.replica).await?,
        OpenOutcome::Answered(_) | OpenOutcome::Conflict(_) | OpenOutcome::Spent(_) => {}
    }
    Ok(opened)
}

async fn ask(tables: &mut impl ApprovalTables, opening: &NewApproval) -> TransactionResult<()> {
    let approval = &opening.approval;
    let asked = &approval.asked;
    let kept = StoredCall {
        id: asked.call_id,
        call: asked.call.clone(),
        digest: asked.digest,
        asker: asked.asker.clone(),
        facts: asked.verdict.facts.clone(),
    };
    tables.insert_call(&CallRow::new(&kept, asked.at, false)?).await?;
    tables.insert_approval(approval).await?;
    if let Some(schema) = &opening.schema {
        tables.keep_schema(&asked.call.tool, schema, micros(asked.at)).await?;
    }
    hold(tables, approval, opening.replica).await?;
    tables.append(&opening.record)
}

/// Waiters matter only for approvals that end when their caller leaves.
async fn hold(
    tables: &impl ApprovalTables,
    approval: &Approval,
    replica: ReplicaId,
) -> TransactionResult<()> {
    if approval.outlives_caller() { Ok(()) } else { tables.hold(approval.id, replica).await }
}

/// Applies a trigger to an approval. `None`: no approval has this id.
pub(crate) async fn step(
    tables: &mut impl ApprovalTables,
    id: ApprovalId,
    trigger: &ApprovalTrigger,
    at: Timestamp,
) -> TransactionResult<Option<Step>> {
    let Some(before) = tables.lock_approval(id).await? else { return Ok(None) };
    apply_trigger(tables, &before, trigger, at).await.map(Some)
}

/// The audit entries a step will write, as far as the approval alone determines them.
pub(crate) fn predict_step_entries(
    before: Option<Approval>,
    trigger: &ApprovalTrigger,
    at: Timestamp,
) -> Vec<AuditEntry> {
    let Some(before) = before else { return Vec::new() };
    let after = before.step(trigger, at).approval;
    step_records(&before, &after, at).into_iter().map(|record| record.entry).collect()
}

/// Applies a trigger to an approval that was just read and locked, and writes everything that follows from
/// it.
async fn apply_trigger(
    tables: &mut impl ApprovalTables,
    before: &Approval,
    trigger: &ApprovalTrigger,
    at: Timestamp,
) -> TransactionResult<Step> {
    let trigger = match is_spent(tables, before, trigger).await? {
        true => &void_if_spent(trigger.clone()),
        false => trigger,
    };
    let step = before.step(trigger, at);
    if !step.changed {
        return Ok(step);
    }
    let after = &step.approval;
    tables.update_approval(after.id, &before.fate, &after.fate).await?;
    if !after.is_pending() {
        tables.release_all(after.id).await?;
    }
    if let Some(edited) = edited_call(before, after) {
        tables.insert_call(&CallRow::new(&edited, at, false)?).await?;
    }
    if let Some((execution, tool)) = execution_to_start(trigger, &step) {
        let call = (after.call_id_to_run(), &after.asked.call, &after.asked.asker);
        let row = ExecutionRow::new(execution, call, &tool, Some(after.id), at);
        tables.start(&row).await?;
    }
    if after.is_finished() {
        tables.end_call(after.asked.call_id, micros(at)).await?;
        tables.end_call(after.call_id_to_run(), micros(at)).await?;
    }
    for record in step_records(before, after, at) {
        tables.append(&record)?;
    }
    Ok(step)
}

/// Whether this is a claim to run a call whose durable key was already spent elsewhere.
async fn is_spent(
    tables: &impl ApprovalTables,
    before: &Approval,
    trigger: &ApprovalTrigger,
) -> TransactionResult<bool> {
    let claims = matches!(trigger, ApprovalTrigger::Claimed(Claim::Run(_))) && before.fate.claimed.is_none();
    match IdempotencyKey::for_durable_call(&before.asked.asker, &before.asked.call).filter(|_| claims) {
        Some(key) => Ok(tables.spent(&key).await?.is_some()),
        None => Ok(false),
    }
}

/// A replica no longer has a waiter for an approval.
pub(crate) async fn leave(
    tables: &mut impl ApprovalTables,
    id: ApprovalId,
    replica: ReplicaId,
    at: Timestamp,
) -> TransactionResult<Option<Step>> {
    let Some(approval) = tables.lock_approval(id).await? else { return Ok(None) };
    tables.release(id, replica).await?;
    if tables.held_after(id, micros(at).saturating_sub(seconds(REPLICA_LEASE_S))).await? {
        return Ok(Some(Step { approval, changed: false, outcome: StepOutcome::NoEffect }));
    }
    apply_trigger(tables, &approval, &ApprovalTrigger::WaitersLeft, at).await.map(Some)
}
