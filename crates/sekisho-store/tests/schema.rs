//! The schema, which other tools and people may rely on.

use crate::harness::TempDatabase;

fn columns(place: &TempDatabase, table: &str) -> Vec<String> {
    let db = place.other();
    let mut statement = db.prepare("SELECT name FROM pragma_table_xinfo(?1) ORDER BY cid").unwrap();
    statement.query_map([table], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn published_tables_have_their_columns() {
    let expected = [
        (
            "tool_executions",
            "id execution_id tool_name input output is_error duration_ms created_at call approval finished_at \
             once began_at sandbox exit_code signal",
        ),
        (
            "tool_permission_rules",
            "id made effect auto_approve server_id tool_name tool_pattern priority agent command command_glob \
             skill_name path host timeout_s on_timeout expires_at note examples unrestricted created_at updated_at \
             created_by input",
        ),
        (
            "calls",
            "id input digest tool server agent credential workspace conversation run_id call_id cwd created_at ended_at \
             facts",
        ),
        ("approvals", "seq id call credential scope call_key state deadline claimed_at asked_at asked fate"),
        (
            "audit_log",
            "writer seq key at kind call approval execution tool server agent credential decision approver text body \
             previous code",
        ),
        ("writers", "writer seq code told"),
        ("cuts", "writer seq head at key code"),
        ("events", "seq at body"),
        ("holds", "approval replica"),
        ("replicas", "id seen_at"),
        (
            "session_rules",
            "id made credential agent scope effect rule expires_at created_at updated_at created_by",
        ),
        ("meta", "name value"),
        (
            "tokens",
            "seq id name role kind hash agent vouches roots created_at created_by expires_at revoked_at last_used_at \
             notifications",
        ),
        ("links", "hash name role created_at created_by expires_at"),
        ("key_prints", "key print"),
        ("input_schemas", "tool version schema used_at"),
    ];
    check(&expected);
}

#[test]
fn tables_of_agents_and_runs_have_their_columns() {
    check(&[
        (
            "agent_tool_permissions",
            "id agent_id tool_name is_enabled config require_approval created_at updated_at",
        ),
        ("run_todos", "run todos updated_at"),
        ("run_outputs", "run id output bytes created_at"),
        (
            "runs",
            "id agent credential settings state version messages chunks owner works created_at updated_at parent \
             root reserved",
        ),
        ("sub_agents", "id run spec created_at"),
        ("agents", "id name settings created_at updated_at"),
        ("run_messages", "run seq body"),
        ("run_chunks", "run seq body"),
        ("run_requests", "seq run body created_at"),
        ("pipelines", "id name definition created_at updated_at"),
        (
            "pipeline_runs",
            "id pipeline credential settings state version chunks owner works created_at updated_at",
        ),
        ("pipeline_chunks", "run seq body"),
        ("pipeline_requests", "seq run body created_at"),
    ]);
}

fn check(expected: &[(&str, &str)]) {
    let place = TempDatabase::new();
    drop(place.store());
    for (table, names) in expected {
        assert_eq!(columns(&place, table), names.split_whitespace().collect::<Vec<_>>(), "{table}");
    }
}

#[test]
fn every_table_is_strict() {
    let place = TempDatabase::new();
    drop(place.store());
    let loose = "SELECT group_concat(name) FROM pragma_table_list \
        WHERE schema = 'main' AND type = 'table' AND NOT strict \
        AND name NOT LIKE 'sqlite_%' AND name <> 'refinery_schema_history'";
    let loose: Option<String> = place.other().query_row(loose, [], |row| row.get(0)).unwrap();
    assert_eq!(loose, None);
}

#[test]
fn file_trust_decides_whether_a_rule_allows() {
    let place = TempDatabase::new();
    drop(place.store());
    let db = place.other();
    for (number, effect) in ["allow", "confirm", "deny"].iter().enumerate() {
        let insert = "INSERT INTO tool_permission_rules (id, made, effect, created_at, updated_at, created_by) \
            VALUES (randomblob(16), ?1, ?2, 0, 0, 'me')";
        db.execute(insert, rusqlite::params![i64::try_from(number).unwrap(), effect]).unwrap();
    }
    let approving = "SELECT group_concat(effect) FROM tool_permission_rules WHERE auto_approve = 1";
    assert_eq!(db.query_row(approving, [], |row| row.get::<_, String>(0)).unwrap(), "allow");
}
