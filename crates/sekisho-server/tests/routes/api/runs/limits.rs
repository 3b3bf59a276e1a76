//! Limits of runs: how many are active at once, and what one may spend.

use sekisho_testkit::agent_fixture::MOST_ACTIVE_RUNS;
use serde_json::json;

use super::runs_fixture::{RunsFixture, call};

#[tokio::test]
async fn active_runs_of_a_credential_are_limited() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "text": "Hello." }, { "calls": [call("risky", "a")] }, { "text": "b" }]);
    let talks = fixture.agent("talks", script, &["risky"]).await;
    let ended = fixture.execute(&talks).await["id"].as_str().unwrap().to_owned();
    let asks =
        fixture.agent("asks", json!([{ "calls": [call("risky", "a")] }, { "text": "b" }]), &["risky"]).await;
    let mut first = None;
    for _ in 0..MOST_ACTIVE_RUNS {
        let run = fixture.execute(&asks).await;
        assert_eq!(run["status"], "suspended", "a run that waits is active");
        first.get_or_insert(run["id"].as_str().unwrap().to_owned());
    }
    let body = Some(json!({ "agent_id": asks, "input": "go" }));
    let more = async |body| fixture.send(&fixture.approver, "POST", "/api/execute-with-tools", body).await;
    let refused = more(body.clone()).await;
    assert_eq!((refused.status, refused.code()), (429, "RateLimited".into()));
    let error = refused.json()["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("20 active runs, and the limit is 20"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("`sekisho runs abort ID`"), "{error}");

    // Nor does a message make another one active.
    let path = format!("/api/runs/{ended}/messages");
    let message = Some(json!({ "text": "go on" }));
    let error = fixture.error(&fixture.approver, "POST", &path, message.clone()).await;
    assert_eq!(error, (429, "RateLimited".into()));
    // Another credential has a limit of its own.
    fixture.ok(&fixture.admin, "POST", "/api/execute-with-tools", body.clone()).await;

    let path_of_first = format!("/api/runs/{}/abort", first.unwrap());
    fixture.ok(&fixture.approver, "POST", &path_of_first, Some(json!({}))).await;
    assert_eq!(fixture.ok(&fixture.approver, "POST", &path, message).await["status"], "suspended");
    assert_eq!(more(body).await.status, 429);
}

#[tokio::test]
async fn run_ends_with_its_time() {
    let fixture = RunsFixture::new().await;
    let more = json!({ "timeBudgetSeconds": 60 });
    let agent =
        fixture.agent_with("builder", json!([{ "calls": [call("risky", "a")] }]), &["risky"], more).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    fixture.server.advance(61);
    let ended = fixture.ended(&run).await;
    assert_eq!(
        (&ended["status"], &ended["finishReason"]),
        (&json!("completed"), &json!("budget")),
        "{ended}"
    );
    assert_eq!(ended["pending"], json!([]));
}

#[tokio::test]
async fn time_budget_must_be_positive() {
    let fixture = RunsFixture::new().await;
    let body = json!({ "name": "a", "provider": "scripted", "model": "a", "timeBudgetSeconds": 0 });
    let error = fixture.error(&fixture.admin, "POST", "/api/agents", Some(body)).await;
    assert_eq!(error, (400, "InvalidRequest".into()));
}
