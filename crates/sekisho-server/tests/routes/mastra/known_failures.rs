//! What goes wrong in other frameworks when people answer: each as a test over this wire.

use serde_json::{Value, json};

use super::{error, stream};
use crate::routes::api::runs::runs_fixture::{RunsFixture, call};

const STALE: &str = "AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED";

async fn refused(fixture: &RunsFixture, agent: &str, route: &str, body: Value) {
    let (status, error) = error(fixture, agent, route, body.clone()).await;
    assert_eq!((status, &error["code"]), (409, &json!(STALE)), "{route} {body}: {error}");
}

/// The ids of the calls that wait.
async fn waiting(fixture: &RunsFixture, agent: &str) -> Vec<String> {
    let path = format!("/mastra/api/agents/{agent}/suspended-runs");
    let listed = fixture.ok(&fixture.viewer, "GET", &path, None).await;
    let runs = listed["runs"].as_array().unwrap().iter();
    let calls = runs.flat_map(|run| run["toolCalls"].as_array().unwrap());
    calls.map(|call| call["toolCallId"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn id_of_an_answered_call_never_approves_the_newer_one() {
    let fixture = RunsFixture::new().await;
    let script =
        json!([{ "calls": [call("risky", "a")] }, { "calls": [call("risky", "b")] }, { "text": "Done." }]);
    fixture.agent("stale", script, &["risky"]).await;
    let run = stream(&fixture, "stale", "stream", json!({ "messages": "go" })).await.run();
    let answer = |call: &str| json!({ "runId": run, "toolCallId": call });
    let rest = stream(&fixture, "stale", "approve-tool-call", answer("call_1_1")).await;
    assert_eq!(rest.types().last(), Some(&"tool-call-approval"));
    for route in
        ["approve-tool-call", "decline-tool-call", "approve-tool-call-generate", "decline-tool-call-generate"]
    {
        refused(&fixture, "stale", route, answer("call_1_1")).await;
    }
    assert_eq!(
        (waiting(&fixture, "stale").await, fixture.notes()),
        (vec!["call_2_1".into()], vec!["a".into()])
    );
    stream(&fixture, "stale", "approve-tool-call", answer("call_2_1")).await;
    assert_eq!(fixture.notes(), ["a", "b"]);
}

#[tokio::test]
async fn declined_tool_does_not_run_after_the_resume_and_is_asked_about_again() {
    let fixture = RunsFixture::new().await;
    let script =
        json!([{ "calls": [call("note", "a")] }, { "calls": [call("note", "a")] }, { "text": "Done." }]);
    fixture.agent("strict", script, &["note"]).await;
    // A rule allows the tool. What the request wants counts after the resume too.
    let body = json!({ "messages": "go", "requireToolApproval": true });
    let first = stream(&fixture, "strict", "stream", body).await;
    assert_eq!(first.types().last(), Some(&"tool-call-approval"));
    let run = first.run();
    let answer = |call: &str| json!({ "runId": run, "toolCallId": call, "reason": "no" });
    let rest = stream(&fixture, "strict", "decline-tool-call", answer("call_1_1")).await;
    assert_eq!(rest.first("tool-output-denied")["approval"]["reason"], "no");
    assert_eq!(rest.types().last(), Some(&"tool-call-approval"), "the same call is asked about again");
    let end = stream(&fixture, "strict", "decline-tool-call", answer("call_2_1")).await;
    assert_eq!(end.types().last(), Some(&"finish"));
    assert!(fixture.notes().is_empty());
}

#[tokio::test]
async fn both_of_two_parallel_approvals_count() {
    let fixture = RunsFixture::new().await;
    for round in 0..5 {
        let name = format!("both{round}");
        let script = json!([{ "calls": [call("risky", "a"), call("risky", "b")] }, { "text": "Done." }]);
        fixture.agent(&name, script, &["risky"]).await;
        let run = stream(&fixture, &name, "stream", json!({ "messages": "go" })).await.run();
        let answer = |call: &str| json!({ "runId": run, "toolCallId": call });
        tokio::join!(
            stream(&fixture, &name, "approve-tool-call", answer("call_1_1")),
            stream(&fixture, &name, "approve-tool-call", answer("call_1_2")),
        );
        assert_eq!(fixture.ended(&run).await["finishReason"], "stop");
        assert_eq!(fixture.notes().len(), 2 * (round + 1));
    }
}

#[tokio::test]
async fn run_with_megabytes_is_resumed_at_once() {
    let fixture = RunsFixture::new().await;
    let text = "x".repeat(300_000);
    let calls = [call("note", &text), call("note", &text), call("risky", "small")];
    let large = json!([{ "calls": calls }, { "text": "Done." }]);
    fixture.agent("large", large, &["note", "risky"]).await;
    let old = "y".repeat(900_000);
    let messages = json!([{ "role": "user", "content": old }, { "role": "user", "content": "go" }]);
    let asked = stream(&fixture, "large", "stream", json!({ "messages": messages })).await;
    assert_eq!(asked.types().iter().filter(|kind| **kind == "tool-call-approval").count(), 1);
    let answer = json!({ "runId": asked.run(), "toolCallId": "call_1_3" });
    let rest = stream(&fixture, "large", "approve-tool-call", answer).await;
    assert_eq!((rest.text().as_str(), rest.types().last()), ("Done.", Some(&"finish")));
    assert_eq!(fixture.notes().last().map(String::as_str), Some("small"));
}

#[tokio::test]
async fn failed_resume_does_not_spoil_the_run() {
    let fixture = RunsFixture::new().await;
    let failing = json!([
        { "calls": [call("risky", "a")] },
        [{ "when": { "last_contains": "again" }, "text": "Now it works." },
         { "error": { "code": "provider_failed", "message": "out of order" } }],
    ]);
    fixture.agent("failing", failing, &["risky"]).await;
    let run = stream(&fixture, "failing", "stream", json!({ "messages": "go" })).await.run();
    let answer = json!({ "runId": run, "toolCallId": "call_1_1" });
    // Answers that are wrong change nothing.
    for body in [json!({ "runId": run, "toolCallId": 5 }), json!({ "runId": run, "more": true })] {
        assert_eq!(error(&fixture, "failing", "approve-tool-call", body.clone()).await.0, 400, "{body}");
    }
    assert_eq!(waiting(&fixture, "failing").await, ["call_1_1"]);
    let rest = stream(&fixture, "failing", "approve-tool-call", answer.clone()).await;
    assert!(rest.types().contains(&"error"), "the model fails: {:?}", rest.types());
    assert_eq!(fixture.run(&run).await["status"], "failed");
    refused(&fixture, "failing", "approve-tool-call", answer).await;
    let more = Some(json!({ "text": "Try again." }));
    fixture.ok(&fixture.approver, "POST", &format!("/api/runs/{run}/messages"), more).await;
    let view = fixture.ended(&run).await;
    assert_eq!((&view["status"], &view["output"]), (&json!("completed"), &json!("Now it works.")));
    assert_eq!(fixture.notes(), ["a"], "the tool ran once");
}

#[tokio::test]
async fn answer_in_the_inbox_is_the_one_that_counts() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("risky", "a"), call("risky", "b")] }, { "text": "Done." }]);
    fixture.agent("inbox", script, &["risky"]).await;
    let run = stream(&fixture, "inbox", "stream", json!({ "messages": "go" })).await.run();
    let pending = fixture.run(&run).await["pending"].clone();
    for (at, behavior) in [(0, "deny"), (1, "allow")] {
        let id = pending[at]["approvalId"].as_str().unwrap();
        let answer = Some(json!({ "behavior": behavior }));
        fixture.ok(&fixture.approver, "POST", &format!("/api/approvals/{id}/answer"), answer).await;
        let body = json!({ "runId": run, "toolCallId": pending[at]["toolCallId"] });
        refused(&fixture, "inbox", "approve-tool-call", body).await;
    }
    assert_eq!(fixture.ended(&run).await["finishReason"], "stop");
    assert_eq!(fixture.notes(), ["b"]);
}
