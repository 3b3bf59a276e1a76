//! Rows of the audit log, and the heads of its chains.

use rusqlite::{Connection, OptionalExtension, Row as Found, params};
use sekisho_gate::audit::{ChainHead, ChainRow, Mac, WriterId};
use sekisho_gate::record::RecordKind;

use super::super::statement::run;
use crate::encoding::saturating_column;
use crate::transaction_error::{TransactionError, TransactionResult};

const APPEND: &str = "INSERT INTO audit_log (writer, seq, key, at, kind, call, approval, execution, tool, \
    server, agent, credential, decision, approver, text, body, previous, code) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";

/// Guarded by the previous head: fails if another process extended the chain.
const GROW: &str = "INSERT INTO writers (writer, seq, code, told) VALUES (?1, ?2, ?3, iif(?4, 0, ?2)) \
    ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, code = excluded.code, told = iif(?4, told, excluded.seq) \
    WHERE writers.seq = excluded.seq - 1";

/// Appends a row and updates the head of its chain.
pub(crate) fn append(db: &Connection, row: &ChainRow) -> TransactionResult<()> {
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
    let checkpoint = row.kind == RecordKind::Checkpoint.name();
    match run(db, GROW, params![row.writer.0, seq, row.code.0, checkpoint])? {
        1 => Ok(()),
        _ => Err(TransactionError::inconsistent(format!(
            "the chain of writer `{}` does not end before row {seq}: another process wrote to it; restart",
            row.writer
        ))),
    }
}

/// Appends consecutive rows of one chain.
pub(crate) fn append_all(db: &Connection, rows: &[ChainRow]) -> TransactionResult<()> {
    rows.iter().try_for_each(|row| append(db, row))
}

const HEAD: &str = "SELECT writer, seq, code FROM writers WHERE writer = ?1";

/// The head of a chain.
pub(crate) fn head(db: &Connection, writer: WriterId) -> TransactionResult<Option<ChainHead>> {
    Ok(db.prepare_cached(HEAD)?.query_row([writer.0], read_head).optional()?)
}

const ENDS: &str = "SELECT writer, seq, code, told FROM writers ORDER BY writer";

/// The heads of all chains, each with its last row that is not a checkpoint.
pub(crate) fn ends(db: &Connection) -> TransactionResult<Vec<(ChainHead, u64)>> {
    let mut statement = db.prepare_cached(ENDS)?;
    let ends = statement.query_map([], |row| Ok((read_head(row)?, seq(row, 3)?)))?;
    Ok(ends.collect::<rusqlite::Result<_>>()?)
}

pub(super) const COLUMNS: &str = "writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code";

const ROW: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log WHERE writer = ?1 AND seq = ?2";

pub(crate) fn row(db: &Connection, writer: WriterId, seq: u64) -> TransactionResult<Option<ChainRow>> {
    // No row has a number that does not fit its column.
    let Ok(seq) = i64::try_from(seq) else { return Ok(None) };
    Ok(db.prepare_cached(ROW)?.query_row(params![writer.0, seq], read_row).optional()?)
}

/// In chain order. The position before the first row is the smallest writer with the smallest number.
const ROWS: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log \
    WHERE (writer, seq) > (?1, ?2) ORDER BY writer, seq LIMIT ?3";

/// Rows in chain order, after the given row.
pub(crate) fn rows_after(
    db: &Connection,
    after: (WriterId, u64),
    limit: usize,
) -> TransactionResult<Vec<ChainRow>> {
    rows(db, Some(after), limit)
}

/// Rows in chain order, after a row or from the first one.
pub(crate) fn rows(
    db: &Connection,
    after: Option<(WriterId, u64)>,
    limit: usize,
) -> TransactionResult<Vec<ChainRow>> {
    // Without a starting row, start below every possible row, even invalid ones.
    let nothing: (&[u8], i64) = (&[], i64::MIN);
    let (writer, seq) = after
        .as_ref()
        .map_or(nothing, |(writer, seq)| (writer.0.as_bytes(), i64::try_from(*seq).unwrap_or(i64::MAX)));
    let limit = saturating_column(limit);
    let mut statement = db.prepare_cached(ROWS)?;
    let rows = statement.query_map(params![writer, seq, limit], read_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Reads a row from the columns in [`COLUMNS`].
pub(crate) fn read_row(row: &Found<'_>) -> rusqlite::Result<ChainRow> {
    Ok(ChainRow {
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
        previous: Mac(row.get(16)?),
        code: Mac(row.get(17)?),
    })
}

pub(super) fn read_head(row: &Found<'_>) -> rusqlite::Result<ChainHead> {
    Ok(ChainHead { writer: WriterId(row.get(0)?), seq: seq(row, 1)?, code: Mac(row.get(2)?) })
}

pub(super) fn seq(row: &Found<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

pub(super) fn kept_seq(seq: u64) -> TransactionResult<i64> {
    i64::try_from(seq).map_err(|_| TransactionError::inconsistent(format!("row number `{seq}` is too large")))
}

#[cfg(test)]
mod tests {
    use super::super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (HEAD, "USING PRIMARY KEY"),
            (ROW, "sqlite_autoindex_audit_log_1"),
            (ROWS, "sqlite_autoindex_audit_log_1"),
        ]);
    }
}
