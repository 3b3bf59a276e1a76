//! Checks SQLite's query plans, for tests.

use rusqlite::{Connection, params_from_iter};

use super::migrate;

/// Frequent statements must not scan growing tables or sort their results. Each is given with the words that
/// name the index in its plan.
pub(super) fn assert_by_index(statements: &[(&str, &str)]) {
    let db = Connection::open_in_memory().unwrap();
    migrate::make_tables(&db);
    for (sql, index) in statements {
        let parameters = db.prepare(sql).unwrap().parameter_count();
        let plan: Vec<String> = db
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .unwrap()
            .query_map(params_from_iter(vec![0; parameters]), |row| row.get(3))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let plan = plan.join("; ");
        let walks = plan.split("; ").any(|step| step.starts_with("SCAN") && !step.contains("INDEX"))
            && !plan.contains("SCAN CONSTANT ROW");
        assert!(plan.contains(index) && !walks && !plan.contains("ORDER BY"), "{sql}:\n{plan}");
    }
}
