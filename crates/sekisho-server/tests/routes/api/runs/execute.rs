//! Starting runs: what a request may ask for, and how a run ends.

use serde_json::{Value, json};

use super::runs_fixture::{RunsFixture, call};

#[tokio::test]
async fn run_ends_with_its_output_and_usage() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "text": "I look.", "calls": [call("note", "a")], "usage": { "input": 10, "output": 2 } },
        { "text": "Ready.", "usage": { "input": 20, "output": 3 } },
    ]);
    let agent = fixture.agent("builder", script, &["note"]).await;
    let run = fixture.execute(&agent).await;
    let id = run["id"].clone();
    assert_eq!(
        run,
        json!({
            "id": id, "run_id": id, "agent_id": agent, "status": "completed", "output": "Ready.",
            "finish_reason": "stop", "pending": [], "usage": { "input_tokens": 30, "output_tokens": 5 },
        })
    );
    assert_eq!(fixture.notes(), ["a"]);
    let results = fixture.results(id.as_str().unwrap()).await;
    assert_eq!(results, [("noted a".to_owned(), false)]);
}

#[tokio::test]
async fn open_question_suspends_the_run() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "text": "Hm.", "calls": [call("risky", "a")] }, { "text": "Done." }]);
    let agent = fixture.agent("builder", script, &["risky"]).await;
    let run = fixture.execute(&agent).await;
    assert_eq!(
        (&run["status"], &run["finish_reason"], &run["output"]),
        (&json!("suspended"), &Value::Null, &json!("Hm."))
    );
    // The question is in the ordinary inbox, where the first answer wins.
    let inbox = fixture.ok(&fixture.viewer, "GET", "/api/approvals?state=pending", None).await;
    assert_eq!(inbox["approvals"].as_array().unwrap().len(), 1);
    let id = inbox["approvals"][0]["id"].as_str().unwrap();
    let pending = json!([{
        "run_id": run["run_id"], "agents": ["builder"], "approval_id": id,
        "tool_call_id": "call_1_1", "tool_name": "risky", "args": { "text": "a" },
    }]);
    assert_eq!(run["pending"], pending);
    let answer = Some(json!({ "behavior": "allow" }));
    fixture.ok(&fixture.approver, "POST", &format!("/api/approvals/{id}/answer"), answer).await;
    let ended = fixture.ended(run["id"].as_str().unwrap()).await;
    assert_eq!((&ended["status"], &ended["output"]), (&json!("completed"), &json!("Done.")));
    assert_eq!(fixture.notes(), ["a"]);
}

#[tokio::test]
async fn wait_blocks_until_somebody_has_answered() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("risky", "a")] }, { "text": "Done." }]);
    let agent = fixture.agent("builder", script, &["risky"]).await;
    let body = json!({ "agent_id": agent, "input": "go" });
    let waiting = fixture.ok(&fixture.approver, "POST", "/api/execute-with-tools?wait=true", Some(body));
    let answering = async {
        let open = fixture.server.open(1).await;
        let path = format!("/api/approvals/{}/answer", open[0].id);
        fixture.ok(&fixture.approver, "POST", &path, Some(json!({ "behavior": "allow" }))).await
    };
    let (run, _) = tokio::join!(waiting, answering);
    assert_eq!((&run["status"], &run["output"]), (&json!("completed"), &json!("Done.")));
}

/// Runs a script with one entry, and compares how the run ended.
async fn check_end(fixture: &RunsFixture, name: &str, script: Value, expected: (&str, &str, &str)) {
    let agent = fixture.agent(name, script, &["note"]).await;
    let run = fixture.execute(&agent).await;
    let text = |field: &str| run[field].as_str().unwrap_or_default().to_owned();
    let ended = (text("status"), text("finish_reason"), text("output"));
    assert_eq!((ended.0.as_str(), ended.1.as_str(), ended.2.as_str()), expected, "{name}: {run}");
}

#[tokio::test]
async fn every_stop_reason_ends_the_run_with_partial_output() {
    let fixture = RunsFixture::new().await;
    let calls = || json!([call("note", "never")]);
    let done = json!([{ "calls": [{ "name": "done", "input": { "result": "ready" } }] }]);
    for (name, script, expected) in [
        ("end", json!([{ "text": "a" }]), ("completed", "stop", "a")),
        (
            "length",
            json!([{ "text": "a", "calls": calls(), "stop": "length" }]),
            ("completed", "length", "a"),
        ),
        ("refusal", json!([{ "text": "a", "stop": "refusal" }]), ("completed", "refusal", "a")),
        ("other", json!([{ "text": "a", "stop": { "other": "x" } }]), ("completed", "other", "a")),
        (
            "unfinished",
            json!([{ "text": "a", "calls": calls(), "stop": "end_turn" }]),
            ("completed", "unfinished_calls", "a"),
        ),
        (
            "failed",
            json!([{ "error": { "code": "overloaded", "message": "too busy" } }]),
            ("failed", "error", ""),
        ),
    ] {
        check_end(&fixture, name, script, expected).await;
    }
    assert!(fixture.notes().is_empty(), "calls of a reply that did not end properly never run");
    let agent = fixture.agent("done", done, &["done"]).await;
    let run = fixture.execute(&agent).await;
    assert_eq!((&run["finish_reason"], &run["output"]), (&json!("stop"), &json!("ready")));
}

