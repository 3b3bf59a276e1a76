//! `/api/can_use_tool`: who is asked, who may answer, expiry, and callers that go away.

use sekisho_gate::Settings;
use serde_json::json;

use crate::harness::event_streams::{TestServer, TestServerOptions};

#[tokio::test]
async fn read_only_tools_run_without_a_question() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    let inputs = [
        ("Read", json!({ "file_path": format!("{}/notes.txt", server.root) })),
        ("Glob", json!({ "pattern": "*.txt", "path": server.root })),
        ("Grep", json!({ "pattern": "x", "path": server.root })),
    ];
    for (tool, input) in inputs {
        let reply = server.ask(&server.agent, tool, tool, input).response().await;
        assert_eq!(reply["behavior"], "allow", "{tool}: {reply}");
        let started = device.next().await;
        assert_eq!(started["type"], "tool_execution_started", "{tool} was asked about: {started}");
        assert_eq!(started["data"]["toolName"], tool);
        assert_eq!(started["data"]["executionId"], reply["executionId"]);
    }
    device.quiet().await;
}

#[tokio::test]
async fn write_and_bash_are_asked_about_in_the_seeds_form() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    let inputs = [
        ("Write", json!({ "file_path": "/srv/notes.txt", "content": "x" })),
        ("Bash", json!({ "command": "rm -rf /srv/test" })),
    ];
    for (tool, input) in inputs {
        let caller = server.ask(&server.agent, tool, tool, input.clone());
        let request = device.next().await;
        assert_eq!(request["type"], "tool_approval_request");
        assert!(request["seq"].is_u64());
        let data = &request["data"];
        assert!(data["id"].is_string());
        assert_eq!(data["toolName"], tool);
        assert_eq!(data["input"], input);
        assert_eq!(data["workspaceId"], "ws-1");
        assert_eq!(data["conversationId"], "conv-1");
        assert!(caller.waits());
        let denied = json!({ "id": data["id"], "behavior": "deny" });
        assert_eq!(device.answer(denied).await["type"], "tool_approval_accepted");
        let reply = caller.response().await;
        assert_eq!(
            reply,
            json!({ "behavior": "deny", "message": "User denied tool execution", "code": "denied" })
        );
        device.until("tool_approval_resolved").await;
    }
}

#[tokio::test]
async fn seed_keys_are_present_without_a_workspace() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await;
    let request = device.until("tool_approval_request").await;
    let keys = request.as_object().unwrap();
    for key in ["workspaceId", "conversationId"] {
        assert_eq!(keys.get(key), Some(&json!(null)), "{key}");
    }
}

#[tokio::test]
async fn any_device_can_answer_and_others_see_it_resolved() {
    let server = TestServer::new().await;
    let (mut first, mut second) =
        (server.device(&server.approver).await, server.device(&server.approver).await);
    let mut third = server.follow(&server.viewer, None).await;
    let caller = server.ask(&server.agent, "Bash", "t1", json!({ "command": "make" }));
    let id = first.until("tool_approval_request").await["id"].clone();
    assert_eq!(second.until("tool_approval_request").await["id"], id);
    let accepted = second.answer(json!({ "id": id, "behavior": "allow", "message": "go on" })).await;
    assert_eq!(accepted["data"], json!({ "id": id, "again": false }));
    let reply = caller.response().await;
    assert_eq!(reply["behavior"], "allow");
    let resolved = first.until("tool_approval_resolved").await;
    assert_eq!((&resolved["id"], &resolved["state"]), (&id, &json!("approved")));
    assert_eq!(resolved["toolName"], "Bash");
    assert_eq!(resolved["outcome"]["message"], "go on");
    assert!(resolved["outcome"]["by"].as_str().unwrap().contains("Ann"), "{resolved}");
    let started = first.until("tool_execution_started").await;
    assert_eq!((&started["executionId"], &started["approvalId"]), (&reply["executionId"], &id));
    assert_eq!(third.until("tool_approval_resolved").await.data["id"], id);

    let path = format!("/api/executions/{}", reply["executionId"].as_str().unwrap());
    let result = server.send(&server.agent, "POST", &path, Some(json!({ "isError": true }))).await;
    assert_eq!(result.status, 204);
    let completed = first.until("tool_execution_completed").await;
    let expected = json!({
        "executionId": reply["executionId"], "toolName": "Bash", "approvalId": id, "isError": true,
    });
    assert_eq!(completed, expected);
}

#[tokio::test]
async fn question_expires_after_two_minutes_with_its_own_message() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    let caller = server.ask(&server.agent, "Bash", "t1", json!({ "command": "make" }));
    let id = device.until("tool_approval_request").await["id"].clone();
    server.advance(119);
    device.quiet().await;
    assert!(caller.waits());
    server.advance(1);
    let reply = caller.response().await;
    assert_eq!(reply["behavior"], "deny");
    assert!(reply["message"].as_str().unwrap().starts_with("nobody answered in time"), "{reply}");
    let resolved = device.until("tool_approval_resolved").await;
    assert_eq!((&resolved["id"], &resolved["state"]), (&id, &json!("expired")));
    let late = device.answer(json!({ "id": id, "behavior": "allow" })).await;
    assert_eq!((&late["type"], &late["data"]["status"]), (&json!("error"), &json!(410)), "{late}");
    assert_eq!(late["data"]["id"], id);
}

#[tokio::test]
async fn question_of_a_departed_caller_disappears_from_every_device() {
    let server = TestServer::new().await;
    let (mut first, mut second) =
        (server.device(&server.approver).await, server.device(&server.viewer).await);
    let caller = server.ask(&server.agent, "Bash", "t1", json!({ "command": "make" }));
    let id = first.until("tool_approval_request").await["id"].clone();
    second.until("tool_approval_request").await;
    drop(caller);
    for device in [&mut first, &mut second] {
        let resolved = device.until("tool_approval_resolved").await;
        assert_eq!((&resolved["id"], &resolved["state"]), (&id, &json!("aborted")));
    }
    let late = first.answer(json!({ "id": id, "behavior": "allow" })).await;
    assert_eq!(late["data"]["code"], "Gone", "{late}");
}

#[tokio::test]
async fn calls_run_when_questions_are_off_but_denies_stay() {
    let plan = TestServerOptions {
        gate: Settings { confirmations: false, ..Settings::default() },
        ..TestServerOptions::default()
    };
    let server = TestServer::of(plan).await;
    let mut device = server.device(&server.approver).await;
    let reply = server.ask(&server.agent, "Bash", "t1", json!({ "command": "make" })).response().await;
    assert_eq!(reply["behavior"], "allow");
    assert_eq!(device.next().await["type"], "tool_execution_started");
    let reply = server.ask(&server.agent, "destroy", "t2", json!({})).response().await;
    assert_eq!(
        reply,
        json!({ "behavior": "deny", "message": "nothing is destroyed here", "code": "denied_by_rule" })
    );
    device.quiet().await;
}
