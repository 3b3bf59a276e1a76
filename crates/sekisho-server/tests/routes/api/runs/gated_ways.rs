//! Every way into the loop, each shown to be gated: the model asks for a call that a rule denies, one that needs an
//! approval, and one that is not enabled, and none of them runs.

use futures_util::SinkExt;
use sekisho_server::routes;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::runs_fixture::{RunsFixture, call};
use crate::harness::socket_server::eventually;

/// The operations that make a model go on: they start a run, send it a message, or end one of its questions or tools. A new one
/// must be added here, and to the tests below. Answers over the WebSocket and sub-agents have tests of their own; so do runs
/// that another process takes up (`run_that_is_taken_up_is_gated` of `sekisho-agent`).
const WAYS: [&str; 22] = [
    "executeWithTools",
    "orchestrate",
    "sendRunMessage",
    "interruptRun",
    "approveToolCall",
    "declineToolCall",
    "approveOrchestration",
    "answerApproval",
    "withdrawApproval",
    "configureTools",
    "deleteAgent",
    "revokeToken",
    "mastraStream",
    "mastraGenerate",
    "mastraApprove",
    "mastraDecline",
    "mastraResume",
    "mastraApproveGenerate",
    "mastraDeclineGenerate",
    "runPipeline",
    "startPipelineRun",
    "retryPipelineStage",
];

/// All other operations that change something. None of them makes a model go on, except that `signOut` revokes a token,
/// as `revokeToken` does.
const OTHERS: [&str; 24] = [
    "abortPipelineRun",
    "abortRun",
    "addRule",
    "canUseTool",
    "createAgent",
    "createLink",
    "createPipeline",
    "createToken",
    "decide",
    "deletePipeline",
    "distrustProject",
    "hook",
    "mastraObserve",
    "removeRule",
    "replaceAgent",
    "replacePipeline",
    "replaceRule",
    "reportExecution",
    "setNotifications",
    "signIn",
    "signOut",
    "testRule",
    "trustProject",
    "verifyAudit",
];

/// Every operation that is not only a read is in one of the lists, wherever its path is.
#[test]
fn list_of_ways_is_complete() {
    let table = routes::table();
    let writes = table.iter().filter(|route| route.method != "GET").map(|route| route.operation);
    let unlisted: Vec<&str> =
        writes.clone().filter(|operation| !WAYS.contains(operation) && !OTHERS.contains(operation)).collect();
    assert_eq!(
        unlisted,
        Vec::<&str>::new(),
        "does it make a model go on? then it is a way, else one of the others"
    );
    let gone: Vec<&&str> = WAYS
        .iter()
        .chain(&OTHERS)
        .filter(|listed| !writes.clone().any(|operation| operation == **listed))
        .collect();
    assert_eq!(gone, Vec::<&&str>::new(), "these operations no longer exist");
}

const TOOLS: [&str; 3] = ["risky", "forbidden", "note"];

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

/// The ways of Mastra's wire.
async fn over_mastras_wire(fixture: &RunsFixture) -> Vec<&'static str> {
    let mut tried = Vec::new();
    for (route, way) in [("stream", "mastraStream"), ("generate", "mastraGenerate")] {
        fixture.agent(way, json!([attempt()]), &TOOLS).await;
        let run = start_as_mastra(fixture, way, route).await;
        check_gated(fixture, way, &fixture.run(&run).await).await;
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
        fixture.agent(way, json!([{ "calls": [call("risky", way)] }, attempt()]), &TOOLS).await;
        let run = start_as_mastra(fixture, way, "generate").await;
        body["runId"] = json!(run);
        let path = format!("/mastra/api/agents/{way}/{route}");
        assert_eq!(fixture.send(&fixture.approver, "POST", &path, Some(body)).await.status, 200, "{way}");
        check_gated(fixture, way, &fixture.run(&run).await).await;
        tried.push(way);
    }
    tried
}

