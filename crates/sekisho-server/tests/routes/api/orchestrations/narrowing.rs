//! A sub-agent never has more than its parent, at the moment of each call.

use serde_json::{Value, json};

use super::super::runs::runs_fixture::{RunsFixture, call};
use super::{auto, create, create_with, delegate, start, wait};
use crate::harness::socket_server::eventually;

/// What the first call of a run says.
async fn first_result(fixture: &RunsFixture, agent: &str) -> (String, bool) {
    let run = fixture.orchestrate(agent).await;
    fixture.results(run["id"].as_str().unwrap()).await.remove(0)
}

#[tokio::test]
async fn more_than_the_parent_has_is_refused() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let fixture = RunsFixture::with_projects(vec![root.clone()]).await;
    let cases = [
        ("tools", json!({ "enabled_tools": ["note", "risky"] }), "`risky` is not one of your tools"),
        ("unknown", json!({ "enabled_tools": ["nothing"] }), "`nothing` is not one of your tools"),
        (
            "dirs",
            json!({ "enabled_tools": ["file_write"], "tool_config": { "file_write": { "allowed_dirs": ["src"] } } }),
            "file_write: allowed_dirs: a sub-agent never has more than you",
        ),
        (
            "root",
            json!({ "enabled_tools": ["file_write"], "tool_config": { "file_write": { "allowed_dirs": ["."] } } }),
            "file_write: allowed_dirs: a sub-agent never has more than you",
        ),
        (
            "git",
            json!({ "enabled_tools": ["git_ops"], "tool_config": { "git_ops": { "git_permission": "ReadWrite" } } }),
            "git_ops: git_permission: a sub-agent never has more than you",
        ),
        (
            "time",
            json!({ "enabled_tools": ["shell_exec"], "tool_config": { "shell_exec": { "shell_timeout_ms": 70000 } } }),
            "shell_exec: shell_timeout_ms: a sub-agent never has more than you",
        ),
        (
            "hosts",
            json!({ "enabled_tools": ["shell_exec"], "tool_config": { "shell_exec": { "allowed_hosts": ["a.example"] } } }),
            "shell_exec: allowed_hosts: a sub-agent never has more than you",
        ),
        ("budget", json!({ "max_iterations": 1000 }), "Unknown 'max_iterations' parameter"),
        ("mode", json!({ "mode": "auto" }), "Unknown 'mode' parameter"),
        ("workspace", json!({ "workspace": "/" }), "Unknown 'workspace' parameter"),
        ("shown", json!({ "delegation": {} }), "Unknown 'delegation' parameter"),
        ("name", json!({ "name": "../other" }), "Invalid 'name' parameter"),
        ("model", json!({ "model": "a-model-of-nobody" }), "is not a model of an agent here"),
        (
            "config",
            json!({ "tool_config": { "file_write": { "allowed_dirs": ["doc"] } } }),
            "`file_write` is not in 'enabled_tools'",
        ),
    ];
    for (name, more, expected) in cases {
        let mut input = more;
        if input.get("model").is_none() {
            input["model"] = json!(name);
        }
        let script = json!([{ "calls": [create_with(name, input)] }, { "text": "Done." }]);
        let settings = json!({ "mode": "auto", "workspace": root });
        let tools = ["note", "file_write", "git_ops", "shell_exec"];
        let agent = fixture.agent_with(name, script, &tools, settings).await;
        let (text, is_error) = first_result(&fixture, &agent).await;
        assert!(is_error && text.contains(expected), "{name}: {text}");
    }
}

#[tokio::test]
async fn sub_agent_without_a_list_has_no_tools() {
    let fixture = RunsFixture::new().await;
    fixture
        .agent("child", json!([{ "calls": [call("note", "x")] }, { "text": "I could not." }]), &["note"])
        .await;
    let agent =
        fixture.agent_with("parent", delegate(create_with("child", json!({}))), &["note"], auto()).await;
    let view = fixture.orchestrate(&agent).await;
    assert_eq!(view["status"], "completed", "{view}");
    let child = view["sub_agents"][0]["run_id"].as_str().unwrap();
    assert_eq!(fixture.results(child).await, [("Tool not enabled: note".to_owned(), true)]);
    assert!(fixture.notes().is_empty());
    let result = fixture.results(view["id"].as_str().unwrap()).await.remove(2).0;
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!((&result["status"], &result["output"]), (&json!("completed"), &json!("I could not.")));
}

