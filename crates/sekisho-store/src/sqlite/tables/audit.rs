//! The audit log: its rows, where its chains end, and where they were cut.

use rusqlite::{Connection, OptionalExtension, Row as Found, params};
use sekisho_gate::audit::{Code, Head, Row, WriterId};
use sekisho_gate::record::Kind;

use super::super::sql::audit as sql;
use super::run;
use crate::fault::{Fault, Scripted};

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

fn read_head(row: &Found<'_>) -> rusqlite::Result<Head> {
    Ok(Head { writer: WriterId(row.get(0)?), seq: seq(row, 1)?, code: Code(row.get(2)?) })
}

fn seq(row: &Found<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

fn kept_seq(seq: u64) -> Scripted<i64> {
    i64::try_from(seq).map_err(|_| Fault::wrong(format!("row `{seq}` is more than a chain can hold")))
}
