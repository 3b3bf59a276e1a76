//! Approvals, their waiters, and live replicas.

pub(super) mod list;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use sekisho_gate::approval::{Approval, ApprovalProgress};
use sekisho_gate::approval_machine::{ApprovalTrigger, Step};
use sekisho_gate::caller::IdempotencyKey;
use sekisho_gate::ledger::{NewApproval, OpenOutcome, Snapshot, SweepOutcome};
use sekisho_gate::record::AuditEntry;
use sekisho_gate::{ApprovalId, ReplicaId};
use uuid::Uuid;

use super::events;
use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::transaction_impl::{operations, poll_ready};
use crate::approvals::{self, ApprovalRow, ApprovalTables, StatusRow, claimed_at};
use crate::encoding::saturating_column;
use crate::transaction_error::{TransactionError, TransactionResult};

/// The columns of an approval as read.
pub(super) struct Columns {
    id: Uuid,
    state: String,
    asked: String,
    input: Option<String>,
    fate: String,
}

pub(super) fn columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    Ok(Columns {
        id: row.get(0)?,
        state: row.get(1)?,
        asked: row.get(2)?,
        input: row.get(3)?,
        fate: row.get(4)?,
    })
}

impl Columns {
    pub(super) fn approval(&self) -> TransactionResult<Approval> {
        ApprovalRow::read(self.id, &self.state, &self.asked, self.input.as_deref(), &self.fate)
    }
}

const INSERT: &str = "INSERT INTO approvals \
    (id, call, credential, scope, call_key, state, deadline, claimed_at, asked_at, asked, fate) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

pub(crate) fn insert(db: &Connection, approval: &Approval) -> TransactionResult<()> {
    let row = ApprovalRow::of(approval)?;
    let (scope, call_key) = row.key.unzip();
    let fate = row.fate;
    let values = params![
        row.id,
        row.call,
        row.credential,
        scope,
        call_key,
        fate.state,
        fate.deadline,
        fate.claimed_at,
        row.asked_at,
        row.asked,
        fate.fate
    ];
    run(db, INSERT, values).map(drop)
}

/// Guarded by the previous value: fails if another process changed the row.
const UPDATE: &str = "UPDATE approvals SET state = ?2, deadline = ?3, claimed_at = ?4, fate = ?5 \
    WHERE id = ?1 AND state = ?6 AND claimed_at IS ?7";

/// Compare-and-set: fails if the row changed since it was read.
pub(crate) fn update(
    db: &Connection,
    id: ApprovalId,
    before: &ApprovalProgress,
    after: &ApprovalProgress,
) -> TransactionResult<()> {
    let row = StatusRow::of(after)?;
    let values = params![
        id.0,
        row.state,
        row.deadline,
        row.claimed_at,
        row.fate,
        before.state.name(),
        claimed_at(before)
    ];
    match run(db, UPDATE, values)? {
        1 => Ok(()),
        changed => Err(TransactionError::inconsistent(format!(
            "approval `{id}` changed since it was read ({changed} rows): nothing was written"
        ))),
    }
}

const BY_ID: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call WHERE a.id = ?1";

pub(crate) fn by_id(db: &Connection, id: ApprovalId) -> TransactionResult<Option<Approval>> {
    one(db, BY_ID, [id.0])
}

const LATEST_BY_KEY: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call \
    WHERE a.credential = ?1 AND a.scope = ?2 AND a.call_key = ?3 AND a.call_key IS NOT NULL \
    ORDER BY a.seq DESC LIMIT 1";

pub(crate) fn latest(db: &Connection, key: &IdempotencyKey) -> TransactionResult<Option<Approval>> {
    one(db, LATEST_BY_KEY, params![key.credential, key.scope, key.call_id])
}

fn one(db: &Connection, sql: &str, params: impl Params) -> TransactionResult<Option<Approval>> {
    let found = db.prepare_cached(sql)?.query_row(params, columns).optional()?;
    found.map(|columns| columns.approval()).transpose()
}

/// Each query names its index, which holds pending approvals only; an index of all approvals would be larger.
const PENDING: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a INDEXED BY approvals_pending JOIN calls c ON c.id = a.call \
    WHERE a.state = 'pending' AND a.seq > coalesce((SELECT seq FROM approvals WHERE id = ?1), 0) \
    ORDER BY a.seq LIMIT ?2";

