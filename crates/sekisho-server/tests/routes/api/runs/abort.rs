//! Ending runs.

use serde_json::json;

use super::runs_fixture::{RunsFixture, call};
use crate::harness::socket_server::eventually;

#[tokio::test]
async fn abort_ends_tools_and_questions() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("slow", "a"), call("risky", "b")] }, { "text": "never" }]);
    let agent = fixture.agent("builder", script, &["slow", "risky"]).await;
    let run = fixture.start(&agent).await;
    fixture.server.open(1).await;
    eventually("the tool never ran", async || (fixture.notes() == ["a"]).then_some(())).await;
    let path = format!("/api/runs/{run}/abort");
    let view = fixture.ok(&fixture.approver, "POST", &path, Some(json!({ "reason": "enough" }))).await;
    assert_eq!((&view["status"], &view["finishReason"]), (&json!("aborted"), &json!("aborted")));
    assert_eq!(view["error"], "aborted by approver: enough");
    fixture.server.open(0).await;
    let again = fixture.ok(&fixture.approver, "POST", &path, Some(json!({}))).await;
    assert_eq!(again["error"], view["error"], "the first abort counts");
    let messages = format!("/api/runs/{run}/messages");
    let error = fixture.error(&fixture.approver, "POST", &messages, Some(json!({ "text": "go on" }))).await;
    assert_eq!(error, (409, "Conflict".into()));
    assert_eq!(fixture.notes(), ["a"]);
}
