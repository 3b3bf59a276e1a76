//! `/api/agents` and `POST /api/tools/config`.

use serde_json::{Value, json};

use super::runs::runs_fixture::RunsFixture;

fn body(name: &str) -> Value {
    json!({ "name": name, "provider": "scripted", "model": "m" })
}

#[tokio::test]
async fn agent_is_created_changed_and_deleted() {
    let fixture = RunsFixture::new().await;
    let made = fixture.ok(&fixture.admin, "POST", "/api/agents", Some(body("reviewer"))).await;
    let settings = json!({
        "name": "reviewer", "provider": "scripted", "model": "m", "temperature": 0.7, "maxTokens": 4096,
        "contextTokens": 128000, "maxIterations": 5, "mode": "none", "requireToolApproval": false,
    });
    assert_eq!((&made["settings"], &made["tools"]), (&settings, &json!([])));
    let path = format!("/api/agents/{}", made["id"].as_str().unwrap());
    assert_eq!(fixture.ok(&fixture.viewer, "GET", &path, None).await, made);
    let mut changed = body("reviewer");
    changed["systemPrompt"] = json!("You review.");
    let changed = fixture.ok(&fixture.admin, "PUT", &path, Some(changed)).await;
    assert_eq!(changed["settings"]["systemPrompt"], "You review.");
    let list = fixture.ok(&fixture.viewer, "GET", "/api/agents", None).await;
    assert_eq!(list["agents"], json!([changed]));
    fixture.ok(&fixture.admin, "DELETE", &path, None).await;
    for (method, body) in [("GET", None), ("PUT", Some(body("reviewer"))), ("DELETE", None)] {
        assert_eq!(fixture.error(&fixture.admin, method, &path, body).await, (404, "NotFound".into()));
    }
    let log = fixture.ok(&fixture.viewer, "GET", "/api/audit?limit=20", None).await.to_string();
    for kind in ["agent.created", "agent.updated", "agent.deleted"] {
        assert!(log.contains(kind), "{kind} is not recorded");
    }
}

#[tokio::test]
async fn wrong_settings_are_named() {
    let fixture = RunsFixture::new().await;
    fixture.ok(&fixture.admin, "POST", "/api/agents", Some(body("taken"))).await;
    for (field, value, expected) in [
        ("name", json!(""), (400, "InvalidRequest")),
        ("name", json!("a\u{1b}b"), (400, "InvalidRequest")),
        ("name", json!("builder/helper"), (400, "InvalidRequest")),
        ("name", json!("bui\u{200b}lder"), (400, "InvalidRequest")),
        ("name", json!("\u{202e}builder"), (400, "InvalidRequest")),
        ("name", json!("taken"), (409, "NameTaken")),
        ("model", json!(" "), (400, "InvalidRequest")),
        ("provider", json!("other"), (400, "InvalidRequest")),
        ("temperature", json!(2.5), (400, "InvalidRequest")),
        ("maxTokens", json!(0), (400, "InvalidRequest")),
        ("maxIterations", json!(0), (400, "InvalidRequest")),
        ("tokenBudget", json!(0), (400, "InvalidRequest")),
        ("mode", json!("always"), (400, "InvalidRequest")),
        ("apiKey", json!("sk-1"), (400, "InvalidRequest")),
    ] {
        let mut body = body("other");
        body[field] = value;
        let response = fixture.send(&fixture.admin, "POST", "/api/agents", Some(body)).await;
        assert_eq!((response.status, response.code().as_str()), expected, "{field}");
        assert!(
            response.json()["error"]["message"].as_str().unwrap().contains(field) || expected.0 == 409,
            "{field}"
        );
    }
}

#[tokio::test]
async fn tools_are_configured_all_or_none() {
    let fixture = RunsFixture::new().await;
    let agent = fixture.ok(&fixture.admin, "POST", "/api/agents", Some(body("a"))).await["id"].clone();
    let path = format!("/api/agents/{}", agent.as_str().unwrap());
    let entry = |tool: &str| json!({ "tool_name": tool, "is_enabled": true });
    for (tools, expected) in [
        (json!([entry("note"), entry("no_such")]), 400),
        (json!([entry("note"), entry("note")]), 400),
        (
            json!([entry("note"), { "tool_name": "file_write", "is_enabled": true, "config": { "x": 1 } }]),
            400,
        ),
        (
            json!([{ "tool_name": "file_write", "is_enabled": true, "config": { "allowed_dirs": ["/etc"] } }]),
            400,
        ),
        (json!([{ "tool_name": "note" }]), 400),
    ] {
        let body = json!({ "agent_id": agent, "tools": tools });
        let response = fixture.send(&fixture.admin, "POST", "/api/tools/config", Some(body.clone())).await;
        assert_eq!(response.status, expected, "{body}");
    }
    assert_eq!(fixture.ok(&fixture.viewer, "GET", &path, None).await["tools"], json!([]));
    let write =
        json!({ "tool_name": "file_write", "is_enabled": true, "config": { "allowed_dirs": ["doc"] } });
    let body = json!({ "agent_id": agent, "tools": [write, { "tool_name": "note", "is_enabled": false }] });
    fixture.ok(&fixture.admin, "POST", "/api/tools/config", Some(body)).await;
    let tools = fixture.ok(&fixture.viewer, "GET", &path, None).await["tools"].clone();
    let expected = json!([
        { "toolName": "file_write", "isEnabled": true, "config": { "allowed_dirs": ["doc"] }, "requireApproval": false },
        { "toolName": "note", "isEnabled": false, "requireApproval": false },
    ]);
    assert_eq!(tools, expected);
    let nobody = json!({ "agent_id": "0198c0de-0000-7000-8000-000000000001", "tools": [] });
    let error = fixture.error(&fixture.admin, "POST", "/api/tools/config", Some(nobody)).await;
    assert_eq!(error, (404, "NotFound".into()));
}
