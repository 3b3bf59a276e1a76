//! The audit log: its rows, where its chains end, and where they were cut.

use jiff::Timestamp;
use sekisho_gate::audit::{Code, Cut, Head, Row, Tally, WriterId};
use sekisho_gate::record::Kind;
use tokio_postgres::Row as Found;
use uuid::Uuid;

use super::super::db::Db;
use super::super::sql::audit as sql;
use super::{bounded, counted};
use crate::fault::{Fault, Scripted};
use crate::rows::from_micros;

/// Appends rows that follow each other in one chain, and says where it ends from now on.
pub(crate) async fn append(db: &Db<'_>, rows: &[Row]) -> Scripted<()> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
    insert(db, rows).await?;
    let told = rows.iter().rev().find(|row| row.kind != Kind::Checkpoint.name());
    let told = bounded(told.map_or(0, |row| row.seq));
    let (end, before) = (bounded(last.seq), bounded(first.seq.saturating_sub(1)));
    match db.run(sql::GROW, &[&last.writer.0, &end, &last.code.0.as_slice(), &told, &before]).await? {
        1 => Ok(()),
        _ => Err(Fault::wrong(format!(
            "the chain of writer `{}` does not end before row {}: somebody else has written it",
            first.writer, first.seq
        ))),
    }
}

