//! The audit log: its rows, where its chains end, and where they were cut.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row as Found, params};
use sekisho_gate::audit::{Code, Cut, Head, Row, Tally, WriterId};
use sekisho_gate::record::Kind;

use super::super::sql::audit as sql;
use super::record::counted;
use super::run;
use crate::fault::{Fault, Scripted};
use crate::rows::from_micros;

/// Appends a row, and says where its chain ends from now on.
pub(crate) fn append(db: &Connection, row: &Row) -> Scripted<()> {
    let seq = kept_seq(row.seq)?;
    let values = params![
        row.writer.0,
        seq,
        row.key,
        row.at_us,
        row.kind,
        row.call,
        row.approval,
        row.execution,
        row.tool,
        row.server,
        row.agent,
        row.credential,
        row.decision,
        row.approver,
        row.text,
        row.body,
        row.previous.0,
        row.code.0
    ];
    run(db, sql::APPEND, values)?;
    let checkpoint = row.kind == Kind::Checkpoint.name();
    match run(db, sql::GROW, params![row.writer.0, seq, row.code.0, checkpoint])? {
        1 => Ok(()),
        _ => Err(Fault::wrong(format!(
            "the chain of writer `{}` does not end before row {seq}: somebody else has written it, start again",
            row.writer
        ))),
    }
}

/// Where a chain ends.
pub(crate) fn head(db: &Connection, writer: WriterId) -> Scripted<Option<Head>> {
    Ok(db.prepare_cached(sql::HEAD)?.query_row([writer.0], read_head).optional()?)
}

/// Every chain's end, with its last row that is not a checkpoint.
pub(crate) fn ends(db: &Connection) -> Scripted<Vec<(Head, u64)>> {
    let mut statement = db.prepare_cached(sql::ENDS)?;
    let ends = statement.query_map([], |row| Ok((read_head(row)?, seq(row, 3)?)))?;
    Ok(ends.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn row(db: &Connection, writer: WriterId, seq: u64) -> Scripted<Option<Row>> {
    // A number that no column can hold is none that was written.
    let Ok(seq) = i64::try_from(seq) else { return Ok(None) };
    Ok(db.prepare_cached(sql::ROW)?.query_row(params![writer.0, seq], read_row).optional()?)
}

/// Rows in the order of the chains, after one of them.
pub(crate) fn rows(db: &Connection, after: Option<(WriterId, u64)>, limit: usize) -> Scripted<Vec<Row>> {
    // Without a place to begin at, nothing at all lies before: not even what could never have been written.
    let nothing: (&[u8], i64) = (&[], i64::MIN);
    let (writer, seq) = after
        .as_ref()
        .map_or(nothing, |(writer, seq)| (writer.0.as_bytes(), i64::try_from(*seq).unwrap_or(i64::MAX)));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(sql::ROWS)?;
    let rows = statement.query_map(params![writer, seq, limit], read_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn count(db: &Connection) -> Scripted<u64> {
    counted(db.prepare_cached(sql::COUNT)?.query_row([], |row| row.get(0))?)
}

/// What the file takes.
pub(crate) fn bytes(db: &Connection) -> Scripted<u64> {
    counted(db.prepare_cached(sql::BYTES)?.query_row([], |row| row.get(0))?)
}

/// The first moment of which calls or events tell.
pub(crate) fn first_trace(db: &Connection) -> Scripted<Option<Timestamp>> {
    let first: Option<i64> = db.prepare_cached(sql::FIRST_TRACE)?.query_row([], |row| row.get(0))?;
    first.map(from_micros).transpose()
}

pub(crate) fn cuts(db: &Connection) -> Scripted<Vec<Cut>> {
    let mut statement = db.prepare_cached(sql::CUTS)?;
    let cuts = statement.query_map([], |row| {
        let head = Head { writer: WriterId(row.get(0)?), seq: seq(row, 1)?, code: Code(row.get(2)?) };
        Ok(Cut { head, at_us: row.get(3)?, key: row.get(4)?, code: Code(row.get(5)?) })
    })?;
    Ok(cuts.collect::<rusqlite::Result<_>>()?)
}

/// A chain whose first row is older than a moment and not its last: whose it is, its last row, and where it was cut.
pub(crate) fn prunable(db: &Connection, before: i64) -> Scripted<Option<(WriterId, u64, u64)>> {
    let read = |row: &Found<'_>| Ok((WriterId(row.get(0)?), seq(row, 1)?, seq(row, 2)?));
    Ok(db.prepare_cached(sql::PRUNABLE)?.query_row([before], read).optional()?)
}

/// Removes a chain's rows up to a cut.
pub(crate) fn cut(db: &Connection, cut: &Cut) -> Scripted<u64> {
    let (writer, seq) = (cut.head.writer.0, kept_seq(cut.head.seq)?);
    run(db, sql::BEGIN_PRUNING, [])?;
    let removed = run(db, sql::PRUNE, params![writer, seq])?;
    run(db, sql::END_PRUNING, [])?;
    run(db, sql::PUT_CUT, params![writer, seq, cut.head.code.0, cut.at_us, cut.key, cut.code.0])?;
    Ok(removed as u64)
}

/// Counts what happened in a span of time.
pub(crate) fn tally(db: &Connection, from: i64, to: i64) -> Scripted<Tally> {
    let mut tally = Tally::default();
    let mut statement = db.prepare_cached(sql::JUDGED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.judged(row.get(0)?, text(row, 1)?, 1);
    }
    let mut statement = db.prepare_cached(sql::ASKED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.asked(row.get(0)?, text(row, 1)?, 1);
    }
    let mut statement = db.prepare_cached(sql::ASKED_ABOUT)?;
    let mut found = statement.query([from, to, i64::from(Tally::QUESTIONS)])?;
    while let Some(row) = found.next()? {
        tally.asked_about(row.get(0)?, text(row, 1)?, text(row, 2)?.unwrap_or_default());
    }
    let mut statement = db.prepare_cached(sql::ENDED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.ended(row.get(0)?, row.get(1)?, text(row, 2)?, text(row, 3)?.unwrap_or_default());
    }
    Ok(tally)
}

/// A row out of the columns of [`sql::COLUMNS`].
pub(super) fn read_row(row: &Found<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        writer: WriterId(row.get(0)?),
        seq: seq(row, 1)?,
        key: row.get(2)?,
        at_us: row.get(3)?,
        kind: row.get(4)?,
        call: row.get(5)?,
        approval: row.get(6)?,
        execution: row.get(7)?,
        tool: row.get(8)?,
        server: row.get(9)?,
        agent: row.get(10)?,
        credential: row.get(11)?,
        decision: row.get(12)?,
        approver: row.get(13)?,
        text: row.get(14)?,
        body: row.get(15)?,
        previous: Code(row.get(16)?),
        code: Code(row.get(17)?),
    })
}

fn read_head(row: &Found<'_>) -> rusqlite::Result<Head> {
    Ok(Head { writer: WriterId(row.get(0)?), seq: seq(row, 1)?, code: Code(row.get(2)?) })
}

fn seq(row: &Found<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

/// A text where it lies.
fn text<'a>(row: &'a Found<'_>, column: usize) -> Scripted<Option<&'a str>> {
    let value = row.get_ref(column)?.as_str_or_null();
    value.map_err(|error| Fault::wrong(format!("a column of the audit log holds no text: {error}")))
}

fn kept_seq(seq: u64) -> Scripted<i64> {
    i64::try_from(seq).map_err(|_| Fault::wrong(format!("row `{seq}` is more than a chain can hold")))
}
