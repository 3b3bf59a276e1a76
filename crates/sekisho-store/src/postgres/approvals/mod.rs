//! Approvals, their waiters, and live replicas.

pub(super) mod list;

use jiff::Timestamp;
use sekisho_gate::approval::{Approval, ApprovalProgress};
use sekisho_gate::approval_machine::{ApprovalTrigger, Step};
use sekisho_gate::caller::IdempotencyKey;
use sekisho_gate::ledger::{NewApproval, OpenOutcome, Snapshot, SweepOutcome};
use sekisho_gate::record::AuditEntry;
use sekisho_gate::{ApprovalId, ReplicaId};
use tokio_postgres::Row;

use super::connection::{PgConnection, Values};
use super::events;
use super::nul_escape::escape_nul;
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use super::write_operation::{WriteOperation, lock_of, lock_of_key};
use crate::approvals::{self, ApprovalRow, ApprovalTables, StatusRow, claimed_at};
use crate::encoding::{key_hash, saturating_column};
use crate::transaction_error::{TransactionError, TransactionResult};

pub(super) fn approval(row: &Row) -> TransactionResult<Approval> {
    let input: Option<&str> = row.try_get(3)?;
    ApprovalRow::read(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, input, row.try_get(4)?)
}

const INSERT: &str = "INSERT INTO approvals \
    (id, call, credential, scope, call_key, key, state, deadline, claimed_at, asked_at, asked, fate) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";

pub(crate) async fn insert(db: &PgConnection<'_>, approval: &Approval) -> TransactionResult<()> {
    let row = ApprovalRow::of(approval)?;
    let key = approval.asked.idempotency_key().map(|key| key_hash(&key));
    let key = key.as_ref().map(<[u8; 32]>::as_slice);
    let (scope, call_key) =
        row.key.as_ref().map(|(scope, call)| (escape_nul(scope), escape_nul(call))).unzip();
    let fate = row.fate;
    db.run(
        INSERT,
        &[
            &row.id,
            &row.call,
            &escape_nul(&row.credential),
            &scope,
            &call_key,
            &key,
            &fate.state,
            &fate.deadline,
            &fate.claimed_at,
            &row.asked_at,
            &row.asked,
            &fate.fate,
        ],
    )
    .await
    .map(drop)
}

/// Guarded by the previous value: fails if another process changed the row.
const UPDATE: &str = "UPDATE approvals SET state = $2, deadline = $3, claimed_at = $4, fate = $5 \
    WHERE id = $1 AND state = $6 AND claimed_at IS NOT DISTINCT FROM $7";

/// Compare-and-set: fails if the row changed since it was read.
pub(crate) async fn update(
    db: &PgConnection<'_>,
    id: ApprovalId,
    before: &ApprovalProgress,
    after: &ApprovalProgress,
) -> TransactionResult<()> {
    let row = StatusRow::of(after)?;
    let (state, claimed) = (before.state.name(), claimed_at(before));
    let values: Values<'_> =
        &[&id.0, &row.state, &row.deadline, &row.claimed_at, &row.fate, &state, &claimed];
    match db.run(UPDATE, values).await? {
        1 => Ok(()),
        changed => Err(TransactionError::inconsistent(format!(
            "approval `{id}` changed since it was read ({changed} rows): nothing was written"
        ))),
    }
}

const BY_ID: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call WHERE a.id = $1";

pub(crate) async fn by_id(db: &PgConnection<'_>, id: ApprovalId) -> TransactionResult<Option<Approval>> {
    db.row(BY_ID, &[&id.0]).await?.as_ref().map(approval).transpose()
}

const TAKE_BY_ID: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call WHERE a.id = $1 FOR UPDATE OF a";

/// Reads an approval and locks it until the transaction ends.
pub(crate) async fn take(db: &PgConnection<'_>, id: ApprovalId) -> TransactionResult<Option<Approval>> {
    db.row(TAKE_BY_ID, &[&id.0]).await?.as_ref().map(approval).transpose()
}

const TAKE_LATEST_BY_KEY: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call \
    WHERE a.key = $1 AND a.credential = $2 AND a.scope = $3 AND a.call_key = $4 \
    ORDER BY a.seq DESC LIMIT 1 FOR UPDATE OF a";

/// Reads the latest approval under a key and locks it until the transaction ends.
pub(crate) async fn take_latest(
    db: &PgConnection<'_>,
    key: &IdempotencyKey,
) -> TransactionResult<Option<Approval>> {
    let hash = key_hash(key);
    let (credential, scope, call) =
        (escape_nul(&key.credential), escape_nul(&key.scope), escape_nul(&key.call_id));
    let values: Values<'_> = &[&hash.as_slice(), &credential, &scope, &call];
    db.row(TAKE_LATEST_BY_KEY, values).await?.as_ref().map(approval).transpose()
}

