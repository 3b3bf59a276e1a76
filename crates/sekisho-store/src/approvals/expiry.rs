//! Questions that end by the clock, or because nobody waits for them any more.
//!
//! One look ends a bounded number of questions, so that nobody waits long behind it; the next moment it then gives is one
//! that has already come. What another process is ending at the same time is left to it.

use jiff::Timestamp;
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_gate::ledger::{RECONNECT_GRACE_S, REPLICA_LEASE_S, SweepOutcome};
use sekisho_gate::{ApprovalId, ReplicaId};

use super::{ApprovalTables, apply_trigger};
use crate::encoding::{from_micros, micros, seconds};
use crate::transaction_error::TransactionResult;

/// How many questions one look expires, and how many it takes for abandoned.
const AT_ONCE: usize = 1000;
/// A replica that holds nothing and was not seen for this long is forgotten.
const FORGET_S: i64 = 24 * 60 * 60;

/// Ends what has ended by a moment.
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
    happening: &ApprovalTrigger,
    at: Timestamp,
    ended: &mut Vec<ApprovalId>,
) -> TransactionResult<()> {
    let Some(before) = tables.lock_approval(id).await? else { return Ok(()) };
    // While this one waited for the question, somebody may have come back for it.
    let lost = micros(at).saturating_sub(seconds(RECONNECT_GRACE_S));
    if *happening == ApprovalTrigger::WaitersLeft && tables.held_after(id, lost).await? {
        return Ok(());
    }
    if apply_trigger(tables, &before, happening, at).await?.changed {
        ended.push(id);
    }
    Ok(())
}

/// The next moment at which a question can end.
async fn next(tables: &impl ApprovalTables, now: i64) -> TransactionResult<Option<Timestamp>> {
    let deadline = tables.next_deadline().await?;
    let lost = tables.first_lost(now.saturating_sub(seconds(REPLICA_LEASE_S))).await?;
    let abandoned = lost.map(|seen| seen.saturating_add(seconds(RECONNECT_GRACE_S)));
    deadline.into_iter().chain(abandoned).min().map(from_micros).transpose()
}
