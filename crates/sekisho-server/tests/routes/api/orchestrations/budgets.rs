//! What sub-agents spend, their parents spend too.

use serde_json::{Value, json};

use super::super::runs::runs_fixture::{RunsFixture, call};
use super::{create, delegate, start, wait};

#[tokio::test]
async fn replies_of_sub_agents_count_for_their_parent() {
    let fixture = RunsFixture::new().await;
    // Six replies of its own, but the parent has seven in all and has given two.
    let note = |text: &str| json!({ "calls": [call("note", text)] });
    let child = json!([note("1"), note("2"), note("3"), note("4"), note("5"), { "text": "End." }]);
    fixture.agent("child", child, &[]).await;
    let more = json!({ "mode": "auto", "maxIterations": 7 });
    let agent =
        fixture.agent_with("parent", delegate(create("child", json!(["note"]))), &["note"], more).await;
    let view = fixture.orchestrate(&agent).await;
    assert_eq!(view["finish_reason"], "max_iterations", "{view}");
    let child = &view["sub_agents"][0];
    assert_eq!(child["finish_reason"], "max_iterations", "{view}");
    assert!(fixture.notes().len() < 5, "{:?}", fixture.notes());
}

#[tokio::test]
async fn tokens_of_sub_agents_count_for_their_parent() {
    let fixture = RunsFixture::new().await;
    let spends = |calls: Value| json!({ "calls": calls, "usage": { "input": 800, "output": 0 } });
    let child =
        json!([spends(json!([call("note", "1")])), spends(json!([call("note", "2")])), { "text": "End." }]);
    fixture.agent("child", child, &[]).await;
    let mut script = delegate(create("child", json!(["note"])));
    script[0]["usage"] = json!({ "input": 200, "output": 0 });
    // A reply has at most 10 tokens; what a request has besides is some hundreds.
    let more = json!({ "mode": "auto", "maxIterations": 50, "tokenBudget": 1900, "maxTokens": 10 });
    let agent = fixture.agent_with("parent", script, &["note"], more).await;
    let view = fixture.orchestrate(&agent).await;
    assert_eq!(view["finish_reason"], "budget", "{view}");
    let used = view["usage"]["input_tokens"].as_u64().unwrap();
    assert!(used <= 1900, "never more than the parent has: {view}");
}

/// What sub-agents use counts for the pipeline of their stage, and for the stored agent that they come from.
#[tokio::test]
async fn tokens_of_sub_agents_count_for_the_pipeline_and_the_agent() {
    let fixture = RunsFixture::new().await;
    fixture.agent("child", json!([{ "text": "End.", "usage": { "input": 900, "output": 100 } }]), &[]).await;
    let mut script = delegate(create("child", json!([])));
    script[0]["usage"] = json!({ "input": 10, "output": 1 });
    let agent = fixture.agent_with("parent", script, &[], super::auto()).await;
    let definition = json!({ "name": "x", "stages": [{ "agent": "parent", "prompt": "go" }] });
    let body = Some(json!({ "definition": definition }));
    let run = fixture.ok(&fixture.approver, "POST", "/api/pipeline-runs", body).await;
    assert_eq!(run["status"], "completed", "{run}");
    let tokens = |usage: &Value| (usage["inputTokens"].clone(), usage["outputTokens"].clone());
    assert_eq!(tokens(&run["usage"]), (json!(910), json!(101)), "{run}");
    let used = fixture.ok(&fixture.viewer, "GET", &format!("/api/agents/{agent}/usage"), None).await;
    assert_eq!(tokens(&used["usage"]), (json!(910), json!(101)), "{used}");
    assert_eq!((&used["runs"], &used["replies"]), (&json!(2), &json!(5)), "{used}");
}

/// Ten sub-agents beside each other never use more than their parent has.
#[tokio::test]
async fn sub_agents_beside_each_other_share_one_budget() {
    let fixture = RunsFixture::new().await;
    fixture.agent("child", json!([{ "text": "End.", "usage": { "input": 900, "output": 100 } }]), &[]).await;
    let made: Vec<Value> = (0..10).map(|_| create("child", json!([]))).collect();
    let started: Vec<Value> = (1..=10).map(|number| start(&format!("call_1_{number}"))).collect();
    let awaited: Vec<Value> = (1..=10).map(|number| wait(&format!("call_2_{number}"))).collect();
    let script = json!([{ "calls": made }, { "calls": started }, { "calls": awaited }, { "text": "Done." }]);
    let more = json!({ "mode": "auto", "maxIterations": 50, "tokenBudget": 6000, "maxTokens": 1000 });
    let agent = fixture.agent_with("parent", script, &[], more).await;
    let view = fixture.orchestrate(&agent).await;
    let usage = &view["usage"];
    let used = usage["input_tokens"].as_u64().unwrap() + usage["output_tokens"].as_u64().unwrap();
    assert!(used <= 6000, "{view}");
    let runs = view["sub_agents"].as_array().unwrap();
    let complete = runs.iter().filter(|run| run["finish_reason"] == "stop").count();
    assert!(runs.len() == 10 && complete <= 5, "{view}");
}
