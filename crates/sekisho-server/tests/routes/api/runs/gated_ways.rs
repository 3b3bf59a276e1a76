//! Every way into the loop, each shown to be gated: the model asks for a call that a rule denies, one that needs an
//! approval, and one that is not enabled, and none of them runs.

use sekisho_server::routes;
use serde_json::{Value, json};

use super::runs_fixture::{RunsFixture, call};

/// The operations that make a model go on. A new one must be added here, and to the test below.
const WAYS: [&str; 11] = [
    "executeWithTools",
    "sendRunMessage",
    "approveToolCall",
    "declineToolCall",
    "mastraStream",
    "mastraGenerate",
    "mastraApprove",
    "mastraDecline",
    "mastraResume",
    "mastraApproveGenerate",
    "mastraDeclineGenerate",
];

#[test]
fn list_of_ways_is_complete() {
    let table = routes::table();
    let writes = table.iter().filter(|route| {
        let path = route.path;
        let is_of_runs =
            ["/api/runs", "/api/execute", "/mastra/"].iter().any(|begin| path.starts_with(begin));
        is_of_runs && route.method != "GET" && !["abortRun", "mastraObserve"].contains(&route.operation)
    });
    let operations: Vec<&str> = writes.map(|route| route.operation).collect();
    assert_eq!(operations, WAYS);
}

/// The reply that every way leads to.
fn attempt() -> Value {
    json!({ "calls": [
        call("risky", "asked"), call("forbidden", "denied"), { "id": "off", "name": "slow", "input": { "text": "off" } },
    ] })
}

/// Nothing ran, and one call waits.
async fn check_gated(fixture: &RunsFixture, way: &str, run: &Value) {
    assert_eq!(run["status"], "suspended", "{way}: {run}");
    assert_eq!(run["pending"].as_array().unwrap().len(), 1, "{way}: {run}");
    assert!(!fixture.notes().iter().any(|note| ["asked", "denied", "off"].contains(&note.as_str())), "{way}");
}

/// Starts a run over Mastra's wire. Returns its id.
async fn start_as_mastra(fixture: &RunsFixture, agent: &str, route: &str) -> String {
    let run = uuid::Uuid::now_v7();
    let body = json!({ "messages": "go", "runId": run });
    let path = format!("/mastra/api/agents/{agent}/{route}");
    assert_eq!(fixture.send(&fixture.approver, "POST", &path, Some(body)).await.status, 200);
    run.to_string()
}

#[tokio::test]
async fn every_way_into_the_loop_is_gated() {
    let fixture = RunsFixture::new().await;
    let tools = ["risky", "forbidden", "note"];
    let mut tried = Vec::new();

    let agent = fixture.agent("execute", json!([attempt()]), &tools).await;
    let run = fixture.execute(&agent).await;
    check_gated(&fixture, "executeWithTools", &run).await;
    tried.push("executeWithTools");

    let agent = fixture.agent("message", json!([{ "text": "Hello." }, attempt()]), &tools).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let body = Some(json!({ "text": "go on" }));
    let view = fixture.ok(&fixture.approver, "POST", &format!("/api/runs/{run}/messages"), body).await;
    check_gated(&fixture, "sendRunMessage", &view).await;
    tried.push("sendRunMessage");

    for (verb, way) in [("approve", "approveToolCall"), ("decline", "declineToolCall")] {
        let script = json!([{ "calls": [call("risky", verb)] }, attempt()]);
        let agent = fixture.agent(verb, script, &tools).await;
        let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
        let view = fixture.answer(&run, verb, json!({ "toolCallId": "call_1_1" })).await;
        check_gated(&fixture, way, &view).await;
        tried.push(way);
    }
    assert_eq!(fixture.notes(), ["approve"], "only the approved call ran");

    for (route, way) in [("stream", "mastraStream"), ("generate", "mastraGenerate")] {
        fixture.agent(way, json!([attempt()]), &tools).await;
        let run = start_as_mastra(&fixture, way, route).await;
        check_gated(&fixture, way, &fixture.run(&run).await).await;
        tried.push(way);
    }
    let answers = [
        ("mastraApprove", "approve-tool-call", json!({})),
        ("mastraDecline", "decline-tool-call", json!({})),
        ("mastraResume", "resume-stream", json!({ "resumeData": { "approved": true } })),
        ("mastraApproveGenerate", "approve-tool-call-generate", json!({})),
        ("mastraDeclineGenerate", "decline-tool-call-generate", json!({})),
    ];
    for (way, route, mut body) in answers {
        fixture.agent(way, json!([{ "calls": [call("risky", way)] }, attempt()]), &tools).await;
        let run = start_as_mastra(&fixture, way, "generate").await;
        body["runId"] = json!(run);
        let path = format!("/mastra/api/agents/{way}/{route}");
        assert_eq!(fixture.send(&fixture.approver, "POST", &path, Some(body)).await.status, 200, "{way}");
        check_gated(&fixture, way, &fixture.run(&run).await).await;
        tried.push(way);
    }
    assert_eq!(tried, WAYS);
}
