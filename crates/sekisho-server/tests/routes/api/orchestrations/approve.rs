//! `POST /api/orchestrations/{id}/approve`, with many sub-agents beside each other.

use serde_json::{Value, json};

use super::super::runs::runs_fixture::{RunsFixture, call};
use super::{auto, create, start, wait};

/// An agent that starts this many sub-agents beside each other, waits for all, and says that it is done.
async fn parent_of(fixture: &RunsFixture, count: usize, child: Value) -> String {
    fixture.agent("child", child, &[]).await;
    let numbers = || 1..=count;
    let made: Vec<Value> = numbers().map(|_| create("child", json!(["risky", "slow", "note"]))).collect();
    let started: Vec<Value> = numbers().map(|number| start(&format!("call_1_{number}"))).collect();
    let awaited: Vec<Value> = numbers().map(|number| wait(&format!("call_2_{number}"))).collect();
    let script =
        json!([{ "calls": made }, { "calls": started }, { "calls": awaited }, { "text": "All done." }]);
    fixture.agent_with("parent", script, &["risky", "slow", "note"], auto()).await
}

#[tokio::test]
async fn ten_sub_agents_are_answered_in_any_order() {
    let fixture = RunsFixture::new().await;
    let child =
        json!([{ "calls": [call("risky", "a")] }, { "calls": [call("risky", "b")] }, { "text": "End." }]);
    let agent = parent_of(&fixture, 10, child).await;
    let mut view = fixture.orchestrate(&agent).await;
    assert_eq!(
        (&view["status"], view["pending"].as_array().unwrap().len()),
        (&json!("suspended"), 10),
        "{view}"
    );
    let path = format!("/api/orchestrations/{}/approve", view["id"].as_str().unwrap());
    // Several wait: they must be named, and the error lists them. Their ids alone are ambiguous.
    let response = fixture.send(&fixture.approver, "POST", &path, Some(json!({}))).await;
    assert_eq!((response.status, response.code()), (409, "Conflict".into()));
    assert_eq!(response.json()["error"]["pending"].as_array().unwrap().len(), 10);
    let ambiguous = json!({ "tool_call_ids": ["call_1_1"] });
    assert_eq!(
        fixture.error(&fixture.approver, "POST", &path, Some(ambiguous)).await,
        (409, "Conflict".into())
    );
    let stale = json!({ "approval_ids": [view["pending"][0]["approval_id"], uuid::Uuid::nil()] });
    let error = fixture.error(&fixture.approver, "POST", &path, Some(stale)).await;
    assert_eq!(error, (409, "AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED".into()));
    assert!(fixture.notes().is_empty(), "all or none");
    // One by one, every time another place in the list.
    for step in 0..20 {
        let pending = view["pending"].as_array().unwrap();
        let chosen = &pending[(step * 7) % pending.len()];
        let body = json!({ "approval_ids": [chosen["approval_id"]] });
        view = fixture.ok(&fixture.approver, "POST", &path, Some(body)).await;
    }
    assert_eq!((&view["status"], &view["output"]), (&json!("completed"), &json!("All done.")), "{view}");
    let mut notes = fixture.notes();
    notes.sort();
    assert_eq!(notes, [vec!["a"; 10], vec!["b"; 10]].concat());
    let nothing = fixture.error(&fixture.approver, "POST", &path, Some(json!({}))).await;
    assert_eq!(nothing, (409, "AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED".into()));
}

#[tokio::test]
async fn abort_ends_all_sub_agents_with_their_tools_and_questions() {
    let fixture = RunsFixture::new().await;
    let child = json!([{ "calls": [call("slow", "runs"), call("risky", "x")] }, { "text": "never" }]);
    let agent = parent_of(&fixture, 10, child).await;
    let run = fixture.start(&agent).await;
    fixture.server.open(10).await;
    let path = format!("/api/runs/{run}/abort");
    let view = fixture.ok(&fixture.approver, "POST", &path, Some(json!({}))).await;
    assert_eq!(view["status"], "aborted");
    fixture.server.open(0).await;
    let tree = fixture.orchestration(&json!(run)).await;
    for child in tree["sub_agents"].as_array().unwrap() {
        assert_eq!(
            (&child["status"], &child["finish_reason"]),
            (&json!("aborted"), &json!("aborted")),
            "{tree}"
        );
    }
    assert_eq!(fixture.notes(), ["runs"; 10]);
    // An ended sub-agent does not go on.
    let child = tree["sub_agents"][0]["run_id"].as_str().unwrap();
    let body = Some(json!({ "text": "go on" }));
    let error = fixture.error(&fixture.approver, "POST", &format!("/api/runs/{child}/messages"), body).await;
    assert_eq!(error, (409, "Conflict".into()));
}

/// A parent that ends does not leave sub-agents behind.
#[tokio::test]
async fn sub_agents_end_with_their_parent() {
    let fixture = RunsFixture::new().await;
    fixture.agent("child", json!([{ "calls": [call("slow", "runs")] }, { "text": "never" }]), &[]).await;
    let script = json!([{ "calls": [create("child", json!(["slow"]))] }, { "calls": [start("call_1_1")] }, { "text": "Done." }]);
    let agent = fixture.agent_with("parent", script, &["slow"], auto()).await;
    let view = fixture.orchestrate(&agent).await;
    assert_eq!(
        (&view["status"], &view["sub_agents"][0]["status"]),
        (&json!("completed"), &json!("aborted")),
        "{view}"
    );
}

#[tokio::test]
async fn agents_start_and_see_their_own_and_approve_nothing() {
    let fixture = RunsFixture::new().await;
    let agent = parent_of(&fixture, 1, json!([{ "calls": [call("risky", "a")] }])).await;
    let body = json!({ "agent_id": agent, "input": "go" });
    let view = fixture.ok(&fixture.agent, "POST", "/api/orchestrate", Some(body)).await;
    let id = view["id"].as_str().unwrap();
    let seen = fixture.ok(&fixture.agent, "GET", &format!("/api/orchestrations/{id}"), None).await;
    assert_eq!(seen["pending"].as_array().unwrap().len(), 1);
    let path = format!("/api/orchestrations/{id}/approve");
    assert_eq!(fixture.send(&fixture.agent, "POST", &path, Some(json!({}))).await.status, 403);
    assert_eq!(fixture.send(&fixture.viewer, "POST", &path, Some(json!({}))).await.status, 403);
    let other = fixture.orchestrate(&agent).await;
    let path = format!("/api/orchestrations/{}", other["id"].as_str().unwrap());
    assert_eq!(fixture.send(&fixture.agent, "GET", &path, None).await.status, 404);
}