/// The ways of pipelines. The output of a stage tells the next one to make the calls.
async fn with_pipelines(fixture: &RunsFixture) -> Vec<&'static str> {
    fixture.agent("pipelineFirst", json!([{ "text": "Call risky, forbidden and slow." }]), &TOOLS).await;
    fixture.agent("pipelineLast", json!([attempt()]), &TOOLS).await;
    let definition = json!({ "name": "ways", "stages": [
        { "agent": "pipelineFirst", "prompt": "go" }, { "agent": "pipelineLast", "prompt": "{{previous}}" },
    ] });
    let stage_run = async |run: Value| {
        let id = run["stages"][1]["attempts"].as_array().unwrap().last().unwrap()["runId"].clone();
        fixture.run(id.as_str().unwrap()).await
    };
    let body = Some(definition.clone());
    let pipeline = fixture.ok(&fixture.admin, "POST", "/api/pipelines", body).await;
    let path = format!("/api/pipelines/{}/run", pipeline["id"].as_str().unwrap());
    let run = fixture.ok(&fixture.approver, "POST", &path, Some(json!({}))).await;
    check_gated(fixture, "runPipeline", &stage_run(run).await).await;

    let body = Some(json!({ "definition": definition }));
    let run = fixture.ok(&fixture.approver, "POST", "/api/pipeline-runs", body).await;
    check_gated(fixture, "startPipelineRun", &stage_run(run.clone()).await).await;

    let stage = stage_run(run.clone()).await["id"].as_str().unwrap().to_owned();
    fixture.ok(&fixture.approver, "POST", &format!("/api/runs/{stage}/abort"), Some(json!({}))).await;
    let path = format!("/api/pipeline-runs/{}", run["id"].as_str().unwrap());
    eventually("the pipeline never failed", async || {
        let view = fixture.ok(&fixture.viewer, "GET", &path, None).await;
        (view["status"] == "failed").then_some(())
    })
    .await;
    let run = fixture.ok(&fixture.approver, "POST", &format!("{path}/retry"), Some(json!({}))).await;
    check_gated(fixture, "retryPipelineStage", &stage_run(run).await).await;
    vec!["runPipeline", "startPipelineRun", "retryPipelineStage"]
}

/// Starts a run over Mastra's wire. Returns its id.
async fn start_as_mastra(fixture: &RunsFixture, agent: &str, route: &str) -> String {
    let run = uuid::Uuid::now_v7();
    let body = json!({ "messages": "go", "runId": run });
    let path = format!("/mastra/api/agents/{agent}/{route}");
    assert_eq!(fixture.send(&fixture.approver, "POST", &path, Some(body)).await.status, 200);
    run.to_string()
}

/// The ways that start a run or go on with one. Returns their names.
async fn by_starts_and_messages(fixture: &RunsFixture) -> Vec<&'static str> {
    let agent = fixture.agent("execute", json!([attempt()]), &TOOLS).await;
    check_gated(fixture, "executeWithTools", &fixture.execute(&agent).await).await;

    let agent = fixture.agent("orchestrate", json!([attempt()]), &TOOLS).await;
    let body = json!({ "agent_id": agent, "input": "go", "mode": "none" });
    let view = fixture.ok(&fixture.approver, "POST", "/api/orchestrate", Some(body)).await;
    check_gated(fixture, "orchestrate", &view).await;

    let agent = fixture.agent("message", json!([{ "text": "Hello." }, attempt()]), &TOOLS).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let body = Some(json!({ "text": "go on" }));
    let view = fixture.ok(&fixture.approver, "POST", &format!("/api/runs/{run}/messages"), body).await;
    check_gated(fixture, "sendRunMessage", &view).await;

    let script = json!([{ "calls": [call("slow", "interrupted")] }, attempt()]);
    let agent = fixture.agent("interrupt", script, &["slow", "risky", "forbidden", "note"]).await;
    let run = fixture.start(&agent).await;
    eventually("the tool never ran", async || (fixture.notes() == ["interrupted"]).then_some(())).await;
    fixture.enable(&agent, &["slow"], false).await;
    fixture.ok(&fixture.approver, "POST", &format!("/api/runs/{run}/interrupt"), Some(json!({}))).await;
    check_gated(fixture, "interruptRun", &second_reply(fixture, &run).await).await;
    vec!["executeWithTools", "orchestrate", "sendRunMessage", "interruptRun"]
}

#[tokio::test]
async fn every_way_into_the_loop_is_gated() {
    let fixture = RunsFixture::new().await;
    let mut tried = by_starts_and_messages(&fixture).await;
    for (verb, way) in [("approve", "approveToolCall"), ("decline", "declineToolCall")] {
        let Suspended { run, .. } = Suspended::new(&fixture, way).await;
        let view = fixture.answer(&run, verb, json!({ "toolCallId": "call_1_1" })).await;
        check_gated(&fixture, way, &view).await;
        tried.push(way);
    }
    let Suspended { run, .. } = Suspended::new(&fixture, "approveOrchestration").await;
    let path = format!("/api/orchestrations/{run}/approve");
    let view = fixture.ok(&fixture.approver, "POST", &path, Some(json!({}))).await;
    check_gated(&fixture, "approveOrchestration", &view).await;
    tried.push("approveOrchestration");
    for (way, method, path) in [("answerApproval", "POST", "/answer"), ("withdrawApproval", "DELETE", "")] {
        let Suspended { run, approval, .. } = Suspended::new(&fixture, way).await;
        let body = (method == "POST").then(|| json!({ "behavior": "allow" }));
        fixture.ok(&fixture.approver, method, &format!("/api/approvals/{approval}{path}"), body).await;
        let view = second_reply(&fixture, &run).await;
        check_gated(&fixture, way, &view).await;
        tried.push(way);
    }
    for way in ["configureTools", "deleteAgent", "revokeToken"] {
        let Suspended { run, agent, token, .. } = Suspended::new(&fixture, way).await;
        match way {
            "configureTools" => fixture.enable(&agent, &["risky"], false).await,
            "deleteAgent" => {
                drop(fixture.ok(&fixture.admin, "DELETE", &format!("/api/agents/{agent}"), None).await)
            }
            _ => drop(fixture.ok(&fixture.admin, "DELETE", &format!("/api/tokens/{token}"), None).await),
        }
        // Nothing is left to ask about.
        assert_eq!(fixture.ended(&run).await["pending"], json!([]), "{way}");
        // Without its token, a run does not ask its model again.
        let refused = if way == "revokeToken" { 1 } else { 4 };
        let results = fixture.results(&run).await;
        assert_eq!(results.iter().filter(|(_, is_error)| *is_error).count(), refused, "{way}");
        tried.push(way);
    }
    tried.extend(over_mastras_wire(&fixture).await);
    tried.extend(with_pipelines(&fixture).await);
    let ran = [
        "interrupted",
        "approveToolCall",
        "approveOrchestration",
        "answerApproval",
        "mastraApprove",
        "mastraResume",
        "mastraApproveGenerate",
    ];
    assert_eq!(fixture.notes(), ran, "only the approved calls ran");
    assert_eq!(tried, WAYS);
}

