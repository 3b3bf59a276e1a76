//! The audit log and the events, as a transaction writes them.

use sekisho_gate::audit::{Code, Head, Row as Logged, WriterId};
use sekisho_gate::record::Event;

use super::super::db::Db;
use super::super::sql::record as sql;
use super::{bounded, counted};
use crate::fault::{Fault, Scripted};
use crate::rows::{from_micros, parsed};

/// Any number of lines by one statement.
pub(crate) async fn log(db: &Db<'_>, rows: &[Logged]) -> Scripted<()> {
    macro_rules! column {
        (|$row:ident| $value:expr) => {
            rows.iter().map(|$row| $value).collect::<Vec<_>>()
        };
    }
    let seq: Vec<i64> = column!(|row| bounded(row.seq));
    let key = rows.iter().map(|row| i32::try_from(row.key)).collect::<Result<Vec<_>, _>>();
    let key = key.map_err(|_| Fault::wrong("a key of the log has a number that is too large"))?;
    let values = (
        column!(|row| row.writer.0),
        column!(|row| row.at_us),
        column!(|row| &row.kind),
        column!(|row| row.call),
        column!(|row| row.approval),
        column!(|row| row.execution),
    );
    let (writer, at, kind, call, approval, execution) = &values;
    let (tool, server) = (column!(|row| &row.tool), column!(|row| &row.server));
    let (agent, credential) = (column!(|row| &row.agent), column!(|row| &row.credential));
    let (decision, approver) = (column!(|row| &row.decision), column!(|row| &row.approver));
    let (text, body) = (column!(|row| &row.text), column!(|row| &row.body));
    let (previous, code) = (column!(|row| row.previous.0.as_slice()), column!(|row| row.code.0.as_slice()));
    db.run(
        sql::LOG,
        &[
            writer,
            &seq,
            &key,
            at,
            kind,
            call,
            approval,
            execution,
            &tool,
            &server,
            &agent,
            &credential,
            &decision,
            &approver,
            &text,
            &body,
            &previous,
            &code,
        ],
    )
    .await
    .map(drop)
}

/// Appends events after all others there are, and gives the number of the last.
pub(crate) async fn announce(db: &Db<'_>, at: &[i64], bodies: &[&str]) -> Scripted<u64> {
    let row = db.one(sql::ANNOUNCE, &[&bounded(bodies.len()), &at, &bodies]).await?;
    counted(row.try_get(0)?)
}

/// The number of the last event.
pub(crate) async fn head(db: &Db<'_>) -> Scripted<u64> {
    counted(db.one(sql::HEAD, &[]).await?.try_get(0)?)
}

pub(crate) async fn after(db: &Db<'_>, after: u64, limit: usize) -> Scripted<Vec<Event>> {
    let rows = db.rows(sql::AFTER, &[&bounded(after), &bounded(limit)]).await?;
    rows.iter()
        .map(|row| {
            let body: &str = row.try_get(2)?;
            let (seq, at) = (counted(row.try_get(0)?)?, from_micros(row.try_get(1)?)?);
            Ok(Event { seq, at, change: parsed(body, "the event")? })
        })
        .collect()
}

/// Where a chain ends.
pub(crate) async fn last_of(db: &Db<'_>, writer: WriterId) -> Scripted<Option<Head>> {
    let Some(row) = db.row(sql::LAST_OF, &[&writer.0]).await? else { return Ok(None) };
    Ok(Some(Head { writer, seq: counted(row.try_get(0)?)?, code: code(row.try_get(1)?)? }))
}

/// A code out of its column.
pub(crate) fn code(bytes: &[u8]) -> Scripted<Code> {
    bytes.try_into().map(Code).map_err(|_| Fault::wrong("a code of the log has not 32 bytes"))
}
