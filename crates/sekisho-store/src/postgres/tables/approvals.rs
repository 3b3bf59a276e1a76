//! Questions, who waits for them, and which replicas live.

use sekisho_gate::approval::{Approval, Fate};
use sekisho_gate::asker::Key;
use sekisho_gate::{ApprovalId, ReplicaId};
use tokio_postgres::Row;

use super::super::db::{Db, Values};
use super::super::sql::approvals as sql;
use super::super::text::kept;
use super::bounded;
use crate::fault::{Fault, Scripted};
use crate::rows::{ApprovalRow, FateRow, claimed_at, key_hash};

pub(super) fn approval(row: &Row) -> Scripted<Approval> {
    let input: Option<&str> = row.try_get(3)?;
    ApprovalRow::read(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, input, row.try_get(4)?)
}

pub(crate) async fn insert(db: &Db<'_>, approval: &Approval) -> Scripted<()> {
    let row = ApprovalRow::of(approval)?;
    let key = approval.asked.key().map(|key| key_hash(&key));
    let key = key.as_ref().map(<[u8; 32]>::as_slice);
    let (scope, call_key) = row.key.as_ref().map(|(scope, call)| (kept(scope), kept(call))).unzip();
    let fate = row.fate;
    db.run(
        sql::INSERT,
        &[
            &row.id,
            &row.call,
            &kept(&row.credential),
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

/// Compares and sets: the row must still be what the step was taken from.
pub(crate) async fn update(db: &Db<'_>, id: ApprovalId, before: &Fate, after: &Fate) -> Scripted<()> {
    let row = FateRow::of(after)?;
    let (state, claimed) = (before.state.name(), claimed_at(before));
    let values: Values<'_> =
        &[&id.0, &row.state, &row.deadline, &row.claimed_at, &row.fate, &state, &claimed];
    match db.run(sql::UPDATE, values).await? {
        1 => Ok(()),
        changed => Err(Fault::wrong(format!(
            "question `{id}` was not what it had just been read as ({changed} rows): nothing was written"
        ))),
    }
}

pub(crate) async fn by_id(db: &Db<'_>, id: ApprovalId) -> Scripted<Option<Approval>> {
    db.row(sql::BY_ID, &[&id.0]).await?.as_ref().map(approval).transpose()
}

/// The question, and nobody else changes it until the transaction ends.
pub(crate) async fn take(db: &Db<'_>, id: ApprovalId) -> Scripted<Option<Approval>> {
    db.row(sql::TAKE_BY_ID, &[&id.0]).await?.as_ref().map(approval).transpose()
}

/// The latest under a key, likewise.
pub(crate) async fn take_latest(db: &Db<'_>, key: &Key) -> Scripted<Option<Approval>> {
    let hash = key_hash(key);
    let (credential, scope, call) = (kept(&key.credential), kept(&key.scope), kept(&key.call_id));
    let values: Values<'_> = &[&hash.as_slice(), &credential, &scope, &call];
    db.row(sql::TAKE_LATEST_BY_KEY, values).await?.as_ref().map(approval).transpose()
}

/// The hash of a key, and the latest question under it, where that can be read.
pub(crate) type Latest = (Vec<u8>, Scripted<Approval>);

/// The latest under each of many keys that has one. One that cannot be read is its own asker's trouble.
pub(crate) async fn latest(db: &Db<'_>, keys: &[[u8; 32]]) -> Scripted<Vec<Latest>> {
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
    let rows = db.rows(sql::LATEST_BY_KEYS, &[&keys]).await?;
    rows.iter().map(|row| -> Scripted<Latest> { Ok((row.try_get(5)?, approval(row))) }).collect()
}

pub(crate) async fn pending(db: &Db<'_>, after: Option<ApprovalId>, limit: usize) -> Scripted<Vec<Approval>> {
    let rows = db.rows(sql::PENDING, &[&after.map(|after| after.0), &bounded(limit)]).await?;
    rows.iter().map(approval).collect()
}

pub(crate) async fn any_pending(db: &Db<'_>) -> Scripted<bool> {
    Ok(db.one(sql::ANY_PENDING, &[]).await?.try_get(0)?)
}

/// Pending questions whose deadline has come, the earliest first.
pub(crate) async fn due(db: &Db<'_>, at: i64, limit: usize) -> Scripted<Vec<ApprovalId>> {
    ids(db, sql::DUE, at, limit).await
}

/// Pending questions none of whose holders was seen after a moment.
pub(crate) async fn abandoned(db: &Db<'_>, moment: i64, limit: usize) -> Scripted<Vec<ApprovalId>> {
    ids(db, sql::ABANDONED, moment, limit).await
}

async fn ids(db: &Db<'_>, sql: &'static str, moment: i64, limit: usize) -> Scripted<Vec<ApprovalId>> {
    let rows = db.rows(sql, &[&moment, &bounded(limit)]).await?;
    rows.iter().map(|row| Ok(ApprovalId(row.try_get(0)?))).collect()
}

pub(crate) async fn next_deadline(db: &Db<'_>) -> Scripted<Option<i64>> {
    Ok(db.one(sql::NEXT_DEADLINE, &[]).await?.try_get(0)?)
}

/// When the first lost holder was seen; lost are those not seen after a moment.
pub(crate) async fn first_lost(db: &Db<'_>, moment: i64) -> Scripted<Option<i64>> {
    match db.row(sql::FIRST_LOST, &[&moment]).await? {
        Some(row) => Ok(row.try_get(0)?),
        None => Ok(None),
    }
}

pub(crate) async fn see(db: &Db<'_>, replica: ReplicaId, at: i64) -> Scripted<()> {
    db.run(sql::SEE_REPLICA, &[&replica.0, &at]).await.map(drop)
}

pub(crate) async fn forget_replicas(db: &Db<'_>, before: i64) -> Scripted<()> {
    db.run(sql::FORGET_REPLICAS, &[&before]).await.map(drop)
}

pub(crate) async fn hold(db: &Db<'_>, id: ApprovalId, replica: ReplicaId) -> Scripted<()> {
    db.run(sql::HOLD, &[&id.0, &replica.0]).await.map(drop)
}

pub(crate) async fn release(db: &Db<'_>, id: ApprovalId, replica: ReplicaId) -> Scripted<()> {
    db.run(sql::RELEASE, &[&id.0, &replica.0]).await.map(drop)
}

pub(crate) async fn release_all(db: &Db<'_>, id: ApprovalId) -> Scripted<()> {
    db.run(sql::RELEASE_ALL, &[&id.0]).await.map(drop)
}

pub(crate) async fn held_after(db: &Db<'_>, id: ApprovalId, moment: i64) -> Scripted<bool> {
    Ok(db.one(sql::HELD_AFTER, &[&id.0, &moment]).await?.try_get(0)?)
}
