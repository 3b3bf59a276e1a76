//! Lists approvals of any state, newest first: one index for each list, read from its end.

use std::fmt::Write;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::ApprovalQuery;

use super::columns;
use crate::encoding::{micros, saturating_column};
use crate::transaction_error::TransactionResult;

/// Page size when the query names none.
const PAGE: usize = 100;

pub(crate) fn approvals(db: &Connection, query: &ApprovalQuery) -> TransactionResult<Vec<Approval>> {
    let Statement { sql, values } = Statement::of(query);
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), columns)?;
    let (mut found, mut scale) = (Vec::new(), query.memory_allowance());
    for row in rows {
        let approval = row?.approval()?;
        let goes_on = scale.consume(&approval);
        found.push(approval);
        if !goes_on {
            break;
        }
    }
    Ok(found)
}

/// An SQL statement and its bound values.
struct Statement {
    sql: String,
    values: Vec<Value>,
}

impl Statement {
    fn of(query: &ApprovalQuery) -> Statement {
        let index = match (&query.credential, &query.state) {
            (None, None) => "time",
            (None, Some(_)) => "state",
            (Some(_), None) => "credential",
            (Some(_), Some(_)) => "credential_and_state",
        };
        let sql = format!(
            "SELECT a.id, a.state, a.asked, c.input, a.fate \
             FROM approvals a INDEXED BY approvals_by_{index} CROSS JOIN calls c ON c.id = a.call WHERE true"
        );
        let mut statement = Statement { sql, values: Vec::new() };
        for (name, value) in [("credential", &query.credential), ("state", &query.state)] {
            if let Some(value) = value {
                statement.bind(&format!(" AND a.{name} = "), Value::Text(value.clone()));
            }
        }
        if let Some(since) = query.since {
            statement.bind(" AND a.asked_at >= ", Value::Integer(micros(since)));
        }
        if let Some(before) = query.before {
            let before = Value::Blob(before.0.as_bytes().to_vec());
            statement
                .bind(" AND (a.asked_at, a.seq) < (SELECT asked_at, seq FROM approvals WHERE id = ", before);
            statement.sql.push(')');
        }
        let limit = if query.limit == 0 { PAGE } else { query.limit };
        let limit = Value::Integer(saturating_column(limit));
        statement.bind(" ORDER BY a.asked_at DESC, a.seq DESC LIMIT ", limit);
        statement
    }

    fn bind(&mut self, before: &str, value: Value) {
        self.values.push(value);
        // Writing to a string cannot fail.
        let _written = write!(self.sql, "{before}?{}", self.values.len());
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use sekisho_gate::ApprovalId;

    use super::*;

    /// Every list reads one index and sorts nothing.
    #[test]
    fn no_list_sorts() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let at = Timestamp::UNIX_EPOCH;
        let word = || Some("x".to_owned());
        let none = ApprovalQuery::default;
        let lists = [
            ("time", none()),
            ("state", ApprovalQuery { state: word(), ..none() }),
            ("credential", ApprovalQuery { credential: word(), ..none() }),
            ("credential_and_state", ApprovalQuery { credential: word(), state: word(), ..none() }),
        ];
        for (index, list) in lists {
            let pages = [
                list.clone(),
                ApprovalQuery { since: Some(at), ..list.clone() },
                ApprovalQuery { since: Some(at), before: Some(ApprovalId::new(at)), ..list },
            ];
            for (page, query) in pages.into_iter().enumerate() {
                let Statement { sql, values } = Statement::of(&query);
                let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
                let plan =
                    statement.query_map(params_from_iter(values), |row| row.get::<_, String>(3)).unwrap();
                let plan = plan.map(Result::unwrap).collect::<Vec<_>>().join("; ");
                let goes_along = plan.contains(&format!("approvals_by_{index} "))
                    || plan.contains(&format!("approvals_by_{index};"));
                let searches = (index == "time" && page == 0) || plan.starts_with("SEARCH a");
                assert!(goes_along && searches && !plan.contains("ORDER BY"), "{sql}:\n{plan}");
            }
        }
    }
}