const LATEST_BY_KEYS: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate, a.key \
    FROM (SELECT DISTINCT key FROM UNNEST($1::bytea[]) AS all_of (key)) AS wanted CROSS JOIN LATERAL (\
        SELECT * FROM approvals WHERE approvals.key = wanted.key ORDER BY approvals.seq DESC LIMIT 1) AS a \
    JOIN calls c ON c.id = a.call";

/// The hash of a key, and the latest approval under it if it could be read.
pub(crate) type Latest = (Vec<u8>, TransactionResult<Approval>);

/// The latest approval under each key that has one. An approval that cannot be read fails only its own
/// caller.
pub(crate) async fn latest(db: &PgConnection<'_>, keys: &[[u8; 32]]) -> TransactionResult<Vec<Latest>> {
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
    let rows = db.rows(LATEST_BY_KEYS, &[&keys]).await?;
    rows.iter().map(|row| -> TransactionResult<Latest> { Ok((row.try_get(5)?, approval(row))) }).collect()
}

const PENDING: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call \
    WHERE a.state = 'pending' AND a.seq > coalesce((SELECT seq FROM approvals WHERE id = $1), 0) \
    ORDER BY a.seq LIMIT $2";

pub(crate) async fn pending(
    db: &PgConnection<'_>,
    after: Option<ApprovalId>,
    limit: usize,
) -> TransactionResult<Vec<Approval>> {
    let rows = db.rows(PENDING, &[&after.map(|after| after.0), &saturating_column(limit)]).await?;
    rows.iter().map(approval).collect()
}

const ANY_PENDING: &str = "SELECT EXISTS (SELECT 1 FROM approvals WHERE state = 'pending')";

pub(crate) async fn any_pending(db: &PgConnection<'_>) -> TransactionResult<bool> {
    Ok(db.one(ANY_PENDING, &[]).await?.try_get(0)?)
}

/// Skips rows that another process is ending.
const DUE: &str = "SELECT id FROM approvals \
    WHERE state = 'pending' AND deadline IS NOT NULL AND deadline <= $1 ORDER BY deadline LIMIT $2 \
    FOR UPDATE SKIP LOCKED";

/// Pending approvals whose deadline has passed, earliest first.
pub(crate) async fn due(db: &PgConnection<'_>, at: i64, limit: usize) -> TransactionResult<Vec<ApprovalId>> {
    ids(db, DUE, at, limit).await
}

/// Approvals whose holders were all last seen at or before a time. Starts from the lost replicas, which are
/// few.
const ABANDONED: &str = "SELECT DISTINCT h.approval \
    FROM replicas r JOIN holds h ON h.replica = r.id \
    WHERE r.seen_at <= $1 AND NOT EXISTS (\
        SELECT 1 FROM holds o JOIN replicas s ON s.id = o.replica \
        WHERE o.approval = h.approval AND s.seen_at > $1) \
    ORDER BY h.approval LIMIT $2";

/// Pending approvals whose holders were all last seen at or before `moment`.
pub(crate) async fn abandoned(
    db: &PgConnection<'_>,
    moment: i64,
    limit: usize,
) -> TransactionResult<Vec<ApprovalId>> {
    ids(db, ABANDONED, moment, limit).await
}

async fn ids(
    db: &PgConnection<'_>,
    sql: &'static str,
    moment: i64,
    limit: usize,
) -> TransactionResult<Vec<ApprovalId>> {
    let rows = db.rows(sql, &[&moment, &saturating_column(limit)]).await?;
    rows.iter().map(|row| Ok(ApprovalId(row.try_get(0)?))).collect()
}

const NEXT_DEADLINE: &str =
    "SELECT min(deadline) FROM approvals WHERE state = 'pending' AND deadline IS NOT NULL";

pub(crate) async fn next_deadline(db: &PgConnection<'_>) -> TransactionResult<Option<i64>> {
    Ok(db.one(NEXT_DEADLINE, &[]).await?.try_get(0)?)
}

/// When the first lost holder of an approval with no later holder was seen.
const FIRST_LOST: &str = "SELECT r.seen_at \
    FROM replicas r JOIN holds h ON h.replica = r.id \
    WHERE r.seen_at <= $1 AND NOT EXISTS (\
        SELECT 1 FROM holds o JOIN replicas s ON s.id = o.replica \
        WHERE o.approval = h.approval AND s.seen_at > r.seen_at) \
    ORDER BY r.seen_at LIMIT 1";

/// When the first lost holder was last seen. A holder is lost if it was not seen after `moment`.
pub(crate) async fn first_lost(db: &PgConnection<'_>, moment: i64) -> TransactionResult<Option<i64>> {
    match db.row(FIRST_LOST, &[&moment]).await? {
        Some(row) => Ok(row.try_get(0)?),
        None => Ok(None),
    }
}

