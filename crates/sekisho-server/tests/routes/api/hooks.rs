//! Hooks that use HTTP.

use serde_json::{Value, json};

use crate::harness::event_streams::{TestServer, TestServerOptions};

fn before(house: &TestServer, tool: &str, input: Value) -> Value {
    json!({
        "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": house.root, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
    })
}

fn decision(body: &Value) -> (&str, &str) {
    let said = &body["hookSpecificOutput"];
    let text = |field: &str| said[field].as_str().unwrap_or_default();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

#[tokio::test]
async fn rule_decision_uses_the_agents_format() {
    let house = TestServer::new().await;
    let asked = before(&house, "destroy", json!({}));
    let given = house.send(&house.agent, "POST", "/api/hooks/claude-code", Some(asked)).await;
    assert_eq!(given.status, 200);
    assert_eq!(decision(&given.body), ("deny", "nothing is destroyed here"), "{given:?}");
}

#[tokio::test]
async fn hook_waits_for_a_human_and_gets_the_edited_input() {
    // Questions are switched off, and a hook asks anyway.
    let gate = sekisho_gate::Settings { confirmations: false, ..sekisho_gate::Settings::default() };
    let house = TestServer::of(TestServerOptions { gate, ..TestServerOptions::default() }).await;
    let asked = before(&house, "deploy", json!({ "to": "production" }));
    let waiting = house.send(&house.agent, "POST", "/api/hooks/claude-code", Some(asked));
    let answering = async {
        let id = loop {
            let open = house.send(&house.approver, "GET", "/api/approvals?state=pending", None).await;
            if let Some(id) = open.body["approvals"][0]["id"].as_str() {
                break id.to_owned();
            }
            tokio::task::yield_now().await;
        };
        let answer = json!({ "behavior": "allow", "updatedInput": { "to": "staging" } });
        let path = format!("/api/approvals/{id}/answer");
        let given = house.send(&house.approver, "POST", &path, Some(answer)).await;
        assert_eq!(given.status, 200, "{given:?}");
    };
    let (given, ()) = tokio::join!(waiting, answering);
    assert_eq!(decision(&given.body).0, "allow", "{given:?}");
    assert_eq!(given.body["hookSpecificOutput"]["updatedInput"], json!({ "to": "staging" }));

    let mut after = before(&house, "deploy", json!({ "to": "staging" }));
    after["hook_event_name"] = json!("PostToolUse");
    after["tool_response"] = json!("ok");
    let noted = house.send(&house.agent, "POST", "/api/hooks/claude-code", Some(after)).await;
    assert_eq!(noted.status, 200, "{noted:?}");
    let rows = house.send(&house.viewer, "GET", "/api/audit?kind=execution", None).await;
    assert_eq!(rows.body["rows"].as_array().map(Vec::len), Some(1), "{rows:?}");
}

#[tokio::test]
async fn every_failure_is_a_block_in_a_200() {
    let house = TestServer::new().await;
    let mut unknown = before(&house, "deploy", json!({}));
    unknown["hook_event_name"] = json!("BeforeLunch");
    let mut nowhere = before(&house, "deploy", json!({}));
    nowhere["cwd"] = json!("relative");
    for wrong in [json!([]), json!({}), json!("x"), unknown, nowhere, before(&house, "", json!({}))] {
        let given = house.send(&house.agent, "POST", "/api/hooks/claude-code", Some(wrong.clone())).await;
        assert_eq!((given.status, &given.body["decision"]), (200, &json!("block")), "{wrong}: {given:?}");
    }
    let given = house.send(&house.agent, "POST", "/api/hooks/nobody", Some(json!({}))).await;
    assert_eq!(given.status, 404);
}

#[tokio::test]
async fn session_keeps_the_rules_of_the_project_it_began_in() {
    let house = TestServer::new().await;
    let ask = |run: &str, root: Option<&str>| {
        let mut body = json!({
            "toolName": "Read", "input": { "file_path": format!("{}/notes.txt", house.root) }, "toolUseId": "t1",
            "runId": run, "cwd": house.root,
        });
        if let Some(root) = root {
            body["projectRoot"] = json!(root);
        }
        body
    };
    // Reading inside the workspace is allowed anyway; the test is about whose workspace it is.
    for (run, root, status) in
        [("a", None, 200), ("b", Some(house.root.as_str()), 200), ("c", Some("/elsewhere"), 202)]
    {
        let body = Some(ask(run, root));
        let given = house.send(&house.agent, "POST", "/api/can-use-tool?wait=false", body).await;
        assert_eq!(given.status, status, "{run}: {given:?}");
    }
}

#[tokio::test]
async fn no_rule_may_allow_leaving_the_codex_sandbox() {
    let rules = json!({ "allow": [{ "tool": "edit" }, { "tool": "bash", "command": "make" }] });
    let house = TestServer::of(TestServerOptions { rules, ..TestServerOptions::default() }).await;
    let patch = format!("*** Begin Patch\n*** Update File: {}/notes.txt\n*** End Patch", house.root);
    let asked = json!({
        "session_id": "s1", "turn_id": "t", "transcript_path": null, "cwd": house.root, "hook_event_name": "PermissionRequest",
        "model": "m", "permission_mode": "default", "tool_name": "apply_patch", "tool_input": { "command": patch },
    });
    let given = house.send(&house.agent, "POST", "/api/hooks/codex", Some(asked)).await;
    assert_eq!((given.status, &given.body), (200, &json!({})), "its own prompt decides: {given:?}");
}
