//! Runs of pipelines: stages, approvals, retries, aborts and events.

use sekisho_agent::pipelines::machine::{FailureCode, PipelineEvent, PipelineState, StageFailure};
use serde_json::{Value, json};

use super::pipeline_fixture::{PipelineFixture, id, statuses};

#[tokio::test]
async fn stages_are_fed_and_asked_about() {
    let fixture = PipelineFixture::new().await;
    let run = fixture.start(PipelineFixture::definition(), Some("cats")).await;
    assert_eq!(
        (&run["status"], statuses(&run)),
        (&json!("suspended"), vec![json!("completed"), json!("suspended"), Value::Null])
    );
    assert_eq!(run["stages"][1]["pending"][0]["toolName"], "risky");
    assert_eq!(run["stages"][0]["name"], "search");
    // The stage is an ordinary run, and its question is in the inbox.
    let stage = fixture.runs.run(&fixture.stage_run(&run, 1)).await;
    assert_eq!((&stage["status"], &stage["agentName"]), (&json!("suspended"), &json!("second")));
    let inbox = fixture.runs.ok(&fixture.runs.viewer, "GET", "/api/approvals?state=pending", None).await;
    assert_eq!(inbox["approvals"].as_array().unwrap().len(), 1);
    fixture.answer(&run, 1, "approve").await;
    let ended = fixture.ended(&id(&run)).await;
    assert_eq!((&ended["status"], &ended["output"]), (&json!("completed"), &json!("done")), "{ended}");
    assert_eq!(ended["stages"][1]["output"], "cats are good");
    assert_eq!(fixture.runs.notes(), ["analysed", "written"]);
    let list = fixture.runs.ok(&fixture.runs.viewer, "GET", "/api/pipeline-runs?active=false", None).await;
    assert_eq!(list["runs"][0]["id"], ended["id"]);
    assert_eq!(list["runs"][0].get("output"), None, "lists have no texts");
}

