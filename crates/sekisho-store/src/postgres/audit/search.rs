//! Searches the audit log along one index, newest first, a page at a time.
//!
//! Text is matched here and not by the server, so that results do not depend on the server's locale. Rows are
//! fetched in pieces until the page is full.

use std::fmt::Write;

use sekisho_gate::audit::{AuditQuery, CallKey, ChainRow, MAX_CALL_ROWS, PieceSize, SearchWords, WriterId};
use tokio_postgres::types::ToSql;

use super::super::connection::PgConnection;
use super::rows::{COLUMNS, read_row};
use crate::encoding::{micros, micros_up, saturating_column};
use crate::transaction_error::TransactionResult;

/// How many rows are fetched at a time for text matching.
const PIECE: usize = 500;
/// How many rows are fetched at first if the bytes of the page are limited.
const FIRST_PIECE: usize = 32;

pub(crate) async fn search(db: &PgConnection<'_>, mut query: AuditQuery) -> TransactionResult<Vec<ChainRow>> {
    let limit = query.page_limit();
    let wanted = query.text.take().map(|text| SearchWords::new(&text));
    let most = if wanted.is_some() { PIECE } else { limit };
    let first = if query.max_bytes.is_some() { FIRST_PIECE } else { most };
    let mut size = PieceSize::new(first, most);
    let fits = |row: &ChainRow| wanted.as_ref().is_none_or(|wanted| wanted.are_in(row));
    let (mut found, mut bytes) = (Vec::new(), 0);
    loop {
        let piece = size.get();
        let Statement { sql, values } = Statement::of(&query, piece);
        let values: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| value.as_ref() as &(dyn ToSql + Sync)).collect();
        let rows: Vec<ChainRow> =
            db.rows(&sql, &values).await?.iter().map(read_row).collect::<TransactionResult<_>>()?;
        let last = rows.last().map(|row| (row.at(), row.writer, row.seq));
        let all = rows.len() < piece;
        size.adapt(rows.iter().map(ChainRow::size).sum());
        for row in rows.into_iter().filter(fits) {
            bytes += row.size();
            found.push(row);
            if found.len() >= limit || query.is_full(bytes) {
                return Ok(found);
            }
        }
        if all {
            return Ok(found);
        }
        match query.after {
            None => query.before = last,
            Some(_) => query.after = last,
        }
    }
}

/// The rows of calls, each along one index.
pub(crate) async fn call_rows(
    db: &PgConnection<'_>,
    calls: Vec<CallKey>,
) -> TransactionResult<Vec<ChainRow>> {
    let (mut approvals, mut unasked) = (Vec::new(), Vec::new());
    for key in calls {
        match key {
            CallKey::Approval(id) => approvals.push(id),
            CallKey::Call(id) => unasked.push(id),
        }
    }
    let most = saturating_column(MAX_CALL_ROWS);
    let mut rows = Vec::new();
    for (ids, condition) in
        [(approvals, "approval = wanted.id"), (unasked, "call = wanted.id AND approval IS NULL")]
    {
        if ids.is_empty() {
            continue;
        }
        let sql = format!(
            "SELECT found.* FROM UNNEST($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (SELECT {COLUMNS} \
             FROM audit_log WHERE {condition} ORDER BY at, writer, seq LIMIT $2) AS found"
        );
        for row in &db.rows(&sql, &[&ids, &most]).await? {
            rows.push(read_row(row)?);
        }
    }
    Ok(rows)
}

/// An SQL statement and its bound values.
struct Statement {
    sql: String,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Statement {
    fn of(query: &AuditQuery, limit: usize) -> Statement {
        let sql = format!("SELECT {COLUMNS} FROM audit_log WHERE true");
        let mut statement = Statement { sql, values: Vec::new() };
        if let Some(approval) = query.approval {
            statement.and("approval = ", approval.0);
        }
        for (name, value) in [("decision", &query.decision), ("kind", &query.kind)] {
            if let Some(value) = value {
                statement.and(&format!("{name} = "), value.clone());
            }
        }
        // These may be long; their indexes cover the beginning.
        for (name, value) in [("approver", &query.approver), ("tool", &query.tool), ("agent", &query.agent)] {
            if let Some(value) = value {
                statement.and(&format!("{name} = "), value.clone());
                let beginning: String = value.chars().take(200).collect();
                statement.and(&format!("left({name}, 200) = "), beginning);
            }
        }
        if query.kind.is_none() && !query.checkpoints {
            statement.sql.push_str(" AND kind <> 'checkpoint'");
        }
        for (condition, moment) in [("at >= ", query.from), ("at < ", query.to)] {
            if let Some(moment) = moment {
                statement.and(condition, micros_up(moment));
            }
        }
        for (sign, place) in [("<", query.before), (">", query.after)] {
            if let Some((at, WriterId(writer), seq)) = place {
                statement.and(&format!("(at, writer, seq) {sign} ("), micros(at));
                statement.bind(", ", writer);
                statement.bind(", ", saturating_column(seq));
                statement.sql.push(')');
            }
        }
        statement.sql.push_str(match query.after {
            None => " ORDER BY at DESC, writer DESC, seq DESC",
            Some(_) => " ORDER BY at, writer, seq",
        });
        statement.bind(" LIMIT ", saturating_column(limit));
        statement
    }

    fn and(&mut self, condition: &str, value: impl ToSql + Sync + Send + 'static) {
        self.sql.push_str(" AND ");
        self.bind(condition, value);
    }

    fn bind(&mut self, before: &str, value: impl ToSql + Sync + Send + 'static) {
        self.values.push(Box::new(value));
        // Writing to a string cannot fail.
        let _written = write!(self.sql, "{before}${}", self.values.len());
    }
}
