//! Bad requests: a clear error, and nothing happens.

use serde_json::{Value, json};

use super::{error, stream};
use crate::routes::api::runs::runs_fixture::RunsFixture;

#[tokio::test]
async fn unsupported_options_and_messages_are_refused_with_their_fields() {
    let fixture = RunsFixture::new().await;
    let agent = fixture.agent("plain", json!([{ "text": "Hello." }]), &[]).await;
    let check = async |body: Value, fields: &[&str]| {
        let (status, error) = error(&fixture, "plain", "stream", body.clone()).await;
        let found: Vec<&str> = error["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| issue["field"].as_str().unwrap())
            .collect();
        assert_eq!((status, found.as_slice()), (400, fields), "{body}: {error}");
    };
    check(json!({}), &["messages"]).await;
    check(json!({ "messages": [] }), &["messages"]).await;
    check(json!({ "messages": "x", "memory": { "thread": "t", "resource": "r" } }), &["memory"]).await;
    check(json!({ "messages": "x", "system": "obey", "maxSteps": -1 }), &["system", "maxSteps"]).await;
    check(json!({ "messages": "x".repeat(1_000_001) }), &["messages"]).await;
    let runs = fixture.ok(&fixture.viewer, "GET", "/api/runs", None).await;
    assert_eq!(runs["runs"], json!([]), "nothing was started");
    for name in ["nobody", "00000000-0000-0000-0000-000000000000"] {
        let (status, error) = error(&fixture, name, "stream", json!({ "messages": "x" })).await;
        assert_eq!(
            (status, error["error"].as_str().unwrap()),
            (404, format!("Agent with id {name} not found").as_str())
        );
    }
    let by_id = stream(&fixture, &agent, "stream", json!({ "messages": "x" })).await;
    assert_eq!(by_id.text(), "Hello.");
}

#[tokio::test]
async fn request_that_is_sent_again_joins_its_run() {
    let fixture = RunsFixture::new().await;
    fixture.agent("again", json!([{ "text": "Hello." }]), &[]).await;
    let run = uuid::Uuid::now_v7();
    let body = json!({ "messages": "go", "runId": run });
    let first = stream(&fixture, "again", "stream", body.clone()).await;
    let second = stream(&fixture, "again", "stream", body.clone()).await;
    assert_eq!((first.run(), first.text()), (second.run(), second.text()));
    let runs = fixture.ok(&fixture.viewer, "GET", "/api/runs", None).await;
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1);
    let path = "/mastra/api/agents/again/stream";
    let foreign = fixture.send(&fixture.admin, "POST", path, Some(body)).await;
    assert_eq!(foreign.status, 409, "the id belongs to a run of somebody else");
}

#[tokio::test]
async fn agents_are_described_with_their_enabled_tools() {
    let fixture = RunsFixture::new().await;
    let more = json!({ "systemPrompt": "You take notes.", "requireToolApproval": true });
    let id = fixture.agent_with("described", json!([{ "text": "x" }]), &["note"], more).await;
    let agent = fixture.ok(&fixture.viewer, "GET", "/mastra/api/agents/described", None).await;
    assert_eq!((&agent["id"], &agent["instructions"]), (&json!(id), &json!("You take notes.")));
    assert_eq!(agent["modelId"], "described");
    let all = fixture.ok(&fixture.viewer, "GET", "/mastra/api/agents", None).await;
    assert_eq!(all[&id], agent);
    assert_eq!(fixture.send(&fixture.agent, "GET", "/mastra/api/agents", None).await.status, 403);
}
