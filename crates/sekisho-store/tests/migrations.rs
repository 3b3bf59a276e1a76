//! Migrating a database of the first version keeps all data, up and down.

use refinery::{Migration, Runner};
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim};
use sekisho_gate::ledger::{ApprovalQuery, LedgerReader};
use sekisho_gate::{ExecutionId, WriteAccess};
use sekisho_store::{Version, postgres, sqlite};
use sekisho_testkit::fixtures::{rules_changed_record, stored_rule};

use crate::harness::{TempDatabase, admission, ask, at, new_approval, replica, verify, wait, yes};
use crate::postgres::harness::RUNTIME;
use crate::test_database::TestDatabase;

/// Removes what later versions added.
const BACK: &str = "DROP TABLE tokens; DROP TABLE links; DROP TABLE key_prints; DROP INDEX approvals_by_time; \
    DROP INDEX approvals_by_state; DROP INDEX approvals_by_credential; DROP INDEX approvals_by_credential_and_state; \
    ALTER TABLE calls DROP COLUMN facts; DROP TABLE input_schemas; DROP INDEX calls_by_call_id; \
    DROP INDEX tool_executions_once; ALTER TABLE tool_executions DROP COLUMN once; \
    ALTER TABLE tool_executions DROP COLUMN began_at; ALTER TABLE tool_executions DROP COLUMN sandbox; \
    ALTER TABLE tool_executions DROP COLUMN exit_code; ALTER TABLE tool_executions DROP COLUMN signal; \
    UPDATE tool_executions SET input = '[1]'; DROP TABLE run_todos; DROP TABLE run_outputs; DROP TABLE run_requests; \
    DROP TABLE sub_agents; DROP TABLE run_chunks; DROP TABLE run_messages; DROP TABLE runs; DROP TABLE agent_tool_permissions; DROP TABLE agents; \
    DROP TABLE pipeline_requests; DROP TABLE pipeline_chunks; DROP TABLE pipeline_runs; DROP TABLE pipelines; \
    DROP INDEX audit_log_by_call; ALTER TABLE tool_permission_rules DROP COLUMN input; \
    DELETE FROM refinery_schema_history WHERE version > 1";

/// A database as the first version left it: an approval that was answered and ran, an open one, a call and a rule.
fn first_version(fresh: fn() -> TestDatabase) -> TestDatabase {
    let site = fresh();
    let store = site.store();
    let (first, second) = (ask("1", at(0)), ask("2", at(1)));
    wait(store.open(WriteAccess::TESTS, new_approval(&first, replica()))).unwrap();
    wait(store.step(WriteAccess::TESTS, first.id, yes(), at(2))).unwrap();
    let run = ApprovalTrigger::Claimed(Claim::Run(ExecutionId::new(at(2))));
    wait(store.step(WriteAccess::TESTS, first.id, run, at(2))).unwrap();
    wait(store.open(WriteAccess::TESTS, new_approval(&second, replica()))).unwrap();
    wait(store.admit(WriteAccess::TESTS, admission(at(3)))).unwrap();
    let rule = stored_rule("deploy", sekisho_policy::Effect::Deny, at(4));
    wait(store.add(WriteAccess::TESTS, vec![rule], rules_changed_record(at(4), "made"))).unwrap();
    drop(store);
    site.run(BACK).unwrap();
    site.run(&first_permissions(&site)).unwrap();
    site
}

/// The statement by which the first version created the permissions.
fn first_permissions(site: &TestDatabase) -> String {
    let first = match site {
        TestDatabase::File(_) => include_str!("../src/sqlite/migrations/V1__gate.sql"),
        TestDatabase::Server { .. } => include_str!("../src/postgres/migrations/V1__gate.sql"),
    };
    let statement = first.split("\n\n").find(|text| text.starts_with("CREATE TABLE agent_tool_permissions"));
    statement.unwrap().into()
}

fn version(site: &TestDatabase) -> Version {
    match site {
        TestDatabase::File(place) => sqlite::version(&place.path).unwrap().unwrap(),
        TestDatabase::Server { url, .. } => RUNTIME.block_on(postgres::version(url)).unwrap(),
    }
}

fn everything_is_still_there(fresh: fn() -> TestDatabase) {
    let site = first_version(fresh);
    assert_eq!(version(&site), Version { found: 1, known: 11 });
    let store = site.store();
    assert_eq!(version(&site), Version { found: 11, known: 11 });
    let listed = wait(store.approvals(ApprovalQuery::default())).unwrap();
    let states: Vec<_> = listed.iter().map(|approval| approval.fate.state.name()).collect();
    assert_eq!(states, ["pending", "approved"]);
    let past = wait(LedgerReader::past_calls(&*store, 99)).unwrap();
    assert_eq!(past.iter().map(|past| past.at).collect::<Vec<_>>(), [at(3), at(1), at(0)]);
    assert_eq!(wait(store.all(at(9))).unwrap().rules.len(), 1);
    assert_eq!(wait(store.snapshot()).unwrap().seq, 6);
    assert_eq!(verify(&*store, &[]).unwrap().rows, 6);
    assert_eq!(site.texts("SELECT input FROM tool_executions"), ["null"], "the raw input is in `calls` only");
    assert_eq!(site.count("tokens") + site.count("links"), 0);
    assert_eq!(site.count("key_prints"), 1, "the key is held against its rows, and known from now on");
}

#[test]
fn everything_in_a_file_is_still_there() {
    everything_is_still_there(TestDatabase::file);
}

#[test]
fn everything_in_a_server_is_still_there() {
    everything_is_still_there(TestDatabase::server);
}

/// The downgrade used by these tests gives exactly the schema of the first version.
#[test]
fn downgrade_gives_the_first_schema() {
    let site = first_version(TestDatabase::file);
    let place = TempDatabase::new();
    let first =
        Migration::unapplied("V1__gate", include_str!("../src/sqlite/migrations/V1__gate.sql")).unwrap();
    Runner::new(&[first]).set_grouped(true).run(&mut place.other()).unwrap();
    let tables = "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name";
    assert_eq!(site.texts(tables), TestDatabase::File(place).texts(tables));
}
