//! The SQL text, and nothing else.
//!
//! Static strings: a statement is prepared once for each connection, and what a backend sends can be read in one place.

pub(super) mod approvals;
pub(super) mod audit;
pub(super) mod calls;
pub(super) mod keys;
pub(super) mod past;
pub(super) mod purging;
pub(super) mod record;
pub(super) mod rules;
pub(super) mod tokens;

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::super::migrate;
    use super::super::tables::executions;
    use super::{approvals, audit, calls, past, purging, record, rules, tokens};

    /// What is asked all day must not walk through tables that grow, nor sort what it found.
    #[test]
    fn frequent_statements_go_by_an_index() {
        let db = Connection::open_in_memory().unwrap();
        migrate::make_tables(&db);
        let statements = [
            (approvals::BY_ID, "USING INDEX"),
            (approvals::UPDATE, "USING INDEX"),
            (approvals::LATEST_BY_KEY, "approvals_by_key"),
            (approvals::PENDING, "approvals_pending"),
            (approvals::ANY_PENDING, "approvals_"),
            (approvals::DUE, "approvals_due"),
            (approvals::NEXT_DEADLINE, "approvals_due"),
            (approvals::RELEASE_ALL, "USING PRIMARY KEY"),
            (approvals::HELD_AFTER, "USING PRIMARY KEY"),
            (approvals::ABANDONED, "replicas_by_seen"),
            (approvals::FIRST_LOST, "replicas_by_seen"),
            (approvals::FORGET_REPLICAS, "replicas_by_seen"),
            (calls::END, "USING INDEX"),
            (executions::SPENT, "tool_executions_once"),
            (executions::FINISH, "USING INDEX"),
            (executions::ABOUT, "USING INDEX"),
            (executions::BY_ID, "USING INDEX"),
            (executions::LATEST, "calls_by_call_id"),
            (record::HEAD, "SEARCH events"),
            (record::AFTER, "SEARCH events"),
            (audit::HEAD, "USING PRIMARY KEY"),
            (audit::ROW, "sqlite_autoindex_audit_log_1"),
            (audit::ROWS, "sqlite_autoindex_audit_log_1"),
            (audit::JUDGED, "COVERING INDEX audit_log_by_kind"),
            (audit::ASKED, "COVERING INDEX audit_log_by_kind"),
            (audit::ASKED_ABOUT, "INDEX audit_log_by_kind"),
            (audit::ENDED, "INDEX audit_log_by_kind"),
            (audit::PRUNE, "sqlite_autoindex_audit_log_1"),
            (purging::PURGEABLE, "calls_to_purge"),
            (purging::PURGE_EXECUTIONS, "tool_executions_by_call"),
            (purging::QUESTIONS_OF, "approvals_by_call"),
            (rules::DELETE_ENDED, "session_rules_by_end"),
            (past::OF_KIND, "audit_log_by_kind"),
            (tokens::BY_ID, "USING INDEX"),
            (tokens::REVOKE, "USING INDEX"),
            (tokens::USE, "USING INDEX"),
            (tokens::TAKE_LINK, "USING PRIMARY KEY"),
        ];
        for (sql, index) in statements {
            let plan: Vec<String> = db
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .unwrap()
                .query_map(rusqlite::params_from_iter(vec![0; sql_params(&db, sql)]), |row| row.get(3))
                .unwrap()
                .map(Result::unwrap)
                .collect();
            let plan = plan.join("; ");
            let walks = plan.split("; ").any(|step| step.starts_with("SCAN") && !step.contains("INDEX"))
                && !plan.contains("SCAN CONSTANT ROW");
            assert!(plan.contains(index) && !walks && !plan.contains("ORDER BY"), "{sql}:\n{plan}");
        }
    }

    fn sql_params(db: &Connection, sql: &str) -> usize {
        db.prepare(sql).unwrap().parameter_count()
    }
}