/// Changes the parent while a tool of its sub-agent runs. The next call of the sub-agent is refused.
async fn sub_agent_loses_its_tool_after(change: impl AsyncFnOnce(&RunsFixture, &str)) {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("slow", "first")] }, { "calls": [call("note", "second")] }, { "text": "End." }]);
    fixture.agent("child", script, &[]).await;
    let script = delegate(create("child", json!(["slow", "note"])));
    let agent = fixture.agent_with("parent", script, &["slow", "note"], auto()).await;
    let run = fixture.start(&agent).await;
    eventually("the sub-agent never called", async || (fixture.notes() == ["first"]).then_some(())).await;
    change(&fixture, &agent).await;
    fixture.go();
    fixture.ended(&run).await;
    let view = fixture.orchestration(&json!(run)).await;
    let child = view["sub_agents"][0]["run_id"].as_str().unwrap();
    assert_eq!(fixture.results(child).await[1], ("Tool not enabled: note".to_owned(), true));
    assert_eq!(fixture.notes(), ["first"]);
}

/// What the parent loses during the run, its sub-agents lose at their next call.
#[tokio::test]
async fn change_of_the_parent_counts_at_the_next_call_of_its_sub_agent() {
    let disable = async |fixture: &RunsFixture, agent: &str| fixture.enable(agent, &["note"], false).await;
    sub_agent_loses_its_tool_after(disable).await;
}

/// An agent that loses its mode has no sub-agents that could do anything.
#[tokio::test]
async fn mode_of_the_parent_counts_at_the_next_call_of_its_sub_agent() {
    sub_agent_loses_its_tool_after(async |fixture: &RunsFixture, agent: &str| {
        let path = format!("/api/agents/{agent}");
        let mut settings = fixture.ok(&fixture.admin, "GET", &path, None).await["settings"].clone();
        settings["mode"] = json!("none");
        fixture.ok(&fixture.admin, "PUT", &path, Some(settings)).await;
    })
    .await;
}

/// Open questions of sub-agents about a tool that their parent loses are denied.
#[tokio::test]
async fn disabled_tool_denies_questions_of_sub_agents() {
    let fixture = RunsFixture::new().await;
    fixture.agent("child", json!([{ "calls": [call("risky", "x")] }, { "text": "End." }]), &[]).await;
    let agent =
        fixture.agent_with("parent", delegate(create("child", json!(["risky"]))), &["risky"], auto()).await;
    let view = fixture.orchestrate(&agent).await;
    assert_eq!(view["status"], "suspended", "{view}");
    fixture.enable(&agent, &["risky"], false).await;
    let ended = fixture.ended(view["id"].as_str().unwrap()).await;
    assert_eq!(ended["status"], "completed");
    assert!(fixture.notes().is_empty());
}

/// Rules for one agent do not count for a sub-agent of another that takes its name, and a deny or a missing allow of the
/// parent counts for the sub-agent.
#[tokio::test]
async fn rules_are_judged_for_each_agent_of_the_chain() {
    let fixture = RunsFixture::new().await;
    // Another agent may use `risky` without asking; so may a sub-agent, but not its parent.
    fixture.allow(json!({ "effect": "allow", "tool": "risky", "agent": "child" })).await;
    fixture.allow(json!({ "effect": "allow", "tool": "risky", "agent": "parent/child" })).await;
    fixture
        .agent(
            "child",
            json!([{ "calls": [call("risky", "x"), call("note", "y")] }, { "text": "End." }]),
            &[],
        )
        .await;
    let script = delegate(create("child", json!(["risky", "note"])));
    let agent = fixture.agent_with("parent", script, &["risky", "note"], auto()).await;
    let view = fixture.orchestrate(&agent).await;
    assert_eq!(view["pending"][0]["tool_name"], "risky", "{view}");
    assert_eq!(view["pending"][0]["agents"], json!(["parent", "parent/child"]));
    // The inbox shows the chain too.
    let open = fixture.server.open(1).await;
    let question = fixture.ok(&fixture.viewer, "GET", &format!("/api/approvals/{}", open[0].id), None).await;
    assert_eq!(question["agentChain"], json!(["parent", "parent/child"]));
    // A rule that denies the parent denies its sub-agent, although the sub-agent itself is allowed.
    fixture.allow(json!({ "effect": "deny", "tool": "risky", "agent": "parent" })).await;
    let ended = fixture.ended(view["id"].as_str().unwrap()).await;
    assert_eq!(ended["status"], "completed");
    assert_eq!(fixture.notes(), ["y"]);
}

