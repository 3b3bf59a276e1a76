//! Answers to calls: which count, and which are refused.

use serde_json::{Value, json};

use super::{error, stream};
use crate::routes::api::runs::runs_fixture::{RunsFixture, call};

/// A run with calls that wait. Returns its id.
async fn waiting(fixture: &RunsFixture, name: &str, calls: &[Value]) -> String {
    fixture.agent(name, json!([{ "calls": calls }, { "text": "Done." }]), &["risky"]).await;
    stream(fixture, name, "stream", json!({ "messages": "go" })).await.run()
}

#[tokio::test]
async fn stale_and_unknown_ids_are_refused() {
    let fixture = RunsFixture::new().await;
    let run = waiting(&fixture, "one", &[call("risky", "a")]).await;
    let other = waiting(&fixture, "other", &[call("risky", "b")]).await;
    let check = async |agent: &str, body: Value, status: u16, code: &str| {
        let (found, error) = error(&fixture, agent, "approve-tool-call", body.clone()).await;
        assert_eq!((found, error["code"].as_str()), (status, Some(code)), "{body}: {error}");
        assert!(error["error"].is_string(), "{error}");
    };
    let stale = "AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED";
    let unknown = "AGENT_RESUME_NO_SNAPSHOT_FOUND";
    check("one", json!({ "runId": run, "toolCallId": "nothing" }), 409, stale).await;
    check("one", json!({ "runId": "nothing", "toolCallId": "call_1_1" }), 404, unknown).await;
    check("one", json!({ "runId": uuid::Uuid::nil(), "toolCallId": "call_1_1" }), 404, unknown).await;
    check("one", json!({ "runId": other, "toolCallId": "call_1_1" }), 404, "NotFound").await;
    check("nobody", json!({ "runId": run }), 404, "NotFound").await;
    check("one", json!({ "toolCallId": "call_1_1" }), 400, "InvalidRequest").await;
    assert!(fixture.notes().is_empty());
    stream(&fixture, "one", "approve-tool-call", json!({ "runId": run, "toolCallId": "call_1_1" })).await;
    check("one", json!({ "runId": run, "toolCallId": "call_1_1" }), 409, stale).await;
    check("one", json!({ "runId": run }), 409, stale).await;
    assert_eq!(fixture.notes(), ["a"], "once, and not the call of the other run");
}

#[tokio::test]
async fn two_calls_wait_at_once_and_are_answered_in_any_order() {
    let fixture = RunsFixture::new().await;
    let run = waiting(&fixture, "two", &[call("risky", "a"), call("risky", "b")]).await;
    let (status, unclear) = error(&fixture, "two", "approve-tool-call", json!({ "runId": run })).await;
    assert_eq!(status, 409, "{unclear}");
    let second = json!({ "runId": run, "toolCallId": "call_1_2" });
    let first = stream(&fixture, "two", "approve-tool-call", second).await;
    assert_eq!(first.types(), ["tool-result"], "its result comes at once, and the other call still waits");
    assert_eq!(fixture.notes(), ["b"]);
    let rest = stream(&fixture, "two", "decline-tool-call", json!({ "runId": run, "info": "no" })).await;
    assert_eq!(rest.first("tool-output-denied")["approval"]["reason"], "no");
    assert_eq!(rest.types().last(), Some(&"finish"));
    assert_eq!(fixture.notes(), ["b"], "a declined call never runs");
}

#[tokio::test]
async fn call_that_is_approved_and_declined_at_once_has_one_answer() {
    let fixture = RunsFixture::new().await;
    for round in 0..10 {
        let name = format!("race{round}");
        let run = waiting(&fixture, &name, &[call("risky", &name)]).await;
        let body = json!({ "runId": run, "toolCallId": "call_1_1" });
        let send = |route: &str| {
            let path = format!("/mastra/api/agents/{name}/{route}");
            let (fixture, body) = (&fixture, body.clone());
            async move { fixture.send(&fixture.approver, "POST", &path, Some(body)).await.status }
        };
        let (one, two, three) =
            tokio::join!(send("approve-tool-call"), send("approve-tool-call"), send("decline-tool-call"));
        let mut statuses = [one, two, three];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409, 409], "round {round}");
        let ran = fixture.notes().iter().filter(|note| **note == name).count();
        assert_eq!(ran, usize::from(three != 200), "round {round}");
    }
}

#[tokio::test]
async fn resume_says_its_answer_in_its_data() {
    let fixture = RunsFixture::new().await;
    let run = waiting(&fixture, "resumed", &[call("risky", "a")]).await;
    for data in [json!({}), json!({ "approved": "yes" }), json!("approved")] {
        let body = json!({ "runId": run, "resumeData": data });
        assert_eq!(error(&fixture, "resumed", "resume-stream", body).await.0, 400, "{data}");
    }
    let body = json!({ "runId": run, "resumeData": { "approved": false, "reason": "later" } });
    let rest = stream(&fixture, "resumed", "resume-stream", body).await;
    assert_eq!(rest.first("tool-output-denied")["approval"]["reason"], "later");
    assert!(fixture.notes().is_empty());
}

#[tokio::test]
async fn agent_cannot_answer_and_sees_only_its_own_runs() {
    let fixture = RunsFixture::new().await;
    let run = waiting(&fixture, "foreign", &[call("risky", "a")]).await;
    for route in [
        "approve-tool-call",
        "decline-tool-call",
        "resume-stream",
        "approve-tool-call-generate",
        "decline-tool-call-generate",
    ] {
        let path = format!("/mastra/api/agents/foreign/{route}");
        let response = fixture.send(&fixture.agent, "POST", &path, Some(json!({ "runId": run }))).await;
        assert_eq!(response.status, 403, "{route}");
    }
    let observe = Some(json!({ "runId": run }));
    let response = fixture.send(&fixture.agent, "POST", "/mastra/api/agents/foreign/observe", observe).await;
    assert_eq!(response.status, 404);
    let listed = fixture.ok(&fixture.agent, "GET", "/mastra/api/agents/foreign/suspended-runs", None).await;
    assert_eq!(listed, json!({ "runs": [], "total": 0 }));
    let listed = fixture.ok(&fixture.viewer, "GET", "/mastra/api/agents/foreign/suspended-runs", None).await;
    assert_eq!((&listed["total"], &listed["runs"][0]["runId"]), (&json!(1), &json!(run)));
    let waits = &listed["runs"][0]["toolCalls"][0];
    assert_eq!(
        *waits,
        json!({ "toolCallId": "call_1_1", "toolName": "risky", "args": { "text": "a" }, "requiresApproval": true })
    );
    let past = "/mastra/api/agents/foreign/suspended-runs?toDate=2001-01-01T00:00:00Z";
    assert_eq!(fixture.ok(&fixture.viewer, "GET", past, None).await["total"], 0);
}