pub(crate) fn pending(
    db: &Connection,
    after: Option<ApprovalId>,
    limit: usize,
) -> TransactionResult<Vec<Approval>> {
    let limit = saturating_column(limit);
    let mut statement = db.prepare_cached(PENDING)?;
    let rows = statement.query_map(params![after.map(|after| after.0), limit], columns)?;
    rows.map(|row| row?.approval()).collect()
}

const ANY_PENDING: &str =
    "SELECT EXISTS (SELECT 1 FROM approvals INDEXED BY approvals_pending WHERE state = 'pending')";

pub(crate) fn any_pending(db: &Connection) -> TransactionResult<bool> {
    Ok(db.prepare_cached(ANY_PENDING)?.query_row([], |row| row.get(0))?)
}

const DUE: &str = "SELECT id FROM approvals INDEXED BY approvals_due \
    WHERE state = 'pending' AND deadline IS NOT NULL AND deadline <= ?1 ORDER BY deadline LIMIT ?2";

/// Pending approvals whose deadline has passed, earliest first.
pub(crate) fn due(db: &Connection, at: i64, limit: usize) -> TransactionResult<Vec<ApprovalId>> {
    ids(db, DUE, at, limit)
}

/// Approvals whose holders were all last seen at or before a time. Starts from the lost replicas, which are
/// few.
const ABANDONED: &str = "SELECT DISTINCT h.approval \
    FROM replicas r CROSS JOIN holds h ON h.replica = r.id \
    WHERE r.seen_at <= ?1 AND NOT EXISTS (\
        SELECT 1 FROM holds o CROSS JOIN replicas s ON s.id = o.replica \
        WHERE o.approval = h.approval AND s.seen_at > ?1) \
    LIMIT ?2";

/// Pending approvals whose holders were all last seen at or before `moment`.
pub(crate) fn abandoned(db: &Connection, moment: i64, limit: usize) -> TransactionResult<Vec<ApprovalId>> {
    ids(db, ABANDONED, moment, limit)
}

fn ids(db: &Connection, sql: &str, moment: i64, limit: usize) -> TransactionResult<Vec<ApprovalId>> {
    let limit = saturating_column(limit);
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(params![moment, limit], |row| row.get(0).map(ApprovalId))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

const NEXT_DEADLINE: &str = "SELECT min(deadline) FROM approvals INDEXED BY approvals_due \
    WHERE state = 'pending' AND deadline IS NOT NULL";

pub(crate) fn next_deadline(db: &Connection) -> TransactionResult<Option<i64>> {
    Ok(db.prepare_cached(NEXT_DEADLINE)?.query_row([], |row| row.get(0))?)
}

/// When the first lost holder of an approval with no later holder was seen.
const FIRST_LOST: &str = "SELECT r.seen_at \
    FROM replicas r CROSS JOIN holds h ON h.replica = r.id \
    WHERE r.seen_at <= ?1 AND NOT EXISTS (\
        SELECT 1 FROM holds o CROSS JOIN replicas s ON s.id = o.replica \
        WHERE o.approval = h.approval AND s.seen_at > r.seen_at) \
    ORDER BY r.seen_at LIMIT 1";

/// When the first lost holder was last seen. A holder is lost if it was not seen after `moment`.
pub(crate) fn first_lost(db: &Connection, moment: i64) -> TransactionResult<Option<i64>> {
    Ok(db.prepare_cached(FIRST_LOST)?.query_row([moment], |row| row.get(0)).optional()?)
}

const SEE_REPLICA: &str = "INSERT INTO replicas (id, seen_at) VALUES (?1, ?2) \
    ON CONFLICT (id) DO UPDATE SET seen_at = max(seen_at, excluded.seen_at)";

pub(crate) fn see(db: &Connection, replica: ReplicaId, at: i64) -> TransactionResult<()> {
    run(db, SEE_REPLICA, params![replica.0, at]).map(drop)
}

/// Replicas that were lost long ago and hold nothing.
const FORGET_REPLICAS: &str = "DELETE FROM replicas WHERE seen_at < ?1 \
    AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.replica = replicas.id)";

pub(crate) fn forget_replicas(db: &Connection, before: i64) -> TransactionResult<()> {
    run(db, FORGET_REPLICAS, [before]).map(drop)
}

const HOLD: &str = "INSERT OR IGNORE INTO holds (approval, replica) VALUES (?1, ?2)";

pub(crate) fn hold(db: &Connection, id: ApprovalId, replica: ReplicaId) -> TransactionResult<()> {
    run(db, HOLD, params![id.0, replica.0]).map(drop)
}

const RELEASE: &str = "DELETE FROM holds WHERE approval = ?1 AND replica = ?2";

pub(crate) fn release(db: &Connection, id: ApprovalId, replica: ReplicaId) -> TransactionResult<()> {
    run(db, RELEASE, params![id.0, replica.0]).map(drop)
}

const RELEASE_ALL: &str = "DELETE FROM holds WHERE approval = ?1";

pub(crate) fn release_all(db: &Connection, id: ApprovalId) -> TransactionResult<()> {
    run(db, RELEASE_ALL, [id.0]).map(drop)
}

/// Whether a replica seen after `moment` has a waiter for the approval.
const HELD_AFTER: &str = "SELECT EXISTS (SELECT 1 FROM holds h JOIN replicas r ON r.id = h.replica \
    WHERE h.approval = ?1 AND r.seen_at > ?2)";

pub(crate) fn held_after(db: &Connection, id: ApprovalId, moment: i64) -> TransactionResult<bool> {
    Ok(db.prepare_cached(HELD_AFTER)?.query_row(params![id.0, moment], |row| row.get(0))?)
}

operations! {
    impl ApprovalTables for &OpenTransaction<'_> {
        lock_approval(id: ApprovalId) -> Option<Approval> = by_id;
        lock_latest(key: &IdempotencyKey) -> Option<Approval> = latest;
        insert_approval(approval: &Approval) -> () = insert;
        update_approval(id: ApprovalId, before: &ApprovalProgress, after: &ApprovalProgress) -> () = update;
        any_pending() -> bool = any_pending;
        due(at: i64, limit: usize) -> Vec<ApprovalId> = due;
        next_deadline() -> Option<i64> = next_deadline;
        hold(id: ApprovalId, replica: ReplicaId) -> () = hold;
        release(id: ApprovalId, replica: ReplicaId) -> () = release;
        release_all(id: ApprovalId) -> () = release_all;
        held_after(id: ApprovalId, moment: i64) -> bool = held_after;
        abandoned(moment: i64, limit: usize) -> Vec<ApprovalId> = abandoned;
        first_lost(moment: i64) -> Option<i64> = first_lost;
        touch_replica(replica: ReplicaId, at: i64) -> () = see;
        forget_replicas(before: i64) -> () = forget_replicas;
    }
}

