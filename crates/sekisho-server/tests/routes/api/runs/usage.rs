//! What runs use and cost, and budgets of money.

use serde_json::{Value, json};

use super::runs_fixture::{RunsFixture, call};

/// Two replies with tokens of every kind, and a call between them.
fn script() -> Value {
    let usage = json!({ "input": 1000, "output": 100, "cache_read": 400, "cache_write": 100 });
    json!([{ "calls": [call("note", "a")], "usage": usage }, { "text": "Done.", "usage": usage }])
}

/// An agent whose model has a price: 3 dollars for a million tokens of input, 15 for output, 0.3 for reading from the
/// cache, 3.75 for writing to it.
async fn priced(fixture: &RunsFixture, more: Value) -> String {
    fixture.agent_with("priced", script(), &["note"], more).await
}

#[tokio::test]
async fn usage_and_cost_are_in_the_run_the_agent_and_the_audit_log() {
    let fixture = RunsFixture::new().await;
    let agent = priced(&fixture, json!({})).await;
    let used = format!("/api/agents/{agent}/usage");
    let nothing = fixture.ok(&fixture.viewer, "GET", &used, None).await;
    let none = json!({ "inputTokens": 0, "outputTokens": 0, "cacheReadTokens": 0, "cacheWriteTokens": 0 });
    let expected = json!({ "agentId": agent, "runs": 0, "replies": 0, "usage": none, "runsWithoutPrice": 0 });
    assert_eq!(nothing, expected);
    let mut run = Value::Null;
    for _ in 0..2 {
        let id = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
        run = fixture.run(&id).await;
    }
    // 500 × 3 + 400 × 0.3 + 100 × 3.75 + 100 × 15 millionths of a dollar for each reply.
    let usage = json!({ "inputTokens": 2000, "outputTokens": 200, "cacheReadTokens": 800, "cacheWriteTokens": 200,
        "costUsd": "0.00699" });
    assert_eq!((&run["usage"], &run["replies"], &run["budgets"]), (&usage, &json!(2), &json!({})));
    let total = fixture.ok(&fixture.viewer, "GET", &used, None).await;
    assert_eq!((&total["runs"], &total["replies"]), (&json!(2), &json!(4)));
    assert_eq!(
        (&total["usage"]["costUsd"], &total["usage"]["inputTokens"]),
        (&json!("0.01398"), &json!(4000))
    );
    let log = fixture.ok(&fixture.viewer, "GET", "/api/audit?kind=agent.run_ended", None).await;
    assert_eq!(log["rows"].as_array().unwrap().len(), 2, "{log}");
    let body = &log["rows"][0]["body"];
    let tokens = json!({ "input_tokens": 2000, "output_tokens": 200, "cache_read_tokens": 800,
        "cache_write_tokens": 200 });
    let expected = json!({ "agent": agent, "run": run["id"], "reason": "stop", "replies": 2, "usage": tokens,
        "cost_usd": "0.00699" });
    assert_eq!(*body, expected);
    for role in [&fixture.agent] {
        assert_eq!(fixture.send(role, "GET", &used, None).await.status, 403);
    }
    let nobody = "/api/agents/0198c0de-0000-7000-8000-000000000001/usage";
    assert_eq!(fixture.error(&fixture.viewer, "GET", nobody, None).await, (404, "NotFound".into()));
}

#[tokio::test]
async fn run_without_a_price_has_tokens_and_no_cost() {
    let fixture = RunsFixture::new().await;
    let agent = fixture.agent("free", script(), &["note"]).await;
    let id = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let run = fixture.run(&id).await;
    assert_eq!((&run["usage"]["inputTokens"], run["usage"].get("costUsd")), (&json!(2000), None));
    let used = fixture.ok(&fixture.viewer, "GET", &format!("/api/agents/{agent}/usage"), None).await;
    assert_eq!((&used["runsWithoutPrice"], used["usage"].get("costUsd")), (&json!(1), None));
    let log = fixture.ok(&fixture.viewer, "GET", "/api/audit?kind=agent.run_ended", None).await;
    assert_eq!(log["rows"][0]["body"].get("cost_usd"), None);
}

#[tokio::test]
async fn run_ends_before_the_request_that_could_exceed_its_cost_budget() {
    let fixture = RunsFixture::new().await;
    // A reply can cost 1.5 cents, and the first one costs about 0.35.
    let agent = priced(&fixture, json!({ "maxTokens": 1000, "costBudgetUsd": "0.018" })).await;
    let run = fixture.execute(&agent).await;
    assert_eq!((&run["finish_reason"], &run["status"]), (&json!("budget"), &json!("completed")), "{run}");
    let error = run["error"].as_str().unwrap();
    assert!(
        error.starts_with("the next reply can cost 0.01") && error.ends_with("0.014505 are left"),
        "{error}"
    );
    let view = fixture.run(run["id"].as_str().unwrap()).await;
    assert_eq!((&view["replies"], &view["budgets"]), (&json!(1), &json!({ "costUsd": "0.018" })));
    assert_eq!(fixture.notes(), ["a"], "the call of the first reply ran");
    let log = fixture.ok(&fixture.viewer, "GET", "/api/audit?kind=agent.run_ended", None).await;
    assert_eq!(log["rows"][0]["body"]["reason"], "budget");
}

#[tokio::test]
async fn cost_budget_needs_a_price() {
    let fixture = RunsFixture::new().await;
    let body = |model: &str, budget: Value| json!({ "name": "costly", "provider": "scripted", "model": model, "costBudgetUsd": budget });
    for (model, budget, expected) in [
        ("unpriced", json!("1"), "its model `unpriced` has no price"),
        ("priced", json!("0"), "must be more than 0"),
        ("priced", json!("-1"), "is not an amount of dollars"),
        ("priced", json!("1e3"), "is not an amount of dollars"),
    ] {
        let response =
            fixture.send(&fixture.admin, "POST", "/api/agents", Some(body(model, budget.clone()))).await;
        let error = response.json()["error"].clone();
        assert_eq!((response.status, &error["field"]), (400, &json!("costBudgetUsd")), "{budget}: {error}");
        assert!(error["message"].as_str().unwrap().contains(expected), "{error}");
    }
    let number = fixture.send(&fixture.admin, "POST", "/api/agents", Some(body("priced", json!(1)))).await;
    assert_eq!(number.status, 400);
    let message = number.json()["error"]["message"].clone();
    assert!(message.as_str().unwrap().contains("`costBudgetUsd`"), "{message}");
    let made = fixture.ok(&fixture.admin, "POST", "/api/agents", Some(body("priced", json!("1.50")))).await;
    assert_eq!(made["settings"]["costBudgetUsd"], "1.5");
    let path = format!("/api/agents/{}", made["id"].as_str().unwrap());
    let changed = fixture.error(&fixture.admin, "PUT", &path, Some(body("unpriced", json!("1.50")))).await;
    assert_eq!(changed, (400, "InvalidRequest".into()));
}