#[tokio::test]
async fn failed_stage_is_tried_again_without_those_before() {
    let fixture = PipelineFixture::new().await;
    let third = json!([{ "error": { "code": "bad_request", "message": "no model" } }]);
    fixture.script("third", &third);
    let run = fixture.start(PipelineFixture::definition(), Some("cats")).await;
    let (early, status) = fixture.retry(&run).await;
    assert_eq!(status, 409, "it has not failed: {early}");
    fixture.answer(&run, 1, "approve").await;
    let failed = fixture.ended(&id(&run)).await;
    assert_eq!((&failed["status"], &failed["failedStage"]), (&json!("failed"), &json!(2)), "{failed}");
    assert_eq!(failed["failure"], "error");
    fixture.script(
        "third",
        &json!([{ "calls": [{ "name": "note", "input": { "text": "again" } }] }, { "text": "done" }]),
    );
    let (retried, status) = fixture.retry(&run).await;
    assert_eq!((status, &retried["status"]), (200, &json!("completed")), "{retried}");
    let attempts: Vec<usize> = retried["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["attempts"].as_array().unwrap().len())
        .collect();
    assert_eq!(attempts, [1, 1, 2]);
    assert_eq!(fixture.runs.notes(), ["analysed", "again"], "no stage before it ran again");
}

#[tokio::test]
async fn declined_call_is_read_by_its_stage_only() {
    let fixture = PipelineFixture::new().await;
    let run = fixture.start(PipelineFixture::definition(), Some("cats")).await;
    fixture.answer(&run, 1, "decline").await;
    let ended = fixture.ended(&id(&run)).await;
    assert_eq!(ended["status"], "completed");
    assert_eq!(fixture.runs.notes(), ["written"]);
}

#[tokio::test]
async fn abort_ends_the_run_of_the_stage() {
    let fixture = PipelineFixture::new().await;
    let run = fixture.start(PipelineFixture::definition(), Some("cats")).await;
    let path = format!("/api/pipeline-runs/{}/abort", id(&run));
    let body = Some(json!({ "reason": "enough" }));
    let aborted = fixture.runs.ok(&fixture.runs.approver, "POST", &path, body).await;
    assert_eq!(aborted["status"], "aborted", "{aborted}");
    assert!(aborted["error"].as_str().unwrap().ends_with("enough"), "{aborted}");
    let stage = fixture.runs.run(&fixture.stage_run(&run, 1)).await;
    assert_eq!((&stage["status"], &stage["pending"]), (&json!("aborted"), &json!([])));
    assert_eq!(fixture.retry(&run).await.1, 409);
    assert_eq!(fixture.runs.notes(), Vec::<String>::new());
}

#[tokio::test]
async fn aborted_stage_fails_the_pipeline_and_can_be_tried_again() {
    let fixture = PipelineFixture::new().await;
    let run = fixture.start(PipelineFixture::definition(), Some("cats")).await;
    let path = format!("/api/runs/{}/abort", fixture.stage_run(&run, 1));
    fixture.runs.ok(&fixture.runs.approver, "POST", &path, Some(json!({}))).await;
    let failed = fixture.ended(&id(&run)).await;
    assert_eq!((&failed["status"], &failed["failure"]), (&json!("failed"), &json!("aborted")));
    let (again, _) = fixture.retry(&run).await;
    assert_eq!(again["status"], "suspended");
    fixture.answer(&again, 1, "approve").await;
    assert_eq!(fixture.ended(&id(&run)).await["status"], "completed");
}

/// A later edit of the pipeline, or its deletion, does not change a run that goes on.
#[tokio::test]
async fn definition_is_fixed_at_the_start() {
    let fixture = PipelineFixture::new().await;
    let runs = &fixture.runs;
    let made = runs.ok(&runs.admin, "POST", "/api/pipelines", Some(PipelineFixture::definition())).await;
    let path = format!("/api/pipelines/{}", id(&made));
    let body = Some(json!({ "input": "cats" }));
    let run = runs.ok(&runs.approver, "POST", &format!("{path}/run"), body).await;
    assert_eq!(run["pipelineId"], made["id"]);
    let other = json!({ "name": "other", "stages": [{ "agent": "first", "prompt": "go" }] });
    runs.ok(&runs.admin, "PUT", &path, Some(other)).await;
    runs.ok(&runs.admin, "DELETE", &path, None).await;
    fixture.answer(&run, 1, "approve").await;
    let ended = fixture.ended(&id(&run)).await;
    assert_eq!((&ended["status"], &ended["name"]), (&json!("completed"), &json!("report")), "{ended}");
    assert_eq!(fixture.runs.notes(), ["analysed", "written"]);
}

#[tokio::test]
async fn events_continue_after_the_last_one() {
    let fixture = PipelineFixture::new().await;
    let run = fixture.start(PipelineFixture::definition(), Some("cats")).await;
    fixture.answer(&run, 1, "approve").await;
    fixture.ended(&id(&run)).await;
    let events = async |query: &str| {
        let path = format!("/api/pipeline-runs/{}/events{query}", id(&run));
        let response = fixture.runs.send(&fixture.runs.viewer, "GET", &path, None).await;
        assert_eq!((response.status, response.header("content-type")), (200, Some("text/event-stream")));
        let text = String::from_utf8(response.body).unwrap();
        assert!(text.ends_with("data: [DONE]\n\n"), "{text}");
        let datas = text.lines().filter_map(|line| line.strip_prefix("data: {"));
        let kinds =
            datas.map(|data| serde_json::from_str::<Value>(&format!("{{{data}")).unwrap()["type"].clone());
        kinds.map(|kind| kind.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = [
        "stage-start",
        "stage-finish",
        "stage-start",
        "stage-finish",
        "stage-start",
        "stage-finish",
        "finish",
    ];
    assert_eq!(events("").await, all);
    assert_eq!(events("?lastEventId=4").await, all[4..]);
}

/// Agents see and try again only what they started.
#[tokio::test]
async fn agent_sees_its_own_runs() {
    let fixture = PipelineFixture::new().await;
    let runs = &fixture.runs;
    let foreign = id(&fixture.start(PipelineFixture::definition(), Some("cats")).await);
    let body = json!({ "definition": PipelineFixture::definition(), "input": "cats" });
    let own = runs.ok(&runs.agent, "POST", "/api/pipeline-runs", Some(body)).await;
    let list = runs.ok(&runs.agent, "GET", "/api/pipeline-runs", None).await;
    assert_eq!(list["runs"].as_array().unwrap().len(), 1);
    assert_eq!(list["runs"][0]["id"], own["id"]);
    let path = format!("/api/pipeline-runs/{foreign}");
    assert_eq!(runs.error(&runs.agent, "GET", &path, None).await.0, 404);
    assert_eq!(runs.error(&runs.agent, "POST", &format!("{path}/retry"), Some(json!({}))).await.0, 404);
    assert_eq!(runs.error(&runs.agent, "POST", &format!("{path}/abort"), Some(json!({}))).await.0, 403);
}

/// The output of a stage is data: placeholders in it are not filled, and it decides nothing.
#[tokio::test]
async fn output_of_a_stage_is_data() {
    let fixture = PipelineFixture::new().await;
    fixture.script("first", &json!([{ "text": "{{input}} {{previous}} \\{{" }]));
    fixture.script(
        "third",
        &json!([{ "text": "ok", "expect": { "contains": "<{{input}} {{previous}} \\{{>" } }]),
    );
    let definition = json!({ "name": "x", "stages": [
        { "agent": "first", "prompt": "go {{input}}" }, { "agent": "third", "prompt": "<{{previous}}>" },
    ] });
    let run = fixture.start(definition, Some("secret")).await;
    assert_eq!(run["status"], "completed", "{run}");
}

/// The id of the run of the next attempt can be computed, and Mastra's clients choose the ids of their runs.
#[tokio::test]
async fn run_that_somebody_else_started_is_not_taken_for_that_of_a_stage() {
    let fixture = PipelineFixture::new().await;
    fixture.script("first", &json!([{ "error": { "code": "bad_request", "message": "no model" } }]));
    let definition = json!({ "name": "x", "stages": [{ "agent": "first", "prompt": "go" }] });
    let failed = fixture.start(definition, None).await;
    assert_eq!(failed["failure"], "error", "{failed}");

    let now = fixture.runs.server.clock_now();
    let (mut state, _) = PipelineState::start(id(&failed).parse().unwrap(), 1, (None, None), now);
    let result = Err(StageFailure::new(FailureCode::Error, "no model"));
    let ended =
        PipelineEvent::StageEnded { run: state.current_run().unwrap(), result, usage: Default::default() };
    assert!(state.handle(ended, now).is_some() && state.handle(PipelineEvent::Retry, now).is_some());
    let forged = state.current_run().unwrap();
    fixture.script("second", &json!([{ "text": "forged" }]));
    let body = json!({ "messages": "go", "runId": forged });
    let runs = &fixture.runs;
    let said = runs.ok(&runs.approver, "POST", "/mastra/api/agents/second/generate", Some(body)).await;
    assert_eq!(said["text"], "forged", "{said}");

    fixture.script("first", &json!([{ "text": "right" }]));
    let (retried, _) = fixture.retry(&failed).await;
    assert_eq!(retried["stages"][0]["attempts"][1]["runId"], json!(forged), "the id was computed rightly");
    assert_eq!((&retried["failure"], retried.get("output")), (&json!("run_id_taken"), None), "{retried}");
    let (retried, _) = fixture.retry(&failed).await;
    assert_eq!((&retried["status"], &retried["output"]), (&json!("completed"), &json!("right")), "{retried}");
}

impl PipelineFixture {
    /// Tries the failed stage again. Returns the response and its status.
    async fn retry(&self, run: &Value) -> (Value, u16) {
        let path = format!("/api/pipeline-runs/{}/retry", id(run));
        let response = self.runs.send(&self.runs.approver, "POST", &path, Some(json!({}))).await;
        (response.json(), response.status)
    }
}
