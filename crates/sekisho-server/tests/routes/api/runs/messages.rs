//! Follow-up messages.

use serde_json::json;

use super::runs_fixture::{RunsFixture, call};

#[tokio::test]
async fn message_is_queued_while_something_is_pending() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "calls": [call("risky", "a")] },
        { "text": "Yes.", "expect": { "contains": "approve it" } },
    ]);
    let agent = fixture.agent("builder", script, &["risky"]).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/messages");
    let body = Some(json!({ "text": "yes, approve it" }));
    let view = fixture.ok(&fixture.approver, "POST", &path, body).await;
    assert_eq!(view["status"], "suspended", "a message is never an answer");
    assert!(fixture.notes().is_empty());
    let view = fixture.answer(&run, "approve", json!({})).await;
    assert_eq!((&view["status"], &view["output"]), (&json!("completed"), &json!("Yes.")));
    assert_eq!(fixture.notes(), ["a"]);
    let roles = fixture.ok(&fixture.viewer, "GET", &path, None).await;
    let roles: Vec<_> =
        roles["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tools", "user", "assistant"]);
}

#[tokio::test]
async fn few_messages_wait() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("risky", "a")] }, { "text": "Yes." }, { "text": "Again." }]);
    let agent = fixture.agent("builder", script, &["risky"]).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/messages");
    let body = || Some(json!({ "text": "more" }));
    for number in 1..=100 {
        let view = fixture.ok(&fixture.approver, "POST", &path, body()).await;
        assert_eq!(view["queuedMessages"], number);
    }
    let error = fixture.error(&fixture.approver, "POST", &path, body()).await;
    assert_eq!(error, (409, "Conflict".into()));
    fixture.answer(&run, "approve", json!({})).await;
    fixture.ok(&fixture.approver, "POST", &path, body()).await;
}

#[tokio::test]
async fn message_continues_an_ended_run() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "text": "Hello." }, { "text": "Again.", "expect": { "contains": "and now?" } }]);
    let agent = fixture.agent("builder", script, &[]).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/messages");
    let body = Some(json!({ "text": "and now?" }));
    let view = fixture.ok(&fixture.approver, "POST", &path, body).await;
    assert_eq!((&view["status"], &view["output"]), (&json!("completed"), &json!("Again.")));
    let error = fixture.error(&fixture.approver, "POST", &path, Some(json!({ "text": " " }))).await;
    assert_eq!(error, (400, "InvalidRequest".into()));
}
