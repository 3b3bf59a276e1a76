//! The audit log: its rows, where its chains end, and where they were cut.

use rusqlite::{Connection, OptionalExtension, Row as Found, params};
use sekisho_gate::audit::{Code, Cut, Head, Row, Tally, WriterId};
use sekisho_gate::record::Kind;

use super::run;
use crate::encoding::{bounded, counted};
use crate::fault::{Fault, Scripted};

const APPEND: &str = "INSERT INTO audit_log (writer, seq, key, at, kind, call, approval, execution, tool, \
    server, agent, credential, decision, approver, text, body, previous, code) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";

/// Guarded by where the chain ended: nobody else may have written it.
const GROW: &str = "INSERT INTO writers (writer, seq, code, told) VALUES (?1, ?2, ?3, iif(?4, 0, ?2)) \
    ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, code = excluded.code, told = iif(?4, told, excluded.seq) \
    WHERE writers.seq = excluded.seq - 1";

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
    run(db, APPEND, values)?;
    let checkpoint = row.kind == Kind::Checkpoint.name();
    match run(db, GROW, params![row.writer.0, seq, row.code.0, checkpoint])? {
        1 => Ok(()),
        _ => Err(Fault::wrong(format!(
            "the chain of writer `{}` does not end before row {seq}: somebody else has written it, start again",
            row.writer
        ))),
    }
}

const HEAD: &str = "SELECT writer, seq, code FROM writers WHERE writer = ?1";

/// Where a chain ends.
pub(crate) fn head(db: &Connection, writer: WriterId) -> Scripted<Option<Head>> {
    Ok(db.prepare_cached(HEAD)?.query_row([writer.0], read_head).optional()?)
}

const ENDS: &str = "SELECT writer, seq, code, told FROM writers ORDER BY writer";

/// Every chain's end, with its last row that is not a checkpoint.
pub(crate) fn ends(db: &Connection) -> Scripted<Vec<(Head, u64)>> {
    let mut statement = db.prepare_cached(ENDS)?;
    let ends = statement.query_map([], |row| Ok((read_head(row)?, seq(row, 3)?)))?;
    Ok(ends.collect::<rusqlite::Result<_>>()?)
}

pub(super) const COLUMNS: &str = "writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code";

const ROW: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log WHERE writer = ?1 AND seq = ?2";

pub(crate) fn row(db: &Connection, writer: WriterId, seq: u64) -> Scripted<Option<Row>> {
    // A number that no column can hold is none that was written.
    let Ok(seq) = i64::try_from(seq) else { return Ok(None) };
    Ok(db.prepare_cached(ROW)?.query_row(params![writer.0, seq], read_row).optional()?)
}

/// In the order of the chains. What comes before the first row is the smallest writer at no row.
const ROWS: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log \
    WHERE (writer, seq) > (?1, ?2) ORDER BY writer, seq LIMIT ?3";

