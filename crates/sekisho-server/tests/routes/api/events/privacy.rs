//! An agent sees only its own events.

use serde_json::{Value, json};

use crate::harness::event_streams::{TestServer, WebSocketClient};

fn ids(snapshot: &Value) -> Vec<&str> {
    let approvals = snapshot["approvals"].as_array().unwrap();
    approvals.iter().map(|approval| approval["id"].as_str().unwrap()).collect()
}

async fn snapshot(device: &mut WebSocketClient) -> Value {
    device.until("snapshot").await
}

#[tokio::test]
async fn agents_snapshot_has_only_its_own_approvals() {
    let server = TestServer::new().await;
    let mine = server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make 関所" })).await;
    let theirs = server
        .ask_without_waiting(&server.other_agent, "t1", json!({ "command": "curl secret.example" }))
        .await;
    let also_mine = server.ask_without_waiting(&server.agent, "t2", json!({ "command": "make all" })).await;
    let reply = snapshot(&mut server.deaf_device(&server.agent).await).await;
    assert_eq!(ids(&reply), [&mine, &also_mine]);
    assert_eq!(reply["approvals"][0]["input"]["command"], "make 関所");
    let reply = snapshot(&mut server.deaf_device(&server.other_agent).await).await;
    assert_eq!(ids(&reply), [&theirs]);
    let reply = snapshot(&mut server.deaf_device(&server.viewer).await).await;
    assert_eq!(ids(&reply), [&mine, &theirs, &also_mine]);
    let reply = server.follow(&server.agent, None).await.next().await;
    assert_eq!(reply.kind, "snapshot");
    assert_eq!(ids(&reply.data), [&mine, &also_mine]);
}

#[tokio::test]
async fn agent_gets_no_events_of_another_on_either_transport() {
    let server = TestServer::new().await;
    let mut socket = server.device(&server.agent).await;
    let mut stream = server.follow(&server.agent, None).await;
    stream.until("snapshot").await;
    let mut approver = server.device(&server.approver).await;

    // Another agent asks, is answered, runs, ends, reads without being asked, and is denied.
    let caller = server.ask(&server.other_agent, "Bash", "t1", json!({ "command": "make" }));
    let id = approver.until("tool_approval_request").await["id"].clone();
    approver.answer(json!({ "id": id, "behavior": "allow" })).await;
    let run = caller.response().await["executionId"].as_str().unwrap().to_owned();
    let path = format!("/api/executions/{run}");
    server.send(&server.other_agent, "POST", &path, Some(json!({ "isError": false }))).await;
    server
        .ask(&server.other_agent, "Glob", "t2", json!({ "pattern": "x", "path": server.root }))
        .response()
        .await;
    server.ask(&server.other_agent, "destroy", "t3", json!({})).response().await;
    approver.until("tool_execution_completed").await;
    approver.until("tool_execution_started").await;

    // Its own event comes next, though all of the above came before.
    let caller = server.ask(&server.agent, "Bash", "t1", json!({ "command": "make" }));
    let request = socket.next().await;
    assert_eq!(request["type"], "tool_approval_request", "{request}");
    let id = request["data"]["id"].clone();
    assert_eq!(stream.next().await.data["id"], id);
    approver.answer(json!({ "id": id, "behavior": "allow" })).await;
    let run = caller.response().await["executionId"].clone();
    assert_eq!(socket.next().await["data"]["id"], id);
    assert_eq!(stream.next().await.data["id"], id);
    assert_eq!(socket.next().await["data"]["executionId"], run);
    assert_eq!(stream.next().await.data["executionId"], run);
    server
        .send(
            &server.agent,
            "POST",
            &format!("/api/executions/{}", run.as_str().unwrap()),
            Some(json!({ "isError": false })),
        )
        .await;
    assert_eq!(socket.until("tool_execution_completed").await["executionId"], run);
    assert_eq!(stream.next().await.kind, "tool_execution_completed");
    socket.quiet().await;
}

#[tokio::test]
async fn token_changes_are_not_streamed() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    server.add(sekisho_gate::answer::Role::Admin, "Ada", None).await;
    server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await;
    assert_eq!(device.next().await["type"], "tool_approval_request");
}
