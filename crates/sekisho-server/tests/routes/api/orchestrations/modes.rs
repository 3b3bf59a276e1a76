//! The three modes over the same script: each tool category, and exactly the questions that the mode asks.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::runs::runs_fixture::{RunsFixture, call};
use super::{create, delegate};

const TOOLS: [&str; 6] = ["note", "read", "file_write", "shell_exec", "git_ops", "self_eval"];

/// A call of each category, every one allowed by a rule.
fn script() -> Value {
    json!([{ "calls": [
        call("note", "a"),
        { "name": "read", "input": { "path": "a.txt" } },
        { "name": "git_ops", "input": { "action": "status" } },
        { "name": "git_ops", "input": { "action": "branch_create", "args": { "branch_name": "x" } } },
        { "name": "file_write", "input": { "path": "doc/a.txt", "content": "x" } },
        { "name": "shell_exec", "input": { "command": "pwd" } },
        { "name": "self_eval", "input": { "checks": ["build"] } },
        create("builder", json!(["note"])),
    ] }, { "text": "Done." }])
}

/// The calls that a run in this mode asks about, and the results it has in the end.
async fn questions(mode: &str) -> (BTreeSet<String>, Vec<(String, bool)>) {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("a.txt"), "text\n").unwrap();
    let root = project.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let fixture = RunsFixture::with_projects(vec![root.clone()]).await;
    for tool in ["read", "file_write", "git_ops", "bash"] {
        fixture.allow(json!({ "effect": "allow", "tool": tool })).await;
    }
    let more = json!({ "mode": mode, "workspace": root });
    let agent = fixture.agent_with("builder", script(), &TOOLS, more).await;
    let tools = json!([
        { "tool_name": "git_ops", "is_enabled": true, "config": { "git_permission": "ReadWrite" } },
        { "tool_name": "self_eval", "is_enabled": true, "config": { "checks": { "build": "pwd" } } },
    ]);
    let body = json!({ "agent_id": agent, "tools": tools });
    fixture.ok(&fixture.admin, "POST", "/api/tools/config", Some(body)).await;
    let view = fixture.orchestrate(&agent).await;
    let pending = view["pending"].as_array().unwrap().clone();
    let asked = pending.iter().map(|call| call["tool_call_id"].as_str().unwrap().to_owned()).collect();
    for call in pending {
        let body = json!({ "toolCallId": call["tool_call_id"] });
        let path = format!("/api/runs/{}/approve-tool-call?wait=false", view["id"].as_str().unwrap());
        fixture.ok(&fixture.approver, "POST", &path, Some(body)).await;
    }
    let ended = fixture.ended(view["id"].as_str().unwrap()).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    (asked, fixture.results(view["id"].as_str().unwrap()).await)
}

#[tokio::test]
async fn each_mode_asks_exactly_what_it_says() {
    let calls = |numbers: &[usize]| -> BTreeSet<String> {
        numbers.iter().map(|number| format!("call_1_{number}")).collect()
    };
    let (policy, results) = questions("none").await;
    assert_eq!(results[7], ("Tool not enabled: create_sub_agent".to_owned(), true));
    // Nothing is known about files here, so the policy itself asks about some of them, whatever a rule allows.
    assert!(policy.is_subset(&calls(&[2, 3, 5])), "{policy:?}");

    let (asked, results) = questions("auto").await;
    assert_eq!(asked, policy);
    assert!(results[7].0.contains("agent_id") && !results[7].1, "{results:?}");
    assert_eq!(results[0].0, "noted a");

    // Besides: git writes, FileSystem, Execution and Composite.
    let (asked, results) = questions("approval").await;
    assert_eq!(asked, &policy | &calls(&[4, 5, 6, 7, 8]));
    assert!(results[7].0.contains("agent_id") && !results[7].1, "{results:?}");
}

#[tokio::test]
async fn request_only_narrows_the_mode() {
    let fixture = RunsFixture::new().await;
    for (own, wanted, status) in [
        ("none", "none", 200),
        ("none", "auto", 403),
        ("none", "approval", 403),
        ("auto", "none", 200),
        ("auto", "auto", 200),
        ("auto", "approval", 200),
        ("approval", "none", 200),
        ("approval", "auto", 403),
        ("approval", "approval", 200),
    ] {
        let name = format!("{own}-{wanted}");
        let script = json!([{ "calls": [create(&name, json!([]))] }, { "text": "Done." }]);
        let agent = fixture.agent_with(&name, script, &[], json!({ "mode": own })).await;
        let body = json!({ "agent_id": agent, "input": "go", "mode": wanted });
        let response = fixture.send(&fixture.approver, "POST", "/api/orchestrate", Some(body)).await;
        assert_eq!(response.status, status, "{name}");
        if status == 403 {
            assert_eq!(response.code(), "ToolPermissionDenied");
            continue;
        }
        // With `none` there is no such tool; otherwise the stricter of both modes asks or not.
        let view = response.json();
        let is_asked = wanted == "approval";
        assert_eq!(view["pending"].as_array().unwrap().len(), usize::from(is_asked), "{name}: {view}");
    }
}

/// `TOOL_APPROVAL_ENABLED=false` silences the mode `approval` too. What is denied stays denied.
#[tokio::test]
async fn mode_asks_nothing_where_questions_are_switched_off() {
    let fixture = RunsFixture::without_questions().await;
    fixture
        .agent(
            "child",
            json!([{ "calls": [call("risky", "x"), call("forbidden", "y")] }, { "text": "End." }]),
            &[],
        )
        .await;
    let tools = ["risky", "forbidden"];
    let script = delegate(create("child", json!(tools)));
    let more = json!({ "mode": "approval", "maxIterations": 20 });
    let agent = fixture.agent_with("parent", script, &tools, more).await;
    let view = fixture.orchestrate(&agent).await;
    assert_eq!((&view["status"], &view["output"]), (&json!("completed"), &json!("Done.")), "{view}");
    assert_eq!(fixture.notes(), ["x"]);
}
