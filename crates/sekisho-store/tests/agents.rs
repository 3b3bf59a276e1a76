//! Agents and their tool permissions: both databases store and find the same.

use sekisho_agent::agents::{Agent, AgentChange, AgentMode, AgentSettings, Budgets, ToolPermission};
use sekisho_agent::conversation::Provider;
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_testkit::fixtures::rules_changed_record;
use sekisho_tools::ToolConfig;
use uuid::Uuid;

use crate::harness::{at, verify, wait};
use crate::test_database::{TestDatabase, TestPorts};

const FIRST: Uuid = Uuid::from_u128(1);
const SECOND: Uuid = Uuid::from_u128(2);

fn settings(name: &str) -> AgentSettings {
    AgentSettings {
        name: name.into(),
        provider: Provider::Openai,
        model: "m".into(),
        system_prompt: Some("Be brief.\u{0}".into()),
        user_prompt: Some("é\u{1}".into()),
        temperature: 0.1 + 0.2,
        max_tokens: u32::MAX,
        context_tokens: 128_000,
        budgets: Budgets {
            max_iterations: 7,
            tokens: Some(u64::MAX),
            cost_usd: Some("1.1".parse().unwrap()),
            seconds: Some(60),
        },
        mode: AgentMode::Approval,
        require_tool_approval: true,
        workspace: Some("/w".into()),
    }
}

fn agent(id: Uuid, name: &str) -> Agent {
    Agent { id, settings: settings(name), created_at: at(1), updated_at: at(1) }
}

fn tool(name: &str, is_enabled: bool) -> ToolPermission {
    ToolPermission { tool_name: name.into(), is_enabled, config: None, require_approval: false }
}

fn record() -> CheckedRecord {
    CheckedRecord::for_tests(rules_changed_record(at(1), "an agent changed"))
}

fn agents_are_stored(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (first, second) = (agent(FIRST, "first\u{0}"), agent(SECOND, "second"));
    assert_eq!(wait(store.create_agent(second.clone(), record())).unwrap(), AgentChange::Stored);
    assert_eq!(wait(store.create_agent(first.clone(), record())).unwrap(), AgentChange::Stored);
    drop(store);
    let store = site.store();
    assert_eq!(wait(store.agent(FIRST)).unwrap(), Some(first.clone()));
    assert_eq!(wait(store.agent(Uuid::nil())).unwrap(), None);
    assert_eq!(wait(store.agent_named("first\u{0}".into())).unwrap(), Some(first.clone()));
    assert_eq!(wait(store.agent_named("first".into())).unwrap(), None);
    assert_eq!(wait(store.agents()).unwrap(), [first.clone(), second.clone()]);
    let changed = AgentSettings { mode: AgentMode::None, ..settings("other") };
    assert_eq!(
        wait(store.update_agent(FIRST, changed.clone(), at(5), record())).unwrap(),
        AgentChange::Stored
    );
    let first = Agent { settings: changed, updated_at: at(5), ..first };
    assert_eq!(wait(store.agents()).unwrap(), [first, second]);
    assert_eq!(
        wait(store.update_agent(Uuid::nil(), settings("x"), at(5), record())).unwrap(),
        AgentChange::NotFound
    );
}

fn names_are_unique(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    assert_eq!(wait(store.create_agent(agent(FIRST, "builder"), record())).unwrap(), AgentChange::Stored);
    assert_eq!(wait(store.create_agent(agent(SECOND, "builder"), record())).unwrap(), AgentChange::NameTaken);
    assert_eq!(wait(store.create_agent(agent(SECOND, "Builder"), record())).unwrap(), AgentChange::Stored);
    let taken = wait(store.update_agent(SECOND, settings("builder"), at(2), record())).unwrap();
    assert_eq!(taken, AgentChange::NameTaken);
    assert_eq!(wait(store.agent(SECOND)).unwrap().unwrap().settings.name, "Builder");
    let own = wait(store.update_agent(FIRST, settings("builder"), at(2), record())).unwrap();
    assert_eq!(own, AgentChange::Stored, "its own name is free");
}

