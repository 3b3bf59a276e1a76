//! Rows of the audit log, and the heads of its chains.

use sekisho_gate::audit::{ChainHead, ChainRow, Mac, WriterId};
use sekisho_gate::record::RecordKind;
use tokio_postgres::Row as Found;
use uuid::Uuid;

use super::super::connection::PgConnection;
use crate::encoding::{count_from_column, saturating_column};
use crate::transaction_error::{TransactionError, TransactionResult};

/// Guarded by the previous head: fails if another process extended the chain.
const GROW: &str = "INSERT INTO writers (writer, seq, code, told) \
    SELECT $1, $2, $3, $4 WHERE $5 = 0::bigint OR EXISTS (SELECT 1 FROM writers WHERE writer = $1) \
    ON CONFLICT (writer) DO UPDATE \
    SET seq = excluded.seq, code = excluded.code, told = greatest(writers.told, excluded.told) \
    WHERE writers.seq = $5";

/// Appends consecutive rows of one chain and updates its head.
pub(crate) async fn append(db: &PgConnection<'_>, rows: &[ChainRow]) -> TransactionResult<()> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
    insert(db, rows).await?;
    let told = rows.iter().rev().find(|row| row.kind != RecordKind::Checkpoint.name());
    let told = saturating_column(told.map_or(0, |row| row.seq));
    let (end, before) = (saturating_column(last.seq), saturating_column(first.seq.saturating_sub(1)));
    match db.run(GROW, &[&last.writer.0, &end, &last.code.0.as_slice(), &told, &before]).await? {
        1 => Ok(()),
        _ => Err(TransactionError::inconsistent(format!(
            "the chain of writer `{}` does not end before row {}: another process wrote to it",
            first.writer, first.seq
        ))),
    }
}

/// Inserts any number of rows.
const APPEND: &str = "INSERT INTO audit_log (writer, seq, key, at, kind, call, approval, execution, tool, \
    server, agent, credential, decision, approver, text, body, previous, code) \
    SELECT * FROM UNNEST($1::uuid[], $2::bigint[], $3::int[], $4::bigint[], $5::text[], $6::uuid[], $7::uuid[], \
    $8::uuid[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], \
    $16::text[], $17::bytea[], $18::bytea[])";

/// Inserts any number of rows with one statement.
async fn insert(db: &PgConnection<'_>, rows: &[ChainRow]) -> TransactionResult<()> {
    macro_rules! column {
        (|$row:ident| $value:expr) => {
            rows.iter().map(|$row| $value).collect::<Vec<_>>()
        };
    }
    let seq: Vec<i64> = column!(|row| saturating_column(row.seq));
    let key = rows.iter().map(|row| i32::try_from(row.key)).collect::<Result<Vec<_>, _>>();
    let key = key.map_err(|_| TransactionError::inconsistent("the number of a signing key is too large"))?;
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
        APPEND,
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

const HEAD: &str = "SELECT writer, seq, code FROM writers WHERE writer = $1";

/// The head of a chain.
pub(crate) async fn head(db: &PgConnection<'_>, writer: WriterId) -> TransactionResult<Option<ChainHead>> {
    db.row(HEAD, &[&writer.0]).await?.as_ref().map(read_head).transpose()
}

const ENDS: &str = "SELECT writer, seq, code, told FROM writers ORDER BY writer";

/// The heads of all chains, each with its last row that is not a checkpoint.
pub(crate) async fn ends(db: &PgConnection<'_>) -> TransactionResult<Vec<(ChainHead, u64)>> {
    let rows = db.rows(ENDS, &[]).await?;
    rows.iter().map(|row| Ok((read_head(row)?, count_from_column(row.try_get(3)?)?))).collect()
}

pub(super) const COLUMNS: &str = "writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code";

const ROW: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log WHERE writer = $1 AND seq = $2";

pub(crate) async fn row(
    db: &PgConnection<'_>,
    writer: WriterId,
    seq: u64,
) -> TransactionResult<Option<ChainRow>> {
    // No row has a number that does not fit its column.
    let Ok(seq) = i64::try_from(seq) else { return Ok(None) };
    db.row(ROW, &[&writer.0, &seq]).await?.as_ref().map(read_row).transpose()
}

/// In chain order. The position before the first row is the smallest writer with the smallest number.
const ROWS: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log \
    WHERE (writer, seq) > ($1, $2) ORDER BY writer, seq LIMIT $3";

/// Rows in chain order, after the given row.
pub(crate) async fn rows_after(
    db: &PgConnection<'_>,
    after: (WriterId, u64),
    limit: usize,
) -> TransactionResult<Vec<ChainRow>> {
    rows(db, Some(after), limit).await
}

/// Rows in chain order, after a row or from the first one.
pub(crate) async fn rows(
    db: &PgConnection<'_>,
    after: Option<(WriterId, u64)>,
    limit: usize,
) -> TransactionResult<Vec<ChainRow>> {
    // Without a starting row, start below every possible row, even invalid ones.
    let nothing = (Uuid::nil(), i64::MIN);
    let (writer, seq) =
        after.map_or(nothing, |(writer, seq)| (writer.0, i64::try_from(seq).unwrap_or(i64::MAX)));
    let rows = db.rows(ROWS, &[&writer, &seq, &saturating_column(limit)]).await?;
    rows.iter().map(read_row).collect()
}

/// Reads a row from the columns in [`COLUMNS`].
pub(crate) fn read_row(row: &Found) -> TransactionResult<ChainRow> {
    Ok(ChainRow {
        writer: WriterId(row.try_get(0)?),
        seq: count_from_column(row.try_get(1)?)?,
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

pub(super) fn read_head(row: &Found) -> TransactionResult<ChainHead> {
    Ok(ChainHead {
        writer: WriterId(row.try_get(0)?),
        seq: count_from_column(row.try_get(1)?)?,
        code: code(row.try_get(2)?)?,
    })
}

/// Reads a MAC from its column.
pub(super) fn code(bytes: &[u8]) -> TransactionResult<Mac> {
    bytes
        .try_into()
        .map(Mac)
        .map_err(|_| TransactionError::inconsistent("a MAC in the audit log is not 32 bytes long"))
}

/// Reads a key's number from its column.
pub(super) fn number(key: i32) -> TransactionResult<u32> {
    u32::try_from(key)
        .map_err(|_| TransactionError::inconsistent(format!("a signing key has the invalid number `{key}`")))
}
