//! Questions, who waits for them, and which replicas live.

use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use sekisho_gate::approval::{Approval, Fate};
use sekisho_gate::asker::Key;
use sekisho_gate::{ApprovalId, ReplicaId};
use uuid::Uuid;

use super::super::sql::approvals as sql;
use super::run;
use crate::fault::{Fault, Scripted};
use crate::rows::{ApprovalRow, FateRow, claimed_at};

/// The columns of a question as they are read.
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
    pub(super) fn approval(&self) -> Scripted<Approval> {
        ApprovalRow::read(self.id, &self.state, &self.asked, self.input.as_deref(), &self.fate)
    }
}

pub(crate) fn insert(db: &Connection, approval: &Approval) -> Scripted<()> {
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
    run(db, sql::INSERT, values).map(drop)
}

/// Compares and sets: the row must still be what the step was taken from.
pub(crate) fn update(db: &Connection, id: ApprovalId, before: &Fate, after: &Fate) -> Scripted<()> {
    let row = FateRow::of(after)?;
    let values = params![
        id.0,
        row.state,
        row.deadline,
        row.claimed_at,
        row.fate,
        before.state.name(),
        claimed_at(before)
    ];
    match run(db, sql::UPDATE, values)? {
        1 => Ok(()),
        changed => Err(Fault::wrong(format!(
            "question `{id}` was not what it had just been read as ({changed} rows): nothing was written"
        ))),
    }
}

pub(crate) fn by_id(db: &Connection, id: ApprovalId) -> Scripted<Option<Approval>> {
    one(db, sql::BY_ID, [id.0])
}

pub(crate) fn latest(db: &Connection, key: &Key) -> Scripted<Option<Approval>> {
    one(db, sql::LATEST_BY_KEY, params![key.credential, key.scope, key.call_id])
}

fn one(db: &Connection, sql: &str, params: impl Params) -> Scripted<Option<Approval>> {
    let found = db.prepare_cached(sql)?.query_row(params, columns).optional()?;
    found.map(|columns| columns.approval()).transpose()
}

pub(crate) fn pending(db: &Connection, after: Option<ApprovalId>, limit: usize) -> Scripted<Vec<Approval>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(sql::PENDING)?;
    let rows = statement.query_map(params![after.map(|after| after.0), limit], columns)?;
    rows.map(|row| row?.approval()).collect()
}

pub(crate) fn any_pending(db: &Connection) -> Scripted<bool> {
    Ok(db.prepare_cached(sql::ANY_PENDING)?.query_row([], |row| row.get(0))?)
}

/// Pending questions whose deadline has come, the earliest first.
pub(crate) fn due(db: &Connection, at: i64, limit: usize) -> Scripted<Vec<ApprovalId>> {
    ids(db, sql::DUE, at, limit)
}

/// Pending questions none of whose holders was seen after a moment.
pub(crate) fn abandoned(db: &Connection, moment: i64, limit: usize) -> Scripted<Vec<ApprovalId>> {
    ids(db, sql::ABANDONED, moment, limit)
}

fn ids(db: &Connection, sql: &str, moment: i64, limit: usize) -> Scripted<Vec<ApprovalId>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(params![moment, limit], |row| row.get(0).map(ApprovalId))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn next_deadline(db: &Connection) -> Scripted<Option<i64>> {
    Ok(db.prepare_cached(sql::NEXT_DEADLINE)?.query_row([], |row| row.get(0))?)
}

/// When the first lost holder was seen; lost are those not seen after a moment.
pub(crate) fn first_lost(db: &Connection, moment: i64) -> Scripted<Option<i64>> {
    Ok(db.prepare_cached(sql::FIRST_LOST)?.query_row([moment], |row| row.get(0)).optional()?)
}

pub(crate) fn see(db: &Connection, replica: ReplicaId, at: i64) -> Scripted<()> {
    run(db, sql::SEE_REPLICA, params![replica.0, at]).map(drop)
}

pub(crate) fn forget_replicas(db: &Connection, before: i64) -> Scripted<()> {
    run(db, sql::FORGET_REPLICAS, [before]).map(drop)
}

pub(crate) fn hold(db: &Connection, id: ApprovalId, replica: ReplicaId) -> Scripted<()> {
    run(db, sql::HOLD, params![id.0, replica.0]).map(drop)
}

pub(crate) fn release(db: &Connection, id: ApprovalId, replica: ReplicaId) -> Scripted<()> {
    run(db, sql::RELEASE, params![id.0, replica.0]).map(drop)
}

pub(crate) fn release_all(db: &Connection, id: ApprovalId) -> Scripted<()> {
    run(db, sql::RELEASE_ALL, [id.0]).map(drop)
}

pub(crate) fn held_after(db: &Connection, id: ApprovalId, moment: i64) -> Scripted<bool> {
    Ok(db.prepare_cached(sql::HELD_AFTER)?.query_row(params![id.0, moment], |row| row.get(0))?)
}