/// Rows in the order of the chains, after one of them.
pub(crate) fn rows(db: &Connection, after: Option<(WriterId, u64)>, limit: usize) -> Scripted<Vec<Row>> {
    // Without a place to begin at, nothing at all lies before: not even what could never have been written.
    let nothing: (&[u8], i64) = (&[], i64::MIN);
    let (writer, seq) = after
        .as_ref()
        .map_or(nothing, |(writer, seq)| (writer.0.as_bytes(), i64::try_from(*seq).unwrap_or(i64::MAX)));
    let limit = bounded(limit);
    let mut statement = db.prepare_cached(ROWS)?;
    let rows = statement.query_map(params![writer, seq, limit], read_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Chains have no gap, so there is nothing to count.
const COUNT: &str = "SELECT coalesce(sum(w.seq - coalesce(c.seq, 0)), 0) \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer";

pub(crate) fn count(db: &Connection) -> Scripted<u64> {
    counted(db.prepare_cached(COUNT)?.query_row([], |row| row.get(0))?)
}

const BYTES: &str = "SELECT c.page_count * s.page_size FROM pragma_page_count c, pragma_page_size s";

/// What the file takes.
pub(crate) fn bytes(db: &Connection) -> Scripted<u64> {
    counted(db.prepare_cached(BYTES)?.query_row([], |row| row.get(0))?)
}

const CUTS: &str = "SELECT writer, seq, head, at, key, code FROM cuts ORDER BY writer";

pub(crate) fn cuts(db: &Connection) -> Scripted<Vec<Cut>> {
    let mut statement = db.prepare_cached(CUTS)?;
    let cuts = statement.query_map([], |row| {
        let head = Head { writer: WriterId(row.get(0)?), seq: seq(row, 1)?, code: Code(row.get(2)?) };
        Ok(Cut { head, at_us: row.get(3)?, key: row.get(4)?, code: Code(row.get(5)?) })
    })?;
    Ok(cuts.collect::<rusqlite::Result<_>>()?)
}

const PRUNABLE: &str = "SELECT w.writer, w.seq, coalesce(c.seq, 0) \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer \
    CROSS JOIN audit_log a ON a.writer = w.writer AND a.seq = coalesce(c.seq, 0) + 1 \
    WHERE a.seq < w.seq AND a.at < ?1 LIMIT 1";

/// A chain whose first row is older than a moment and not its last: whose it is, its last row, and where it was cut.
pub(crate) fn prunable(db: &Connection, before: i64) -> Scripted<Option<(WriterId, u64, u64)>> {
    let read = |row: &Found<'_>| Ok((WriterId(row.get(0)?), seq(row, 1)?, seq(row, 2)?));
    Ok(db.prepare_cached(PRUNABLE)?.query_row([before], read).optional()?)
}

const BEGIN_PRUNING: &str = "INSERT INTO meta (name, value) VALUES ('pruning', 1)";

const PRUNE: &str = "DELETE FROM audit_log WHERE writer = ?1 AND seq <= ?2";

const END_PRUNING: &str = "DELETE FROM meta WHERE name = 'pruning'";

const PUT_CUT: &str = "INSERT INTO cuts (writer, seq, head, at, key, code) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
    ON CONFLICT (writer) DO UPDATE \
    SET seq = excluded.seq, head = excluded.head, at = excluded.at, key = excluded.key, code = excluded.code";

/// Removes a chain's rows up to a cut.
pub(crate) fn cut(db: &Connection, cut: &Cut) -> Scripted<u64> {
    let (writer, seq) = (cut.head.writer.0, kept_seq(cut.head.seq)?);
    run(db, BEGIN_PRUNING, [])?;
    let removed = run(db, PRUNE, params![writer, seq])?;
    run(db, END_PRUNING, [])?;
    run(db, PUT_CUT, params![writer, seq, cut.head.code.0, cut.at_us, cut.key, cut.code.0])?;
    Ok(removed as u64)
}

/// Out of the index alone, and counted by whoever reads: grouping would sort them all.
const JUDGED: &str = "SELECT at, decision \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'verdict' AND at >= ?1 AND at < ?2";

/// Out of the index alone.
const ASKED: &str = "SELECT at, tool \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'question' AND at >= ?1 AND at < ?2";

/// The latest, straight from the end of the index.
const ASKED_ABOUT: &str = "SELECT approval, tool, body \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'question' AND at >= ?1 AND at < ?2 \
    ORDER BY at DESC, writer DESC, seq DESC LIMIT ?3";

const ENDED: &str = "SELECT at, approval, tool, body \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'outcome' AND at >= ?1 AND at < ?2";

/// Counts what happened in a span of time.
pub(crate) fn tally(db: &Connection, from: i64, to: i64) -> Scripted<Tally> {
    let mut tally = Tally::default();
    let mut statement = db.prepare_cached(JUDGED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.judged(row.get(0)?, text(row, 1)?, 1);
    }
    let mut statement = db.prepare_cached(ASKED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.asked(row.get(0)?, text(row, 1)?, 1);
    }
    let mut statement = db.prepare_cached(ASKED_ABOUT)?;
    let mut found = statement.query([from, to, i64::from(Tally::QUESTIONS)])?;
    while let Some(row) = found.next()? {
        tally.asked_about(row.get(0)?, text(row, 1)?, text(row, 2)?.unwrap_or_default());
    }
    let mut statement = db.prepare_cached(ENDED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.ended(row.get(0)?, row.get(1)?, text(row, 2)?, text(row, 3)?.unwrap_or_default());
    }
    Ok(tally)
}

/// A row out of the columns of [`COLUMNS`].
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

#[cfg(test)]
mod tests {
    use super::super::super::plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_go_by_an_index() {
        assert_by_index(&[
            (HEAD, "USING PRIMARY KEY"),
            (ROW, "sqlite_autoindex_audit_log_1"),
            (ROWS, "sqlite_autoindex_audit_log_1"),
            (JUDGED, "COVERING INDEX audit_log_by_kind"),
            (ASKED, "COVERING INDEX audit_log_by_kind"),
            (ASKED_ABOUT, "INDEX audit_log_by_kind"),
            (ENDED, "INDEX audit_log_by_kind"),
            (PRUNE, "sqlite_autoindex_audit_log_1"),
        ]);
    }
}
