//! Approving a delegation shows what it grants.

use serde_json::{Value, json};

use super::super::runs::runs_fixture::RunsFixture;
use super::{create_with, delegate};

#[tokio::test]
async fn question_shows_the_sub_agent_beside_its_parent() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let fixture = RunsFixture::with_projects(vec![root.clone()]).await;
    fixture.agent("child", json!([{ "text": "Hello." }]), &[]).await;
    let more = json!({ "system_prompt": "Review the docs.", "enabled_tools": ["file_write"],
        "tool_config": { "file_write": { "allowed_dirs": ["doc/a"] } } });
    let settings = json!({ "mode": "approval", "workspace": root, "tokenBudget": 100000 });
    let agent = fixture
        .agent_with("parent", delegate(create_with("child", more)), &["file_write", "note"], settings)
        .await;
    let view = fixture.orchestrate(&agent).await;
    let form = shown(&fixture, &view).await;
    assert_eq!(
        (&form["form"], &form["agent"], &form["parent"]),
        (&json!("delegation"), &json!("parent/child"), &json!("parent"))
    );
    assert_eq!(form["prompt"], "Review the docs.");
    check(&form, "model", "", (Some("child"), Some("parent")));
    check(&form, "tool", "file_write", (Some("allowed_dirs: doc/a"), Some("allowed_dirs: doc")));
    check(&form, "tool", "note", (None, Some("")));
    check(&form, "limit", "max_tokens", (Some("100000"), Some("100000")));
    // Starting it shows the same, and its task.
    let approve = format!("/api/orchestrations/{}/approve", view["id"].as_str().unwrap());
    let view = fixture.ok(&fixture.approver, "POST", &approve, Some(json!({}))).await;
    let form = shown(&fixture, &view).await;
    assert_eq!(
        (&form["form"], &form["task"], &form["prompt"]),
        (&json!("delegation"), &json!("go"), &json!("Review the docs."))
    );
    // If the parent loses something meanwhile, the answer does not hold for what was shown.
    fixture.enable(&agent, &["note"], false).await;
    let view = fixture.ok(&fixture.approver, "POST", &approve, Some(json!({}))).await;
    assert_eq!(view["sub_agents"].as_array(), None, "{view}");
}

async fn shown(fixture: &RunsFixture, view: &Value) -> Value {
    let approval = view["pending"][0]["approval_id"].as_str().unwrap();
    fixture.ok(&fixture.viewer, "GET", &format!("/api/approvals/{approval}"), None).await["shown"]["form"]
        .clone()
}

fn check(form: &Value, item: &str, name: &str, expected: (Option<&str>, Option<&str>)) {
    let rows = form["rows"].as_array().unwrap();
    let row = rows
        .iter()
        .find(|row| row["item"] == item && row["name"] == name)
        .unwrap_or_else(|| panic!("{form}"));
    assert_eq!((row["agent"].as_str(), row["parent"].as_str()), expected, "{form}");
}
