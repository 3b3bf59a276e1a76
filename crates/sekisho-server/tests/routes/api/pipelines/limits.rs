//! Limits of runs of pipelines: tokens, time, replies, outputs, and how many are active.

use sekisho_testkit::agent_fixture::MOST_ACTIVE_RUNS;
use serde_json::{Value, json};

use super::pipeline_fixture::{PipelineFixture, id};

/// One stage whose agent follows a script.
async fn one_stage(fixture: &PipelineFixture, script: Value, stage: Value) -> Value {
    fixture.script("first", &script);
    let mut definition = json!({ "name": "x", "stages": [{ "agent": "first", "prompt": "go" }] });
    for (field, value) in stage.as_object().unwrap() {
        definition["stages"][0][field.as_str()] = value.clone();
    }
    fixture.start(definition, None).await
}

#[tokio::test]
async fn partial_output_fails_a_stage() {
    let fixture = PipelineFixture::new().await;
    let talks = json!([{ "text": "one", "calls": [{ "name": "note", "input": { "text": "a" } }] }, { "text": "two" }]);
    let run = one_stage(&fixture, talks, json!({ "maxIterations": 1 })).await;
    assert_eq!((&run["status"], &run["failure"]), (&json!("failed"), &json!("max_iterations")), "{run}");
    assert_eq!(run.get("output"), None, "{run}");
    let run = one_stage(&fixture, json!([{ "text": "par", "stop": "length" }]), json!({})).await;
    assert_eq!((&run["status"], &run["failure"]), (&json!("failed"), &json!("length")), "{run}");
}

#[tokio::test]
async fn stage_without_output_fails_unless_it_is_the_last() {
    let fixture = PipelineFixture::new().await;
    fixture.script("first", &json!([{ "text": "" }]));
    fixture.script("third", &json!([{ "text": "" }]));
    let stages =
        json!([{ "agent": "first", "prompt": "go" }, { "agent": "third", "prompt": "{{previous}}" }]);
    let run = fixture.start(json!({ "name": "x", "stages": stages }), None).await;
    assert_eq!((&run["status"], &run["failure"]), (&json!("failed"), &json!("no_output")), "{run}");
    let run = one_stage(&fixture, json!([{ "text": "" }]), json!({})).await;
    assert_eq!(run["status"], "completed", "{run}");
}

#[tokio::test]
async fn text_that_is_repeated_until_it_is_too_long_is_refused() {
    let fixture = PipelineFixture::new().await;
    let runs = &fixture.runs;
    let start = async |prompt: String| {
        let definition = json!({ "name": "x", "stages": [{ "agent": "first", "prompt": prompt }] });
        let body = json!({ "definition": definition, "input": "a".repeat(10_001) });
        let response = runs.send(&runs.approver, "POST", "/api/pipeline-runs", Some(body)).await;
        (response.status, response.json()["error"]["field"].clone())
    };
    let field = json!("stages[0].prompt");
    assert_eq!(start("{{input}}".repeat(100)).await, (400, field.clone()));
    assert_eq!(start("{{input}}".repeat(101)).await, (400, field));
    fixture.script("first", &json!([{ "text": "a".repeat(10_001) }]));
    let stages = json!([{ "agent": "first", "prompt": "go" },
        { "agent": "first", "prompt": "{{previous}}".repeat(100) }]);
    let run = fixture.start(json!({ "name": "x", "stages": stages }), None).await;
    assert_eq!((&run["failedStage"], &run["failure"]), (&json!(1), &json!("too_long")), "{run}");
}

#[tokio::test]
async fn tokens_of_all_stages_are_limited() {
    let fixture = PipelineFixture::new().await;
    fixture.script("first", &json!([{ "text": "found", "usage": { "input": 3000, "output": 1000 } }]));
    let stages = json!([{ "agent": "first", "prompt": "go" }, { "agent": "first", "prompt": "{{previous}}" },
        { "agent": "first", "prompt": "{{previous}}" }]);
    // A reply can use some 4 200 tokens, so there is room for two.
    let run = fixture.start(json!({ "name": "x", "stages": stages, "tokenBudget": 10_000 }), None).await;
    assert_eq!((&run["status"], &run["failedStage"]), (&json!("failed"), &json!(2)), "{run}");
    assert_eq!(run["failure"], "budget");
    assert_eq!(run["usage"]["inputTokens"], 6000);
}

#[tokio::test]
async fn time_of_the_pipeline_ends_its_stage() {
    let fixture = PipelineFixture::new().await;
    let mut definition = PipelineFixture::definition();
    definition["timeBudgetSeconds"] = json!(60);
    let run = fixture.start(definition, Some("cats")).await;
    assert_eq!(run["status"], "suspended");
    fixture.runs.server.advance(61);
    let ended = fixture.ended(&id(&run)).await;
    assert_eq!((&ended["status"], &ended["failure"]), (&json!("failed"), &json!("budget")), "{ended}");
    let stage = fixture.runs.run(&fixture.stage_run(&run, 1)).await;
    assert_eq!((&stage["status"], &stage["pending"]), (&json!("aborted"), &json!([])));
}

#[tokio::test]
async fn active_pipelines_are_limited() {
    let fixture = PipelineFixture::new().await;
    // Each has an active run of its stage too.
    for _ in 0..MOST_ACTIVE_RUNS / 2 {
        assert_eq!(fixture.start(PipelineFixture::definition(), Some("cats")).await["status"], "suspended");
    }
    let runs = &fixture.runs;
    let body = Some(json!({ "definition": PipelineFixture::definition(), "input": "cats" }));
    let refused = runs.error(&runs.approver, "POST", "/api/pipeline-runs", body.clone()).await;
    assert_eq!(refused, (429, "RateLimited".into()));
    runs.ok(&runs.admin, "POST", "/api/pipeline-runs", body).await;
}

/// Disabling a tool counts for a stage that goes on, and deleting an agent for one that has not begun.
#[tokio::test]
async fn stage_has_no_more_than_its_agent_has_now() {
    let fixture = PipelineFixture::new().await;
    let runs = &fixture.runs;
    let run = fixture.start(PipelineFixture::definition(), Some("cats")).await;
    let third = run["stages"][2]["agentId"].as_str().unwrap().to_owned();
    runs.ok(&runs.admin, "DELETE", &format!("/api/agents/{third}"), None).await;
    let second = run["stages"][1]["agentId"].as_str().unwrap().to_owned();
    runs.enable(&second, &["risky"], false).await;
    let ended = fixture.ended(&id(&run)).await;
    assert_eq!((&ended["status"], &ended["failedStage"]), (&json!("failed"), &json!(2)), "{ended}");
    assert_eq!(ended["failure"], "not_started");
    assert_eq!(runs.notes(), Vec::<String>::new());
}
