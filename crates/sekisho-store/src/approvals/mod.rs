//! Questions: asked, answered, left and ended.
//!
//! What becomes of a question is asked of the gate's own functions between reading and writing; the steps here only carry
//! their answers to the tables.

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
    /// The question, and nobody else changes it until the transaction ends.
    fn lock_approval(&self, id: ApprovalId) -> impl TableFuture<Option<Approval>>;

    /// The latest under a key, likewise.
    fn lock_latest(&self, key: &IdempotencyKey) -> impl TableFuture<Option<Approval>>;

    /// Inserts a question.
    fn insert_approval(&self, approval: &Approval) -> impl TableFuture<()>;

    /// Compares and sets: the row must still be what the step was taken from.
    fn update_approval(
        &self,
        id: ApprovalId,
        before: &ApprovalProgress,
        after: &ApprovalProgress,
    ) -> impl TableFuture<()>;

    /// Whether any question is pending.
    fn any_pending(&self) -> impl TableFuture<bool>;

    /// Pending questions whose deadline has come, the earliest first.
    fn due(&self, at: i64, limit: usize) -> impl TableFuture<Vec<ApprovalId>>;

    /// The earliest deadline of a pending question.
    fn next_deadline(&self) -> impl TableFuture<Option<i64>>;

    /// A replica holds a question.
    fn hold(&self, id: ApprovalId, replica: ReplicaId) -> impl TableFuture<()>;

    /// A replica holds a question no longer.
    fn release(&self, id: ApprovalId, replica: ReplicaId) -> impl TableFuture<()>;

    /// Nobody holds a question any longer.
    fn release_all(&self, id: ApprovalId) -> impl TableFuture<()>;

    /// Whether a replica that was seen after a moment holds a question.
    fn held_after(&self, id: ApprovalId, moment: i64) -> impl TableFuture<bool>;

    /// Pending questions none of whose holders was seen after a moment.
    fn abandoned(&self, moment: i64, limit: usize) -> impl TableFuture<Vec<ApprovalId>>;

    /// When the first lost holder was seen; lost are those not seen after a moment.
    fn first_lost(&self, moment: i64) -> impl TableFuture<Option<i64>>;

    /// A replica lives.
    fn touch_replica(&self, replica: ReplicaId, at: i64) -> impl TableFuture<()>;

    /// Forgets replicas that hold nothing and were last seen before a moment.
    fn forget_replicas(&self, before: i64) -> impl TableFuture<()>;
}

/// Asks a question, or joins the one that was asked under the same key.
pub(crate) async fn open(
    tables: &mut impl ApprovalTables,
    opening: &NewApproval,
) -> TransactionResult<OpenOutcome> {
    let approval = &opening.approval;
    let at = approval.asked.at;
    if !approval.is_pending() {
        return Err(TransactionError::inconsistent(format!(
            "question `{}` is not pending and cannot be asked",
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
    // Nobody may have looked at the clock since; what has expired cannot be joined.
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

/// Who waits matters only for questions that end with their asker.
async fn hold(
    tables: &impl ApprovalTables,
    approval: &Approval,
    replica: ReplicaId,
) -> TransactionResult<()> {
    if approval.outlives_caller() { Ok(()) } else { tables.hold(approval.id, replica).await }
}

/// Lets something happen to a question. None: there is no such question.
pub(crate) async fn step(
    tables: &mut impl ApprovalTables,
    id: ApprovalId,
    happening: &ApprovalTrigger,
    at: Timestamp,
) -> TransactionResult<Option<Step>> {
    let Some(before) = tables.lock_approval(id).await? else { return Ok(None) };
    apply_trigger(tables, &before, happening, at).await.map(Some)
}

/// The lines that a step will be, as far as can be told from the question alone.
pub(crate) fn predict_step_entries(
    before: Option<Approval>,
    happening: &ApprovalTrigger,
    at: Timestamp,
) -> Vec<AuditEntry> {
    let Some(before) = before else { return Vec::new() };
    let after = before.step(happening, at).approval;
    step_records(&before, &after, at).into_iter().map(|record| record.entry).collect()
}

/// Lets something happen to a question that was just read and locked, and writes all that follows from it.
async fn apply_trigger(
    tables: &mut impl ApprovalTables,
    before: &Approval,
    happening: &ApprovalTrigger,
    at: Timestamp,
) -> TransactionResult<Step> {
    let happening = match is_spent(tables, before, happening).await? {
        true => &void_if_spent(happening.clone()),
        false => happening,
    };
    let step = before.step(happening, at);
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
    if let Some((execution, tool, input)) = execution_to_start(happening, &step) {
        let call = (after.call_id_to_run(), &after.asked.call, &after.asked.asker);
        let row = ExecutionRow::new(execution, call, (&tool, &input), Some(after.id), at)?;
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

/// Whether a claim to run the call comes after its durable key was spent elsewhere.
async fn is_spent(
    tables: &impl ApprovalTables,
    before: &Approval,
    happening: &ApprovalTrigger,
) -> TransactionResult<bool> {
    let claims =
        matches!(happening, ApprovalTrigger::Claimed(Claim::Run(_))) && before.fate.claimed.is_none();
    match IdempotencyKey::for_durable_call(&before.asked.asker, &before.asked.call).filter(|_| claims) {
        Some(key) => Ok(tables.spent(&key).await?.is_some()),
        None => Ok(false),
    }
}

/// A replica has no waiter for a question any more.
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
