//! Ends approvals whose deadline has passed or that no caller waits for.
//!
//! One sweep ends a bounded number of approvals, so that other writers do not wait long. If more are due, the
//! next deadline it returns is already in the past. Approvals that another process is ending are skipped.

use jiff::Timestamp;
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_gate::ledger::{RECONNECT_GRACE_S, REPLICA_LEASE_S, SweepOutcome};
use sekisho_gate::{ApprovalId, ReplicaId};

use super::{ApprovalTables, apply_trigger};
use crate::encoding::{from_micros, micros, seconds};
use crate::transaction_error::TransactionResult;

/// How many approvals one sweep expires, and how many it aborts as abandoned.
const AT_ONCE: usize = 1000;
/// A replica that holds nothing and was not seen for this many seconds is deleted.
const FORGET_S: i64 = 24 * 60 * 60;

/// Ends all approvals that are expired or abandoned at a time.
pub(crate) async fn sweep(
    tables: &mut impl ApprovalTables,
    replica: ReplicaId,
    at: Timestamp,
) -> TransactionResult<SweepOutcome> {
    let now = micros(at);
    tables.touch_replica(replica, now).await?;
    tables.delete_ended_rules(now).await?;
    tables.forget_replicas(now.saturating_sub(seconds(FORGET_S))).await?;

    let mut ended = Vec::new();
    for id in tables.due(now, AT_ONCE).await? {
        end(tables, id, &ApprovalTrigger::TimePassed, at, &mut ended).await?;
    }
    for id in tables.abandoned(now.saturating_sub(seconds(RECONNECT_GRACE_S)), AT_ONCE).await? {
        end(tables, id, &ApprovalTrigger::WaitersLeft, at, &mut ended).await?;
    }
    let next = next(tables, now).await?;
    Ok(SweepOutcome { ended, next, pending: tables.any_pending().await? })
}

async fn end(
    tables: &mut impl ApprovalTables,
    id: ApprovalId,
    trigger: &ApprovalTrigger,
    at: Timestamp,
    ended: &mut Vec<ApprovalId>,
) -> TransactionResult<()> {
    let Some(before) = tables.lock_approval(id).await? else { return Ok(()) };
    // A caller may have returned while this transaction waited for the row lock.
    let lost = micros(at).saturating_sub(seconds(RECONNECT_GRACE_S));
    if *trigger == ApprovalTrigger::WaitersLeft && tables.held_after(id, lost).await? {
        return Ok(());
    }
    if apply_trigger(tables, &before, trigger, at).await?.changed {
        ended.push(id);
    }
    Ok(())
}

/// The next time at which an approval can end.
async fn next(tables: &impl ApprovalTables, now: i64) -> TransactionResult<Option<Timestamp>> {
    let deadline = tables.next_deadline().await?;
    let lost = tables.first_lost(now.saturating_sub(seconds(REPLICA_LEASE_S))).await?;
    let abandoned = lost.map(|seen| seen.saturating_add(seconds(RECONNECT_GRACE_S)));
    deadline.into_iter().chain(abandoned).min().map(from_micros).transpose()
}