const SEE_REPLICA: &str = "INSERT INTO replicas (id, seen_at) VALUES ($1, $2) \
    ON CONFLICT (id) DO UPDATE SET seen_at = greatest(replicas.seen_at, excluded.seen_at)";

pub(crate) async fn see(db: &PgConnection<'_>, replica: ReplicaId, at: i64) -> TransactionResult<()> {
    db.run(SEE_REPLICA, &[&replica.0, &at]).await.map(drop)
}

/// Replicas that were lost long ago and hold nothing.
const FORGET_REPLICAS: &str = "DELETE FROM replicas WHERE seen_at < $1 \
    AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.replica = replicas.id)";

pub(crate) async fn forget_replicas(db: &PgConnection<'_>, before: i64) -> TransactionResult<()> {
    db.run(FORGET_REPLICAS, &[&before]).await.map(drop)
}

const HOLD: &str = "INSERT INTO holds (approval, replica) VALUES ($1, $2) ON CONFLICT DO NOTHING";

pub(crate) async fn hold(db: &PgConnection<'_>, id: ApprovalId, replica: ReplicaId) -> TransactionResult<()> {
    db.run(HOLD, &[&id.0, &replica.0]).await.map(drop)
}

const RELEASE: &str = "DELETE FROM holds WHERE approval = $1 AND replica = $2";

pub(crate) async fn release(
    db: &PgConnection<'_>,
    id: ApprovalId,
    replica: ReplicaId,
) -> TransactionResult<()> {
    db.run(RELEASE, &[&id.0, &replica.0]).await.map(drop)
}

const RELEASE_ALL: &str = "DELETE FROM holds WHERE approval = $1";

pub(crate) async fn release_all(db: &PgConnection<'_>, id: ApprovalId) -> TransactionResult<()> {
    db.run(RELEASE_ALL, &[&id.0]).await.map(drop)
}

/// Whether a replica seen after `moment` has a waiter for the approval.
const HELD_AFTER: &str = "SELECT EXISTS (SELECT 1 FROM holds h JOIN replicas r ON r.id = h.replica \
    WHERE h.approval = $1 AND r.seen_at > $2)";

pub(crate) async fn held_after(
    db: &PgConnection<'_>,
    id: ApprovalId,
    moment: i64,
) -> TransactionResult<bool> {
    Ok(db.one(HELD_AFTER, &[&id.0, &moment]).await?.try_get(0)?)
}

operations! {
    impl ApprovalTables for OpenTransaction<'_> {
        lock_approval(id: ApprovalId) -> Option<Approval> = take;
        lock_latest(key: &IdempotencyKey) -> Option<Approval> = take_latest;
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

pub(super) struct OpenApproval(pub(super) NewApproval);

impl WriteOperation for OpenApproval {
    type Outcome = OpenOutcome;

    /// Callers with the same key wait for each other, so that exactly one of them opens a new approval.
    fn locks(&self) -> Option<i64> {
        self.0.approval.asked.idempotency_key().map(|key| lock_of_key(&key))
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.0.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<OpenOutcome> {
        approvals::open(tx, &self.0).await
    }
}

/// Applies a trigger to an approval.
pub(super) struct StepApproval {
    pub(super) id: ApprovalId,
    pub(super) trigger: ApprovalTrigger,
    pub(super) at: Timestamp,
}

impl WriteOperation for StepApproval {
    type Outcome = Option<Step>;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.id.0))
    }

    const PREDICTS_ENTRIES: bool = true;

    async fn predict_entries(&self, db: &PgConnection<'_>) -> TransactionResult<Vec<AuditEntry>> {
        Ok(approvals::predict_step_entries(by_id(db, self.id).await?, &self.trigger, self.at))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Option<Step>> {
        approvals::step(tx, self.id, &self.trigger, self.at).await
    }
}

/// A replica no longer has a waiter for an approval.
pub(super) struct LeaveApproval {
    pub(super) id: ApprovalId,
    pub(super) replica: ReplicaId,
    pub(super) at: Timestamp,
}

impl WriteOperation for LeaveApproval {
    type Outcome = Option<Step>;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.id.0))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Option<Step>> {
        approvals::leave(tx, self.id, self.replica, self.at).await
    }
}

/// Ends expired and abandoned approvals.
pub(super) struct SweepApprovals {
    pub(super) replica: ReplicaId,
    pub(super) at: Timestamp,
}

impl WriteOperation for SweepApprovals {
    type Outcome = SweepOutcome;

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<SweepOutcome> {
        approvals::sweep(tx, self.replica, self.at).await
    }
}

/// All pending approvals and the last event they reflect, as of one time.
pub(super) async fn snapshot(db: &PgConnection<'_>) -> TransactionResult<Snapshot> {
    Ok(Snapshot { seq: events::head(db).await?, pending: pending(db, None, usize::MAX).await? })
}
