//! Lists approvals of any state, newest first, by reading one index from its end.

use std::fmt::Write;

use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::ApprovalQuery;
use tokio_postgres::types::ToSql;

use super::super::connection::PgConnection;
use super::super::nul_escape::escape_nul;
use super::approval;
use crate::encoding::{micros, saturating_column};
use crate::transaction_error::TransactionResult;

/// Page size when the query names none.
const PAGE: usize = 100;

pub(crate) async fn approvals(
    db: &PgConnection<'_>,
    query: ApprovalQuery,
) -> TransactionResult<Vec<Approval>> {
    let Statement { sql, values } = Statement::of(&query);
    let values: Vec<&(dyn ToSql + Sync)> =
        values.iter().map(|value| value.as_ref() as &(dyn ToSql + Sync)).collect();
    let (mut found, mut scale) = (Vec::new(), query.memory_allowance());
    db.rows_while(&sql, &values, |row| {
        let approval = approval(&row)?;
        let goes_on = scale.consume(&approval);
        found.push(approval);
        Ok(goes_on)
    })
    .await?;
    Ok(found)
}

/// An SQL statement and its bound values.
struct Statement {
    sql: String,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Statement {
    fn of(query: &ApprovalQuery) -> Statement {
        let sql = "SELECT a.id, a.state, a.asked, c.input, a.fate \
            FROM approvals a JOIN calls c ON c.id = a.call WHERE true";
        let mut statement = Statement { sql: sql.to_owned(), values: Vec::new() };
        if let Some(credential) = &query.credential {
            let credential = escape_nul(credential).into_owned();
            // It may be long; the index covers its first 200 characters.
            let beginning: String = credential.chars().take(200).collect();
            statement.bind(" AND a.credential = ", credential);
            statement.bind(" AND left(a.credential, 200) = ", beginning);
        }
        if let Some(state) = &query.state {
            statement.bind(" AND a.state = ", escape_nul(state).into_owned());
        }
        if let Some(since) = query.since {
            statement.bind(" AND a.asked_at >= ", micros(since));
        }
        if let Some(before) = query.before {
            statement.bind(
                " AND (a.asked_at, a.seq) < (SELECT asked_at, seq FROM approvals WHERE id = ",
                before.0,
            );
            statement.sql.push(')');
        }
        let limit = if query.limit == 0 { PAGE } else { query.limit };
        statement.bind(" ORDER BY a.asked_at DESC, a.seq DESC LIMIT ", saturating_column(limit));
        statement
    }

    fn bind(&mut self, before: &str, value: impl ToSql + Sync + Send + 'static) {
        self.values.push(Box::new(value));
        // Writing to a string cannot fail.
        let _written = write!(self.sql, "{before}${}", self.values.len());
    }
}