/// Any number of rows by one statement.
async fn insert(db: &Db<'_>, rows: &[Row]) -> Scripted<()> {
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
        sql::APPEND,
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

/// Where a chain ends.
pub(crate) async fn head(db: &Db<'_>, writer: WriterId) -> Scripted<Option<Head>> {
    db.row(sql::HEAD, &[&writer.0]).await?.as_ref().map(read_head).transpose()
}

/// Every chain's end, with its last row that is not a checkpoint.
pub(crate) async fn ends(db: &Db<'_>) -> Scripted<Vec<(Head, u64)>> {
    let rows = db.rows(sql::ENDS, &[]).await?;
    rows.iter().map(|row| Ok((read_head(row)?, counted(row.try_get(3)?)?))).collect()
}

pub(crate) async fn row(db: &Db<'_>, writer: WriterId, seq: u64) -> Scripted<Option<Row>> {
    // A number that no column can hold is none that was written.
    let Ok(seq) = i64::try_from(seq) else { return Ok(None) };
    db.row(sql::ROW, &[&writer.0, &seq]).await?.as_ref().map(read_row).transpose()
}

/// Rows in the order of the chains, after one of them.
pub(crate) async fn rows(db: &Db<'_>, after: Option<(WriterId, u64)>, limit: usize) -> Scripted<Vec<Row>> {
    // Without a place to begin at, nothing at all lies before: not even what could never have been written.
    let nothing = (Uuid::nil(), i64::MIN);
    let (writer, seq) =
        after.map_or(nothing, |(writer, seq)| (writer.0, i64::try_from(seq).unwrap_or(i64::MAX)));
    let rows = db.rows(sql::ROWS, &[&writer, &seq, &bounded(limit)]).await?;
    rows.iter().map(read_row).collect()
}

pub(crate) async fn count(db: &Db<'_>) -> Scripted<u64> {
    counted(db.one(sql::COUNT, &[]).await?.try_get(0)?)
}

/// What the database takes.
pub(crate) async fn bytes(db: &Db<'_>) -> Scripted<u64> {
    counted(db.one(sql::BYTES, &[]).await?.try_get(0)?)
}

/// The first moment of which calls or events tell.
pub(crate) async fn first_trace(db: &Db<'_>) -> Scripted<Option<Timestamp>> {
    let first: Option<i64> = db.one(sql::FIRST_TRACE, &[]).await?.try_get(0)?;
    first.map(from_micros).transpose()
}

pub(crate) async fn cuts(db: &Db<'_>) -> Scripted<Vec<Cut>> {
    let rows = db.rows(sql::CUTS, &[]).await?;
    rows.iter()
        .map(|row| {
            let (at_us, key) = (row.try_get(3)?, number(row.try_get(4)?)?);
            Ok(Cut { head: read_head(row)?, at_us, key, code: code(row.try_get(5)?)? })
        })
        .collect()
}

/// A chain whose first row is older than a moment and not its last: whose it is, its last row, and where it was cut.
pub(crate) async fn prunable(db: &Db<'_>, before: i64) -> Scripted<Option<(WriterId, u64, u64)>> {
    let Some(row) = db.row(sql::PRUNABLE, &[&before]).await? else { return Ok(None) };
    Ok(Some((WriterId(row.try_get(0)?), counted(row.try_get(1)?)?, counted(row.try_get(2)?)?)))
}

/// Removes a chain's rows up to a cut.
pub(crate) async fn cut(db: &Db<'_>, cut: &Cut) -> Scripted<u64> {
    let (writer, seq) = (cut.head.writer.0, bounded(cut.head.seq));
    let key = i32::try_from(cut.key).map_err(|_| Fault::wrong("a key of the log has too large a number"))?;
    db.one(sql::BEGIN_PRUNING, &[]).await?;
    let removed = db.run(sql::PRUNE, &[&writer, &seq]).await?;
    db.one(sql::END_PRUNING, &[]).await?;
    let (head, code) = (cut.head.code.0.as_slice(), cut.code.0.as_slice());
    db.run(sql::PUT_CUT, &[&writer, &seq, &head, &cut.at_us, &key, &code]).await?;
    Ok(removed)
}

/// Counts what happened in a span of time.
pub(crate) async fn tally(db: &Db<'_>, from: i64, to: i64) -> Scripted<Tally> {
    let mut tally = Tally::default();
    for row in &db.rows(sql::JUDGED, &[&from, &to]).await? {
        tally.judged(row.try_get(0)?, row.try_get(1)?, counted(row.try_get(2)?)?);
    }
    for row in &db.rows(sql::ASKED, &[&from, &to]).await? {
        tally.asked(row.try_get(0)?, row.try_get(1)?, counted(row.try_get(2)?)?);
    }
    for row in &db.rows(sql::ASKED_ABOUT, &[&from, &to, &i64::from(Tally::QUESTIONS)]).await? {
        tally.asked_about(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    }
    for row in &db.rows(sql::ENDED, &[&from, &to]).await? {
        tally.ended(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
    }
    Ok(tally)
}

/// A row out of the columns of [`sql::COLUMNS`].
pub(super) fn read_row(row: &Found) -> Scripted<Row> {
    Ok(Row {
        writer: WriterId(row.try_get(0)?),
        seq: counted(row.try_get(1)?)?,
        key: number(row.try_get(2)?)?,
        at_us: row.try_get(3)?,
        kind: row.try_get(4)?,
        call: row.try_get(5)?,
        approval: row.try_get(6)?,
        execution: row.try_get(7)?,
        tool: row.try_get(8)?,
        server: row.try_get(9)?,
        agent: row.try_get(10)?,
        credential: row.try_get(11)?,
        decision: row.try_get(12)?,
        approver: row.try_get(13)?,
        text: row.try_get(14)?,
        body: row.try_get(15)?,
        previous: code(row.try_get(16)?)?,
        code: code(row.try_get(17)?)?,
    })
}

fn read_head(row: &Found) -> Scripted<Head> {
    Ok(Head {
        writer: WriterId(row.try_get(0)?),
        seq: counted(row.try_get(1)?)?,
        code: code(row.try_get(2)?)?,
    })
}

/// A code out of its column.
fn code(bytes: &[u8]) -> Scripted<Code> {
    bytes.try_into().map(Code).map_err(|_| Fault::wrong("a code of the log has not 32 bytes"))
}

/// The number of a key out of its column.
fn number(key: i32) -> Scripted<u32> {
    u32::try_from(key).map_err(|_| Fault::wrong(format!("a key of the log has the number `{key}`")))
}
