//! Record kinds of other components are listed, found and streamed like all others.

use sekisho_gate::registered_records::{Component, ComponentRecord};
use serde_json::{Value, json};

use crate::harness::event_streams::TestServer;

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

fn line(server: &TestServer, run: u64) -> ComponentRecord {
    ComponentRecord {
        text: format!("run {run} started with {SECRET}"),
        body: json!({ "run": run, "prompt": format!("use {SECRET}") }),
        agent: Some("a1".into()),
        credential: Some(server.agent.token.credential()),
        ..ComponentRecord::default()
    }
}

#[tokio::test]
async fn components_record_is_streamed_on_both_transports_to_its_readers() {
    let server = TestServer::new().await;
    let part = Component::new("gateway").event("run_started", json!({ "type": "object" }));
    let recorder = server.gate.register(part).unwrap();
    let mut socket = server.device(&server.viewer).await;
    let mut stream = server.follow(&server.viewer, None).await;
    let mut own = server.follow(&server.agent, None).await;
    let mut other = server.follow(&server.other_agent, None).await;
    for one in [&mut stream, &mut own, &mut other] {
        one.until("snapshot").await;
    }
    recorder.record("run_started", line(&server, 7)).await.unwrap();
    let response = socket.next().await;
    assert_eq!((&response["type"], &response["data"]["run"]), (&json!("gateway.run_started"), &json!(7)));
    assert!(response["seq"].is_u64(), "{response}");
    for one in [&mut stream, &mut own] {
        let response = one.next().await;
        assert_eq!((response.kind.as_str(), &response.data["run"]), ("gateway.run_started", &json!(7)));
        assert!(!response.data.to_string().contains(SECRET), "{}", response.data);
    }
    // The next event of another agent is its own question.
    server.ask_without_waiting(&server.other_agent, "t1", json!({ "command": "make" })).await;
    assert_eq!(other.next().await.kind, "tool_approval_request");
}

#[tokio::test]
async fn components_record_is_listed_found_and_exported() {
    let server = TestServer::new().await;
    let part =
        Component::new("gateway").kind("run_started", json!({ "type": "object", "required": ["run"] }));
    let recorder = server.gate.register(part).unwrap();
    recorder.record("run_started", line(&server, 7)).await.unwrap();
    let get = async |path: &str| server.send(&server.viewer, "GET", path, None).await.body;
    let kinds = get("/api/audit/kinds").await;
    let kinds = kinds["kinds"].as_array().unwrap();
    let known = |name: &str| kinds.iter().find(|kind| kind["name"] == name).cloned();
    assert_eq!(known("verdict"), Some(json!({ "name": "verdict" })));
    assert_eq!(known("gateway.run_started").unwrap()["schema"]["required"], json!(["run"]));
    let found = get("/api/audit?kind=gateway.run_started").await;
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((&rows[0]["kind"], &rows[0]["body"]["run"]), (&json!("gateway.run_started"), &json!(7)));
    assert!(!found.to_string().contains(SECRET));
    assert_eq!(get("/api/audit?kind=agent.run_ended").await["rows"], json!([]));
    let wrong: Value = get("/api/audit?kind=Agent%20Run").await;
    assert_eq!(wrong["error"]["code"], "InvalidRequest", "{wrong}");
}
