//! Runs with sub-agents, and what they must look like in the end: no sub-agent is lost, and none runs twice.

use std::collections::BTreeMap;
use std::path::Path;

use sekisho_agent::conversation::{CallResult, Message};
use sekisho_agent::machine::{FinishReason, Phase};
use sekisho_agent::runs::StoredRun;
use sekisho_tools::Tool;
use sekisho_tools::sub_agents::{CreateSubAgent, ExecuteSubAgent, GetSubAgentResult};
use serde_json::{Value, json};

use super::child::NOTES;
use crate::harness::wait;
use crate::test_database::TestPorts;

pub(super) fn tools() -> [Box<dyn Tool>; 3] {
    [Box::new(CreateSubAgent), Box::new(ExecuteSubAgent), Box::new(GetSubAgentResult)]
}

/// Makes two sub-agents, starts them, and waits for them.
pub(super) fn script() -> Value {
    let create = |id: &str| {
        let input = json!({ "name": id, "system_prompt": "Help.", "enabled_tools": ["note", "risky"] });
        json!({ "name": "create_sub_agent", "id": id, "input": input })
    };
    let start = |id: &str, made: &str| {
        let input = json!({ "agent_id": format!("{{{{{made}.agent_id}}}}"), "input": "go" });
        json!({ "name": "execute_sub_agent", "id": id, "input": input })
    };
    let result = |id: &str, started: &str| {
        let input = json!({ "execution_id": format!("{{{{{started}.execution_id}}}}") });
        json!({ "name": "get_sub_agent_result", "id": id, "input": input })
    };
    json!([
        { "calls": [create("a"), create("b")] },
        { "calls": [start("c", "a"), start("d", "b"), { "name": "note", "id": "n", "input": {} }] },
        { "calls": [result("e", "c"), result("f", "d")] },
        { "text": "Done." },
    ])
}

pub(super) fn sub_agent_script() -> Value {
    json!([
        { "calls": [{ "name": "note", "id": "x", "input": {} }, { "name": "risky", "id": "y", "input": {} }] },
        { "text": "I have helped." },
    ])
}

/// Checks every tree against its script and the notes.
pub(super) fn check(store: &dyn TestPorts, runs: &[StoredRun], directory: &Path) {
    let mut notes: BTreeMap<String, usize> = BTreeMap::new();
    for line in std::fs::read_to_string(directory.join(NOTES)).unwrap().lines() {
        *notes.entry(line.into()).or_default() += 1;
    }
    let twice: Vec<_> = notes.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "tools that ran twice: {twice:?}");
    for run in runs {
        let ended = Phase::Ended { reason: FinishReason::Stop, withdrawing: Vec::new() };
        assert_eq!(run.state.phase, ended, "{}", run.id);
    }
    let roots: Vec<&StoredRun> = runs.iter().filter(|run| run.settings.parent.is_none()).collect();
    println!("{} trees", roots.len());
    assert!(!roots.is_empty());
    for root in &roots {
        check_tree(store, root);
    }
    assert_eq!(runs.len(), roots.len() * 3, "two sub-agents each");
}

fn check_tree(store: &dyn TestPorts, root: &StoredRun) {
    let id = root.id;
    let results = results(store, id);
    let field = |call: &str, field: &str| {
        let result = results.iter().find(|result| result.call_id == call).unwrap();
        assert!(!result.is_error, "{id} {result:?}");
        let value: Value =
            serde_json::from_str(&result.content).unwrap_or_else(|_| panic!("{id} {result:?}"));
        value[field].as_str().unwrap_or_else(|| panic!("{id} {result:?}")).to_owned()
    };
    assert_ne!(field("a", "agent_id"), field("b", "agent_id"));
    let tree = wait(store.tree(id)).unwrap();
    assert_eq!(tree.len(), 3, "{id}");
    for (started, awaited) in [("c", "e"), ("d", "f")] {
        let run = field(started, "execution_id");
        assert!(tree.iter().any(|one| one.id.to_string() == run), "{id}");
        assert_eq!((field(awaited, "execution_id"), field(awaited, "status")), (run, "completed".into()));
        assert_eq!(field(awaited, "output"), "I have helped.");
    }
}

fn results(store: &dyn TestPorts, run: uuid::Uuid) -> Vec<CallResult> {
    let messages = wait(store.messages(run)).unwrap();
    let results = messages.into_iter().filter_map(|message| match message {
        Message::Tools { results } => Some(results),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    results.flatten().collect()
}