#[tokio::test]
async fn run_stops_at_its_limit_of_iterations() {
    let fixture = RunsFixture::new().await;
    let steps: Vec<Value> =
        (1..=8).map(|n| json!({ "text": format!("step {n}"), "calls": [call("note", "x")] })).collect();
    let agent = fixture.agent("usual", json!(steps), &["note"]).await;
    let run = fixture.execute(&agent).await;
    assert_eq!((&run["finish_reason"], &run["output"]), (&json!("max_iterations"), &json!("step 5")));
    let more = json!({ "maxIterations": 2 });
    let agent = fixture.agent_with("short", json!(steps), &["note"], more).await;
    let run = fixture.execute(&agent).await;
    assert_eq!((&run["finish_reason"], &run["output"]), (&json!("max_iterations"), &json!("step 2")));
}

#[tokio::test]
async fn request_may_only_narrow_what_the_agent_has() {
    let fixture = RunsFixture::new().await;
    let agent = fixture.agent("builder", json!([{ "text": "a" }]), &["note"]).await;
    let config = json!({ "agent_id": agent, "tools": [
        { "tool_name": "file_write", "is_enabled": true, "config": { "allowed_dirs": ["doc"] } },
    ] });
    fixture.ok(&fixture.admin, "POST", "/api/tools/config", Some(config)).await;
    let dirs = |dir: &str| json!({ "file_write": { "allowed_dirs": [dir] } });
    for (more, expected) in [
        (json!({ "enabled_tools": ["note"] }), Ok(())),
        (json!({ "enabled_tools": [] }), Ok(())),
        (json!({ "tool_config": dirs("doc/a") }), Ok(())),
        (json!({ "enabled_tools": ["risky"] }), Err((403, "ToolPermissionDenied"))),
        (json!({ "tool_config": { "shell_exec": {} } }), Err((403, "ToolPermissionDenied"))),
        (json!({ "tool_config": dirs("src") }), Err((403, "ToolPermissionDenied"))),
        (json!({ "enabled_tools": ["no_such"] }), Err((400, "InvalidRequest"))),
        (json!({ "tool_config": { "no_such": {} } }), Err((400, "InvalidRequest"))),
        (json!({ "tool_config": { "file_write": { "timeout": 1 } } }), Err((400, "InvalidRequest"))),
        (json!({ "tool_config": dirs("..") }), Err((400, "InvalidRequest"))),
        (json!({ "input": " " }), Err((400, "InvalidRequest"))),
        (json!({ "agent_id": "0198c0de-0000-7000-8000-000000000001" }), Err((404, "NotFound"))),
    ] {
        let mut body = json!({ "agent_id": agent, "input": "go" });
        for (field, value) in more.as_object().unwrap() {
            body[field.as_str()] = value.clone();
        }
        let response = fixture.send(&fixture.approver, "POST", "/api/execute-with-tools", Some(body)).await;
        let got = match response.status {
            200 => Ok(()),
            status => Err((status, response.code())),
        };
        assert_eq!(got, expected.map_err(|(status, code)| (status, code.to_owned())), "{more}");
    }
}

#[tokio::test]
async fn agent_without_a_usable_model_does_not_start() {
    let fixture = RunsFixture::new().await;
    for (name, provider, model) in
        [("claude", "anthropic", "claude"), ("missing", "scripted", "missing"), ("path", "scripted", "../x")]
    {
        let body = json!({ "name": name, "provider": provider, "model": model });
        let agent = fixture.ok(&fixture.admin, "POST", "/api/agents", Some(body)).await;
        let body = json!({ "agent_id": agent["id"], "input": "go" });
        let response = fixture.send(&fixture.approver, "POST", "/api/execute-with-tools", Some(body)).await;
        assert_eq!((response.status, response.code().as_str()), (500, "ToolExecutionFailed"), "{name}");
    }
    let runs = fixture.ok(&fixture.viewer, "GET", "/api/runs", None).await;
    assert_eq!(runs["runs"], json!([]));
}

#[tokio::test]
async fn user_prompt_precedes_the_input() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "text": "ok", "expect": { "contains": "Be brief.\n\ngo" } }]);
    let more = json!({ "userPrompt": "Be brief." });
    let agent = fixture.agent_with("brief", script, &[], more).await;
    assert_eq!(fixture.execute(&agent).await["status"], "completed");
}