/// What a person remembers for the session of a sub-agent does not count for its parent.
#[tokio::test]
async fn remembered_rule_of_a_sub_agent_is_not_its_parents() {
    let fixture = RunsFixture::new().await;
    let risky = |text: &str| json!({ "calls": [call("risky", text)] });
    fixture.agent("child", json!([risky("child 1"), risky("child 2"), { "text": "End." }]), &[]).await;
    let mut script = delegate(create("child", json!(["risky"])));
    script[3] = risky("parent");
    let agent = fixture.agent_with("parent", script, &["risky"], auto()).await;
    let view = fixture.orchestrate(&agent).await;
    let approval = view["pending"][0]["approval_id"].as_str().unwrap();
    let body =
        json!({ "behavior": "allow", "remember": { "scope": "session", "rules": [{ "tool": "risky" }] } });
    fixture.ok(&fixture.approver, "POST", &format!("/api/approvals/{approval}/answer"), Some(body)).await;
    // The second call of the sub-agent is covered, the call of its parent is asked about.
    let open = eventually("the parent never asked", async || {
        let view = fixture.orchestration(&view["id"]).await;
        (view["pending"][0]["run_id"] == view["id"]).then_some(view)
    })
    .await;
    assert_eq!(open["pending"].as_array().unwrap().len(), 1, "{open}");
    assert_eq!(fixture.notes(), ["child 1", "child 2"]);
}

#[tokio::test]
async fn only_own_sub_agents_can_be_executed_and_awaited() {
    let fixture = RunsFixture::new().await;
    let other = fixture.agent("other", json!([{ "text": "Hello." }]), &[]).await;
    let foreign = fixture.execute(&other).await["id"].clone();
    let script = json!([{ "calls": [
        { "name": "execute_sub_agent", "input": { "agent_id": other, "input": "go" } },
        { "name": "get_sub_agent_result", "input": { "execution_id": foreign } },
        { "name": "execute_sub_agent", "input": { "agent_id": "x", "input": "go" } },
    ] }, { "text": "Done." }]);
    let agent = fixture.agent_with("parent", script, &[], auto()).await;
    let run = fixture.orchestrate(&agent).await;
    let results = fixture.results(run["id"].as_str().unwrap()).await;
    for ((text, is_error), expected) in
        results.iter().zip(["Unknown sub-agent", "Unknown execution", "is not an id"])
    {
        assert!(*is_error && text.contains(expected), "{text}");
    }
}

/// A sub-agent has sub-agents only if it was given the tools for them, and only as deep as the server allows.
#[tokio::test]
async fn depth_is_limited() {
    let fixture = RunsFixture::new().await;
    let tools = json!(["create_sub_agent", "execute_sub_agent", "get_sub_agent_result"]);
    // Each level makes the next one with all tools for sub-agents. The third level may not.
    fixture.agent("third", delegate(create("third", tools.clone())), &[]).await;
    fixture.agent("second", delegate(create("third", json!([]))), &[]).await;
    fixture.agent("first", delegate(create("second", tools.clone())), &[]).await;
    let agent = fixture.agent_with("top", delegate(create("first", tools.clone())), &[], auto()).await;
    let view = fixture.orchestrate(&agent).await;
    let agents: Vec<usize> = view["sub_agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["agents"].as_array().unwrap().len())
        .collect();
    let mut sorted = agents.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [2, 3, 4], "{view}");
    // One more level of tools is refused when it is made.
    let refused = fixture.agent_with("deep", delegate(create("deeper", tools.clone())), &[], auto()).await;
    fixture.agent("deeper", delegate(create("deepest", tools.clone())), &[]).await;
    fixture.agent("deepest", delegate(create("third", tools)), &[]).await;
    let view = fixture.orchestrate(&refused).await;
    let deepest = view["sub_agents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|run| run["agents"].as_array().unwrap().len() == 3);
    let results = fixture.results(deepest.unwrap()["run_id"].as_str().unwrap()).await;
    assert!(results[0].1 && results[0].0.contains("may not have sub-agents"), "{results:?}");
}

#[tokio::test]
async fn result_of_a_sub_agent_can_be_awaited_again() {
    let fixture = RunsFixture::new().await;
    fixture.agent("child", json!([{ "text": "The answer." }]), &[]).await;
    let script = json!([{ "calls": [create("child", json!([]))] }, { "calls": [start("call_1_1")] },
        { "calls": [wait("call_2_1")] }, { "calls": [wait("call_2_1")] }, { "text": "Done." }]);
    let agent = fixture.agent_with("parent", script, &[], auto()).await;
    let view = fixture.orchestrate(&agent).await;
    let results = fixture.results(view["id"].as_str().unwrap()).await;
    assert!(results[2].0.contains("The answer.") && results[2] == results[3], "{results:?}");
}