pub(super) fn open(mut tx: &OpenTransaction<'_>, opening: &NewApproval) -> TransactionResult<OpenOutcome> {
    poll_ready(approvals::open(&mut tx, opening))
}

pub(super) fn step(
    mut tx: &OpenTransaction<'_>,
    id: ApprovalId,
    trigger: &ApprovalTrigger,
    at: Timestamp,
) -> TransactionResult<Option<Step>> {
    poll_ready(approvals::step(&mut tx, id, trigger, at))
}

/// The entries a step will write.
pub(super) fn step_ahead(
    db: &Connection,
    id: ApprovalId,
    trigger: &ApprovalTrigger,
    at: Timestamp,
) -> TransactionResult<Vec<AuditEntry>> {
    Ok(approvals::predict_step_entries(by_id(db, id)?, trigger, at))
}

pub(super) fn leave(
    mut tx: &OpenTransaction<'_>,
    id: ApprovalId,
    replica: ReplicaId,
    at: Timestamp,
) -> TransactionResult<Option<Step>> {
    poll_ready(approvals::leave(&mut tx, id, replica, at))
}

pub(super) fn sweep(
    mut tx: &OpenTransaction<'_>,
    replica: ReplicaId,
    at: Timestamp,
) -> TransactionResult<SweepOutcome> {
    poll_ready(approvals::sweep(&mut tx, replica, at))
}

/// All pending approvals and the last event they reflect, as of one time.
pub(super) fn snapshot(db: &Connection) -> TransactionResult<Snapshot> {
    Ok(Snapshot { seq: events::head(db)?, pending: pending(db, None, usize::MAX)? })
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (BY_ID, "USING INDEX"),
            (UPDATE, "USING INDEX"),
            (LATEST_BY_KEY, "approvals_by_key"),
            (PENDING, "approvals_pending"),
            (ANY_PENDING, "approvals_"),
            (DUE, "approvals_due"),
            (NEXT_DEADLINE, "approvals_due"),
            (RELEASE_ALL, "USING PRIMARY KEY"),
            (HELD_AFTER, "USING PRIMARY KEY"),
            (ABANDONED, "replicas_by_seen"),
            (FIRST_LOST, "replicas_by_seen"),
            (FORGET_REPLICAS, "replicas_by_seen"),
        ]);
    }
}
