//! Tools that are not enabled, unknown, or disabled while a run goes on.

use serde_json::json;

use super::runs_fixture::{RunsFixture, call};
use crate::harness::socket_server::eventually;

#[tokio::test]
async fn tool_that_is_not_enabled_is_an_error_before_anyone_is_asked() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "calls": [call("risky", "a"), call("no_such", "b"), call("forbidden", "c"), call("note", "d")] },
        { "text": "Done." },
    ]);
    let agent = fixture.agent("builder", script, &["note", "forbidden"]).await;
    let run = fixture.execute(&agent).await;
    assert_eq!((&run["status"], &run["pending"]), (&json!("completed"), &json!([])));
    let results = fixture.results(run["id"].as_str().unwrap()).await;
    assert_eq!(results[0], ("Tool not enabled: risky".to_owned(), true));
    assert_eq!(results[1], ("Unknown tool: no_such".to_owned(), true));
    assert!(results[2].0.starts_with("Permission denied: ") && results[2].1, "{results:?}");
    assert_eq!(results[3], ("noted d".to_owned(), false));
    fixture.server.open(0).await;
}

#[tokio::test]
async fn request_leaves_tools_out() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("note", "a"), call("slow", "b")] }, { "text": "Done." }]);
    let agent = fixture.agent("builder", script, &["note", "slow"]).await;
    for (enabled, expected) in [
        (json!(["note"]), [("noted a", false), ("Tool not enabled: slow", true)]),
        (json!([]), [("Tool not enabled: note", true), ("Tool not enabled: slow", true)]),
    ] {
        let body = json!({ "agent_id": agent, "input": "go", "enabled_tools": enabled });
        let run = fixture.ok(&fixture.approver, "POST", "/api/execute-with-tools", Some(body)).await;
        let results = fixture.results(run["id"].as_str().unwrap()).await;
        assert_eq!(results, expected.map(|(text, is_error)| (text.to_owned(), is_error)));
    }
}

#[tokio::test]
async fn disabling_a_tool_counts_at_the_next_call_and_denies_open_questions() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "calls": [call("risky", "a")] },
        { "calls": [call("risky", "b"), call("note", "c")] },
        { "text": "Done." },
    ]);
    let agent = fixture.agent("builder", script.clone(), &["risky", "note"]).await;
    let other = fixture.agent("other", script, &["risky", "note"]).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let waiting = fixture.execute(&other).await["id"].as_str().unwrap().to_owned();
    fixture.enable(&agent, &["risky"], false).await;
    let ended = fixture.ended(&run).await;
    assert_eq!(ended["output"], "Done.");
    let results = fixture.results(&run).await;
    assert!(results[0].1 && results[0].0.ends_with("Tool not enabled: risky"), "{results:?}");
    assert_eq!(results[1], ("Tool not enabled: risky".to_owned(), true));
    assert_eq!(results[2], ("noted c".to_owned(), false));
    // Questions of other agents stay open.
    assert_eq!(fixture.run(&waiting).await["status"], "suspended");
    assert_eq!(fixture.notes(), ["c"]);
}

#[tokio::test]
async fn deleted_agent_has_no_tools() {
    let fixture = RunsFixture::new().await;
    let script =
        json!([{ "calls": [call("risky", "a")] }, { "calls": [call("note", "b")] }, { "text": "Done." }]);
    let agent = fixture.agent("builder", script, &["risky", "note"]).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    fixture.ok(&fixture.admin, "DELETE", &format!("/api/agents/{agent}"), None).await;
    fixture.ended(&run).await;
    assert!(fixture.results(&run).await.iter().all(|(_, is_error)| *is_error));
    assert!(fixture.notes().is_empty());
}

#[tokio::test]
async fn run_of_a_revoked_token_asks_its_model_no_more() {
    let fixture = RunsFixture::new().await;
    let script =
        json!([{ "calls": [call("risky", "a")] }, { "calls": [call("note", "b")] }, { "text": "Done." }]);
    let agent = fixture.agent("builder", script, &["risky", "note"]).await;
    let body = json!({ "agent_id": agent, "input": "go" });
    let run = fixture.ok(&fixture.agent, "POST", "/api/execute-with-tools", Some(body)).await;
    let run = run["id"].as_str().unwrap().to_owned();
    let tokens = fixture.ok(&fixture.admin, "GET", "/api/tokens", None).await;
    let token = tokens["tokens"].as_array().unwrap().iter().find(|token| token["role"] == "agent").unwrap();
    let path = format!("/api/tokens/{}", token["id"].as_str().unwrap());
    fixture.ok(&fixture.admin, "DELETE", &path, None).await;
    // Its open question is withdrawn, and nothing more happens.
    let ended = fixture.ended(&run).await;
    let gone = "the credential that started this run is no longer valid";
    assert_eq!((&ended["status"], &ended["error"]), (&json!("failed"), &json!(gone)), "{ended}");
    assert_eq!(ended["replies"], 1);
    let results = fixture.results(&run).await;
    assert!(results.len() == 1 && results[0].1, "{results:?}");
    assert!(fixture.notes().is_empty());
}

#[tokio::test]
async fn running_tool_outlives_the_connection_that_started_it() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("slow", "a")] }, { "text": "Done." }]);
    let agent = fixture.agent("builder", script, &["slow"]).await;
    let run = fixture.start(&agent).await;
    eventually("the tool never ran", async || (fixture.notes() == ["a"]).then_some(())).await;
    assert_eq!(fixture.run(&run).await["status"], "running");
    fixture.go();
    assert_eq!(fixture.ended(&run).await["output"], "Done.");
}

#[tokio::test]
async fn settings_require_an_approval_where_a_rule_allows() {
    let fixture = RunsFixture::new().await;
    let script = || json!([{ "calls": [call("note", "a"), call("forbidden", "b")] }, { "text": "Done." }]);
    let strict = json!({ "requireToolApproval": true });
    let by_agent = fixture.agent_with("by-agent", script(), &["note", "forbidden"], strict).await;
    let by_tool = fixture.agent("by-tool", script(), &["note", "forbidden"]).await;
    let tools = json!([{ "tool_name": "note", "is_enabled": true, "require_approval": true }]);
    let body = json!({ "agent_id": by_tool, "tools": tools });
    fixture.ok(&fixture.admin, "POST", "/api/tools/config", Some(body)).await;
    for agent in [by_agent, by_tool] {
        let run = fixture.execute(&agent).await;
        assert_eq!(run["status"], "suspended", "{run}");
        assert_eq!(run["pending"].as_array().unwrap().len(), 1, "a deny stays a deny: {run}");
        assert_eq!(run["pending"][0]["tool_name"], "note");
    }
    assert!(fixture.notes().is_empty());
}
