//! Listing runs, and who sees them.

use sekisho_gate::answer::Role;
use serde_json::{Value, json};

use super::runs_fixture::{RunsFixture, call};

fn ids(list: &Value) -> Vec<String> {
    list["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn runs_are_listed_newest_first_and_in_pages() {
    let fixture = RunsFixture::new().await;
    let done = fixture.agent("done", json!([{ "text": "a" }]), &[]).await;
    let waits = fixture.agent("waits", json!([{ "calls": [call("risky", "a")] }]), &["risky"]).await;
    let mut expected = Vec::new();
    for agent in [&done, &waits, &done] {
        expected.insert(0, fixture.execute(agent).await["id"].as_str().unwrap().to_owned());
    }
    let list =
        async |query: &str| fixture.ok(&fixture.viewer, "GET", &format!("/api/runs{query}"), None).await;
    assert_eq!(ids(&list("").await), expected);
    assert_eq!(ids(&list("?active=true").await), expected[1..2]);
    assert_eq!(ids(&list(&format!("?agentId={done}")).await), [expected[0].clone(), expected[2].clone()]);
    let page = list("?limit=2").await;
    assert_eq!((ids(&page), &page["next"]), (expected[..2].to_vec(), &json!(expected[1])));
    let last = list(&format!("?limit=2&before={}", expected[1])).await;
    assert_eq!((ids(&last), last.get("next")), (expected[2..].to_vec(), None));
    let error = fixture.error(&fixture.viewer, "GET", "/api/runs?limit=0", None).await;
    assert_eq!(error, (400, "InvalidRequest".into()));
}

#[tokio::test]
async fn agent_sees_only_the_runs_that_it_started() {
    let fixture = RunsFixture::new().await;
    let agent = fixture.agent("builder", json!([{ "text": "secret" }]), &[]).await;
    let others = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let body = || Some(json!({ "agent_id": agent, "input": "go" }));
    let own = fixture.ok(&fixture.agent, "POST", "/api/execute-with-tools", body()).await;
    let own = own["id"].as_str().unwrap().to_owned();
    let seen = ids(&fixture.ok(&fixture.agent, "GET", "/api/runs", None).await);
    assert_eq!(seen, std::slice::from_ref(&own));
    for path in ["", "/messages", "/events"] {
        let seen = fixture.send(&fixture.agent, "GET", &format!("/api/runs/{own}{path}"), None).await;
        assert_eq!(seen.status, 200, "{path}");
        let error = fixture.error(&fixture.agent, "GET", &format!("/api/runs/{others}{path}"), None).await;
        assert_eq!(error, (404, "NotFound".into()), "{path}");
    }
    let stranger = fixture.server.token_named("stranger", Role::Agent).await;
    let error = fixture.error(&stranger, "GET", &format!("/api/runs/{own}"), None).await;
    assert_eq!(error.0, 404);
    // An agent answers no call, not even of its own run.
    for verb in ["approve-tool-call", "decline-tool-call", "abort", "messages"] {
        let path = format!("/api/runs/{own}/{verb}");
        assert_eq!(
            fixture.error(&fixture.agent, "POST", &path, Some(json!({}))).await,
            (403, "Forbidden".into())
        );
    }
}