/// An answer over the WebSocket makes a model go on as well.
#[tokio::test]
async fn answer_over_the_websocket_is_gated() {
    let fixture = RunsFixture::new().await;
    let Suspended { run, approval, .. } = Suspended::new(&fixture, "websocket").await;
    let port = fixture.server.port;
    let mut request = format!("ws://127.0.0.1:{port}/api/ws").into_client_request().unwrap();
    request.headers_mut().insert("origin", fixture.server.origin().parse().unwrap());
    request.headers_mut().insert("authorization", format!("Bearer {}", fixture.approver).parse().unwrap());
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (mut socket, _) = client_async(request, stream).await.unwrap();
    let answer = json!({ "type": "tool_approval_response", "data": { "id": approval, "behavior": "allow" } });
    socket.send(Message::text(answer.to_string())).await.unwrap();
    check_gated(&fixture, "websocket", &second_reply(&fixture, &run).await).await;
    assert_eq!(fixture.notes(), ["websocket"], "only the approved call ran");
}

/// A sub-agent's model asks for the same calls, and none of them runs.
#[tokio::test]
async fn sub_agent_is_gated() {
    let fixture = RunsFixture::new().await;
    fixture.agent("helper", json!([attempt()]), &[]).await;
    let tools = json!(["risky", "forbidden", "note"]);
    let script = json!([
        { "calls": [{ "name": "create_sub_agent",
            "input": { "name": "h", "system_prompt": "Help.", "model": "helper", "enabled_tools": tools } }] },
        { "calls": [{ "name": "execute_sub_agent",
            "input": { "agent_id": "{{call_1_1.agent_id}}", "input": "go" } }] },
        { "calls": [{ "name": "get_sub_agent_result",
            "input": { "execution_id": "{{call_2_1.execution_id}}" } }] },
    ]);
    let agent =
        fixture.agent_with("parent", script, &TOOLS, json!({ "mode": "auto", "maxIterations": 20 })).await;
    let view = fixture.execute(&agent).await;
    check_gated(&fixture, "sub-agent", &view).await;
    assert_eq!(view["pending"][0]["agents"], json!(["parent", "parent/h"]), "{view}");
}

/// A run whose first call waits, and whose second reply is the attempt.
struct Suspended {
    run: String,
    agent: String,
    approval: String,
    /// The id of the token that started it.
    token: String,
}

impl Suspended {
    async fn new(fixture: &RunsFixture, name: &str) -> Suspended {
        let script = json!([{ "calls": [call("risky", name)] }, attempt()]);
        let agent = fixture.agent(name, script, &TOOLS).await;
        let body = json!({ "name": name, "role": "approver" });
        let token = fixture.ok(&fixture.admin, "POST", "/api/tokens", Some(body)).await;
        let body = json!({ "agent_id": agent, "input": "go" });
        let secret = token["secret"].as_str().unwrap();
        let run = fixture.ok(secret, "POST", "/api/execute-with-tools", Some(body)).await;
        let run = run["id"].as_str().unwrap().to_owned();
        let view = fixture.run(&run).await;
        let approval = view["pending"][0]["approvalId"].as_str().unwrap().to_owned();
        Suspended { run, agent, approval, token: token["token"]["id"].as_str().unwrap().to_owned() }
    }
}

/// The run once the calls of its second reply have ended or wait.
async fn second_reply(fixture: &RunsFixture, run: &str) -> Value {
    eventually("the model never went on", async || {
        let view = fixture.run(run).await;
        let goes_on = view["pending"][0]["toolCallId"] == "call_2_1" && view["status"] == "suspended";
        goes_on.then_some(view)
    })
    .await
}