fn permissions_belong_to_an_agent(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let at = at(1);
    assert!(!wait(store.set_tool_permissions(FIRST, vec![tool("read", true)], at, record())).unwrap());
    for (id, name) in [(FIRST, "first"), (SECOND, "second")] {
        assert_eq!(wait(store.create_agent(agent(id, name), record())).unwrap(), AgentChange::Stored);
    }
    assert_eq!(wait(store.tool_permissions(FIRST)).unwrap(), []);
    let config = Some(ToolConfig { allowed_commands: Some(vec!["make".into()]), ..ToolConfig::default() });
    let shell = ToolPermission { config, require_approval: true, ..tool("shell_exec", true) };
    let first = vec![shell.clone(), tool("read\u{0}", true), tool("Z", true)];
    assert!(wait(store.set_tool_permissions(FIRST, first, at, record())).unwrap());
    assert!(wait(store.set_tool_permissions(SECOND, vec![tool("read", true)], at, record())).unwrap());
    let expected = [tool("Z", true), tool("read\u{0}", true), shell];
    assert_eq!(wait(store.tool_permissions(FIRST)).unwrap(), expected);
    assert!(wait(store.set_tool_permissions(FIRST, vec![tool("shell_exec", false)], at, record())).unwrap());
    let expected = [tool("Z", true), tool("read\u{0}", true), tool("shell_exec", false)];
    assert_eq!(wait(store.tool_permissions(FIRST)).unwrap(), expected, "the others stay");
    assert!(wait(store.delete_agent(FIRST, record())).unwrap());
    assert!(!wait(store.delete_agent(FIRST, record())).unwrap());
    assert_eq!(wait(store.tool_permissions(FIRST)).unwrap(), []);
    assert_eq!(site.count("agent_tool_permissions"), 1, "those of the other agent stay");
    assert!(!wait(store.set_tool_permissions(FIRST, Vec::new(), at, record())).unwrap());
}

/// The records are as many as the changes, and a change whose record cannot be written is not made.
fn changes_are_recorded_or_not_made(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let changes = |store: &dyn TestPorts| {
        [
            wait(store.create_agent(agent(SECOND, "second"), record()))
                .map(|change| change == AgentChange::Stored),
            wait(store.update_agent(FIRST, settings("other"), at(2), record()))
                .map(|change| change == AgentChange::Stored),
            wait(store.set_tool_permissions(FIRST, vec![tool("write", true)], at(2), record())),
            wait(store.delete_agent(FIRST, record())),
        ]
    };
    let stored = |store: &dyn TestPorts| {
        (wait(store.agents()).unwrap(), wait(store.tool_permissions(FIRST)).unwrap(), site.count("audit_log"))
    };
    assert_eq!(wait(store.create_agent(agent(FIRST, "first"), record())).unwrap(), AgentChange::Stored);
    assert!(wait(store.set_tool_permissions(FIRST, vec![tool("read", true)], at(1), record())).unwrap());
    let before = stored(&*store);
    assert_eq!(before.2, 2);

    site.fail_records(true);
    for failed in changes(&*store) {
        assert!(failed.is_err(), "{failed:?}");
    }
    assert_eq!(stored(&*store), before);
    site.fail_records(false);

    let nothing = wait(store.delete_agent(SECOND, record())).unwrap();
    let taken = wait(store.create_agent(agent(SECOND, "first"), record())).unwrap();
    assert_eq!((nothing, taken), (false, AgentChange::NameTaken));
    assert_eq!(stored(&*store), before, "what changes nothing is not recorded");
    for made in changes(&*store) {
        assert_eq!(made, Ok(true));
    }
    assert_eq!((wait(store.agents()).unwrap(), site.count("audit_log")), (vec![agent(SECOND, "second")], 6));
    verify(&*store, &[]).unwrap();
}

#[test]
fn changes_in_a_file_are_recorded_or_not_made() {
    changes_are_recorded_or_not_made(TestDatabase::file);
}

#[test]
fn changes_in_a_server_are_recorded_or_not_made() {
    changes_are_recorded_or_not_made(TestDatabase::server);
}

#[test]
fn agents_are_stored_in_a_file() {
    agents_are_stored(TestDatabase::file);
}

#[test]
fn agents_are_stored_in_a_server() {
    agents_are_stored(TestDatabase::server);
}

#[test]
fn names_are_unique_in_a_file() {
    names_are_unique(TestDatabase::file);
}

#[test]
fn names_are_unique_in_a_server() {
    names_are_unique(TestDatabase::server);
}

#[test]
fn permissions_in_a_file_belong_to_an_agent() {
    permissions_belong_to_an_agent(TestDatabase::file);
}

#[test]
fn permissions_in_a_server_belong_to_an_agent() {
    permissions_belong_to_an_agent(TestDatabase::server);
}
