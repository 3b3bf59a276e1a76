//! Searches the audit log: one index for each search, read from its end.
//!
//! The statement names its index, so that a search that is fast on a small log is fast on a large one: the
//! first given column is compared for equality, the rest of the index is in result order, and a page ends at
//! its limit. Words are matched row by row, and no more rows are read than the page needs.

use std::fmt::Write;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use sekisho_gate::audit::{AuditQuery, CallKey, ChainRow, MAX_CALL_ROWS, SearchWords, WriterId};

use super::rows::{COLUMNS, read_row};
use crate::encoding::{micros, micros_up, saturating_column};
use crate::transaction_error::TransactionResult;

pub(crate) fn search(db: &Connection, query: &AuditQuery) -> TransactionResult<Vec<ChainRow>> {
    let limit = query.page_limit();
    let wanted = query.text.as_deref().map(SearchWords::new);
    let Statement { sql, values } = Statement::of(query);
    let mut statement = db.prepare_cached(&sql)?;
    let mut found = statement.query(params_from_iter(values))?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while rows.len() < limit
        && (rows.is_empty() || !query.is_full(bytes))
        && let Some(row) = found.next()?
    {
        let row = read_row(row)?;
        if wanted.as_ref().is_none_or(|wanted| wanted.are_in(&row)) {
            bytes += row.size();
            rows.push(row);
        }
    }
    Ok(rows)
}

/// An SQL statement and its bound values.
struct Statement {
    sql: String,
    values: Vec<Value>,
}

impl Statement {
    fn of(query: &AuditQuery) -> Statement {
        let text = |text: &Option<String>| text.clone().map(Value::Text);
        // The first column that is given selects the index; the most selective columns come first.
        let columns = [
            ("approval", query.approval.map(|id| Value::Blob(id.0.as_bytes().to_vec()))),
            ("approver", text(&query.approver)),
            ("tool", text(&query.tool)),
            ("agent", text(&query.agent)),
            ("decision", text(&query.decision)),
            ("kind", text(&query.kind)),
        ];
        let given: Vec<(&str, Value)> =
            columns.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let index = given.first().map_or("time", |(name, _)| name);
        let sql = format!("SELECT {COLUMNS} FROM audit_log INDEXED BY audit_log_by_{index} WHERE true");
        let mut statement = Statement { sql, values: Vec::new() };
        for (name, value) in given {
            statement.and(&format!("{name} = "), value);
        }
        if query.kind.is_none() && !query.checkpoints {
            statement.sql.push_str(" AND kind <> 'checkpoint'");
        }
        for (condition, moment) in [("at >= ", query.from), ("at < ", query.to)] {
            if let Some(moment) = moment {
                statement.and(condition, Value::Integer(micros_up(moment)));
            }
        }
        for (sign, place) in [("<", query.before), (">", query.after)] {
            if let Some((at, WriterId(writer), seq)) = place {
                statement.and(&format!("(at, writer, seq) {sign} ("), Value::Integer(micros(at)));
                statement.bind(", ", Value::Blob(writer.as_bytes().to_vec()));
                statement.bind(", ", Value::Integer(saturating_column(seq)));
                statement.sql.push(')');
            }
        }
        statement.sql.push_str(match query.after {
            None => " ORDER BY at DESC, writer DESC, seq DESC",
            Some(_) => " ORDER BY at, writer, seq",
        });
        statement
    }

    fn and(&mut self, condition: &str, value: Value) {
        self.sql.push_str(" AND ");
        self.bind(condition, value);
    }

    fn bind(&mut self, before: &str, value: Value) {
        self.values.push(value);
        // Writing to a string cannot fail.
        let _written = write!(self.sql, "{before}?{}", self.values.len());
    }
}

/// The rows of calls, each along one index.
pub(crate) fn call_rows(db: &Connection, calls: &[CallKey]) -> TransactionResult<Vec<ChainRow>> {
    let mut rows = Vec::new();
    for key in calls {
        let (sql, id) = match key {
            CallKey::Approval(id) => (of_call("approval", "approval = ?1"), id),
            CallKey::Call(id) => (of_call("call", "call = ?1 AND approval IS NULL"), id),
        };
        let mut statement = db.prepare_cached(&sql)?;
        let mut found = statement.query((id.as_bytes().as_slice(), saturating_column(MAX_CALL_ROWS)))?;
        while let Some(row) = found.next()? {
            rows.push(read_row(row)?);
        }
    }
    Ok(rows)
}

fn of_call(index: &str, condition: &str) -> String {
    format!(
        "SELECT {COLUMNS} FROM audit_log INDEXED BY audit_log_by_{index} WHERE {condition} \
         ORDER BY at, writer, seq LIMIT ?2"
    )
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use sekisho_gate::ApprovalId;

    use super::*;

    /// Every search reads one index and sorts nothing.
    #[test]
    fn no_search_sorts() {
        let db = Connection::open_in_memory().unwrap();
        crate::sqlite::migrate::make_tables(&db);
        let (at, writer) = (Timestamp::UNIX_EPOCH, WriterId(uuid::Uuid::nil()));
        let word = || Some("x".to_owned());
        let searches = [
            ("time", AuditQuery::default()),
            ("tool", AuditQuery { tool: word(), decision: word(), ..AuditQuery::default() }),
            ("decision", AuditQuery { decision: word(), kind: word(), ..AuditQuery::default() }),
            ("kind", AuditQuery { kind: word(), ..AuditQuery::default() }),
            ("agent", AuditQuery { agent: word(), decision: word(), ..AuditQuery::default() }),
            ("approver", AuditQuery { approver: word(), tool: word(), ..AuditQuery::default() }),
            (
                "approval",
                AuditQuery { approval: Some(ApprovalId::new(at)), tool: word(), ..AuditQuery::default() },
            ),
        ];
        for (index, search) in searches {
            let pages = [
                search.clone(),
                AuditQuery { from: Some(at), to: Some(at), ..search.clone() },
                AuditQuery { from: Some(at), before: Some((at, writer, 1)), ..search.clone() },
                AuditQuery { after: Some((at, writer, 1)), ..search },
            ];
            for (page, query) in pages.into_iter().enumerate() {
                let Statement { sql, values } = Statement::of(&query);
                let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
                let plan =
                    statement.query_map(params_from_iter(values), |row| row.get::<_, String>(3)).unwrap();
                let plan = plan.map(Result::unwrap).collect::<Vec<_>>().join("; ");
                let goes_along = plan.contains(&format!("audit_log_by_{index}"));
                let searches = (index == "time" && page == 0) || plan.starts_with("SEARCH");
                assert!(goes_along && searches && !plan.contains("ORDER BY"), "{sql}:\n{plan}");
            }
        }
    }
}
