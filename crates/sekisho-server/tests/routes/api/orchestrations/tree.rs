//! Runs form a tree in `/api/runs`.

use serde_json::{Value, json};

use super::super::runs::runs_fixture::RunsFixture;
use super::{auto, create, delegate};

#[tokio::test]
async fn runs_show_their_parents_and_children() {
    let fixture = RunsFixture::new().await;
    fixture.agent("child", json!([{ "text": "Hello.", "usage": { "input": 7, "output": 3 } }]), &[]).await;
    let agent = fixture.agent_with("parent", delegate(create("child", json!([]))), &[], auto()).await;
    let view = fixture.orchestrate(&agent).await;
    let (parent, child) = (view["id"].as_str().unwrap(), view["sub_agents"][0]["run_id"].as_str().unwrap());
    let run = fixture.run(parent).await;
    assert_eq!((&run["children"], &run["depth"], run.get("parentId")), (&json!([child]), &json!(0), None));
    assert_eq!((&run["usage"]["inputTokens"], &run["totalUsage"]["inputTokens"]), (&json!(0), &json!(7)));
    let run = fixture.run(child).await;
    assert_eq!(
        (&run["parentId"], &run["depth"], &run["agentName"]),
        (&json!(parent), &json!(1), &json!("parent/child"))
    );
    let ids = |list: Value| -> Vec<String> {
        list["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = ids(fixture.ok(&fixture.viewer, "GET", "/api/runs", None).await);
    assert!(all.contains(&parent.to_owned()) && all.contains(&child.to_owned()));
    let roots = ids(fixture.ok(&fixture.viewer, "GET", "/api/runs?roots=true", None).await);
    assert_eq!(roots, [parent]);
}
