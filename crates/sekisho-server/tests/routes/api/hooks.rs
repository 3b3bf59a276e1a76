//! Hooks that use HTTP.

use sekisho_policy::Reads;
use serde_json::{Value, json};

use crate::harness::event_streams::{TestServer, TestServerOptions};

fn before(server: &TestServer, tool: &str, input: Value) -> Value {
    json!({
        "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": server.root, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
    })
}

fn decision(body: &Value) -> (&str, &str) {
    let output = &body["hookSpecificOutput"];
    let text = |field: &str| output[field].as_str().unwrap_or_default();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

#[tokio::test]
async fn rule_decision_uses_the_agents_format() {
    let server = TestServer::new().await;
    let asked = before(&server, "destroy", json!({}));
    let reply = server.send(&server.agent, "POST", "/api/hooks/claude-code", Some(asked)).await;
    assert_eq!(reply.status, 200);
    assert_eq!(decision(&reply.body), ("deny", "nothing is destroyed here"), "{reply:?}");
}

#[tokio::test]
async fn hook_waits_for_a_human_and_gets_the_edited_input() {
    // Questions are switched off, and a hook asks anyway.
    let gate = sekisho_gate::Settings { confirmations: false, ..sekisho_gate::Settings::default() };
    let server = TestServer::of(TestServerOptions { gate, ..TestServerOptions::default() }).await;
    let asked = before(&server, "deploy", json!({ "to": "production" }));
    let waiting = server.send(&server.agent, "POST", "/api/hooks/claude-code", Some(asked));
    let answering = async {
        let id = loop {
            let open = server.send(&server.approver, "GET", "/api/approvals?state=pending", None).await;
            if let Some(id) = open.body["approvals"][0]["id"].as_str() {
                break id.to_owned();
            }
            tokio::task::yield_now().await;
        };
        let answer = json!({ "behavior": "allow", "updatedInput": { "to": "staging" } });
        let path = format!("/api/approvals/{id}/answer");
        let reply = server.send(&server.approver, "POST", &path, Some(answer)).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    };
    let (reply, ()) = tokio::join!(waiting, answering);
    assert_eq!(decision(&reply.body).0, "allow", "{reply:?}");
    assert_eq!(reply.body["hookSpecificOutput"]["updatedInput"], json!({ "to": "staging" }));

    let mut after = before(&server, "deploy", json!({ "to": "staging" }));
    after["hook_event_name"] = json!("PostToolUse");
    after["tool_response"] = json!("ok");
    let noted = server.send(&server.agent, "POST", "/api/hooks/claude-code", Some(after)).await;
    assert_eq!(noted.status, 200, "{noted:?}");
    let rows = server.send(&server.viewer, "GET", "/api/audit?kind=execution", None).await;
    assert_eq!(rows.body["rows"].as_array().map(Vec::len), Some(1), "{rows:?}");
}

#[tokio::test]
async fn every_failure_is_a_block_in_a_200() {
    let server = TestServer::new().await;
    let mut unknown = before(&server, "deploy", json!({}));
    unknown["hook_event_name"] = json!("BeforeLunch");
    let mut nowhere = before(&server, "deploy", json!({}));
    nowhere["cwd"] = json!("relative");
    for wrong in [json!([]), json!({}), json!("x"), unknown, nowhere, before(&server, "", json!({}))] {
        let reply = server.send(&server.agent, "POST", "/api/hooks/claude-code", Some(wrong.clone())).await;
        assert_eq!((reply.status, &reply.body["decision"]), (200, &json!("block")), "{wrong}: {reply:?}");
    }
    let reply = server.send(&server.agent, "POST", "/api/hooks/nobody", Some(json!({}))).await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn session_keeps_the_rules_of_the_project_it_began_in() {
    let server =
        TestServer::of(TestServerOptions { reads: Reads::Workspace, ..TestServerOptions::default() }).await;
    let ask = |run: &str, root: Option<&str>| {
        let mut body = json!({
            "toolName": "Read", "input": { "file_path": format!("{}/notes.txt", server.root) }, "toolUseId": "t1",
            "runId": run, "cwd": server.root,
        });
        if let Some(root) = root {
            body["projectRoot"] = json!(root);
        }
        body
    };
    // Only reads inside the workspace are allowed; `projectRoot` says which workspace it is.
    for (run, root, status) in
        [("a", None, 200), ("b", Some(server.root.as_str()), 200), ("c", Some("/elsewhere"), 202)]
    {
        let body = Some(ask(run, root));
        let reply = server.send(&server.agent, "POST", "/api/can-use-tool?wait=false", body).await;
        assert_eq!(reply.status, status, "{run}: {reply:?}");
    }
}

#[tokio::test]
async fn no_rule_may_allow_leaving_the_codex_sandbox() {
    let rules = json!({ "allow": [{ "tool": "edit" }, { "tool": "bash", "command": "make" }] });
    let server = TestServer::of(TestServerOptions { rules, ..TestServerOptions::default() }).await;
    let patch = format!("*** Begin Patch\n*** Update File: {}/notes.txt\n*** End Patch", server.root);
    let asked = json!({
        "session_id": "s1", "turn_id": "t", "transcript_path": null, "cwd": server.root, "hook_event_name": "PermissionRequest",
        "model": "m", "permission_mode": "default", "tool_name": "apply_patch", "tool_input": { "command": patch },
    });
    let reply = server.send(&server.agent, "POST", "/api/hooks/codex", Some(asked)).await;
    assert_eq!((reply.status, &reply.body), (200, &json!({})), "its own prompt decides: {reply:?}");
}
