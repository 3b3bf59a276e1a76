//! The workspace of a run.

use serde_json::json;

use super::runs_fixture::RunsFixture;

#[tokio::test]
async fn tools_that_need_a_workspace_fail_without_one() {
    let fixture = RunsFixture::new().await;
    let calls = json!([
        { "name": "read", "input": { "path": "a.txt" } },
        { "name": "file_write", "input": { "path": "doc/a.txt", "content": "x" } },
        { "name": "shell_exec", "input": { "command": "pwd" } },
        { "name": "git_ops", "input": { "action": "status" } },
        { "name": "self_eval", "input": {} },
        { "name": "note", "input": { "text": "a" } },
    ]);
    let script = json!([{ "calls": calls }, { "text": "Done." }]);
    let tools = ["read", "file_write", "shell_exec", "git_ops", "self_eval", "note"];
    let agent = fixture.agent("builder", script, &tools).await;
    let run = fixture.execute(&agent).await;
    let results = fixture.results(run["id"].as_str().unwrap()).await;
    for (tool, (text, is_error)) in tools.iter().zip(&results).take(5) {
        let expected = format!("`{tool}` works in a workspace, and this agent has none.");
        assert!(*is_error && text.starts_with(&expected), "{tool}: {text}");
    }
    assert_eq!(results[5], ("noted a".to_owned(), false));
}

#[tokio::test]
async fn tool_works_in_the_registered_workspace() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("a.txt"), "from the project\n").unwrap();
    let root = project.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let fixture = RunsFixture::with_projects(vec![root.clone()]).await;
    let script =
        json!([{ "calls": [{ "name": "read", "input": { "path": "a.txt" } }] }, { "text": "Done." }]);
    let agent = fixture.agent_with("builder", script, &["read"], json!({ "workspace": root })).await;
    let run = fixture.execute(&agent).await;
    if run["status"] == "suspended" {
        fixture.answer(run["id"].as_str().unwrap(), "approve", json!({})).await;
    }
    let results = fixture.results(run["id"].as_str().unwrap()).await;
    assert!(results[0].0.contains("from the project") && !results[0].1, "{results:?}");
}

#[tokio::test]
async fn workspace_must_be_registered() {
    let fixture = RunsFixture::new().await;
    let body = json!({ "name": "a", "provider": "scripted", "model": "a", "workspace": "/etc" });
    let error = fixture.error(&fixture.admin, "POST", "/api/agents", Some(body)).await;
    assert_eq!(error, (400, "InvalidRequest".into()));
}
