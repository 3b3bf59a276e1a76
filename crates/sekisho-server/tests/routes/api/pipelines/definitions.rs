//! Pipelines are stored by admins, and checked.

use serde_json::{Value, json};

use super::pipeline_fixture::PipelineFixture;

#[tokio::test]
async fn pipelines_are_created_shown_replaced_and_deleted() {
    let fixture = PipelineFixture::new().await;
    let (runs, definition) = (&fixture.runs, PipelineFixture::definition());
    let made = runs.ok(&runs.admin, "POST", "/api/pipelines", Some(definition.clone())).await;
    assert_eq!(made["definition"], definition);
    let path = format!("/api/pipelines/{}", made["id"].as_str().unwrap());
    assert_eq!(runs.ok(&runs.viewer, "GET", &path, None).await, made);
    let again = runs.error(&runs.admin, "POST", "/api/pipelines", Some(definition.clone())).await;
    assert_eq!(again, (409, "NameTaken".into()));
    let mut other = definition;
    other["name"] = json!("other");
    other["timeBudgetSeconds"] = json!(60);
    let replaced = runs.ok(&runs.admin, "PUT", &path, Some(other.clone())).await;
    assert_eq!(replaced["definition"], other);
    let list = runs.ok(&runs.viewer, "GET", "/api/pipelines", None).await;
    assert_eq!(list["pipelines"], json!([replaced]));
    runs.ok(&runs.admin, "DELETE", &path, None).await;
    assert_eq!(runs.error(&runs.viewer, "GET", &path, None).await.0, 404);
    let found = runs.ok(&runs.viewer, "GET", "/api/audit?kind=pipeline.created", None).await;
    assert_eq!(found["rows"].as_array().unwrap().len(), 1, "{found}");
}

#[tokio::test]
async fn wrong_fields_are_named() {
    let fixture = PipelineFixture::new().await;
    let runs = &fixture.runs;
    let check = async |change: &dyn Fn(&mut Value), status: u16, field: &str, words: &str| {
        let mut definition = PipelineFixture::definition();
        change(&mut definition);
        let body = Some(json!({ "definition": definition, "input": "cats" }));
        let refused = runs.send(&runs.approver, "POST", "/api/pipeline-runs", body).await;
        let error = refused.json()["error"].clone();
        assert_eq!((refused.status, &error["field"]), (status, &json!(field)), "{error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    };
    let stage = |at: usize, field: &'static str, value: Value| {
        move |definition: &mut Value| definition["stages"][at][field] = value.clone()
    };
    check(&stage(0, "agent", json!("nobody")), 400, "stages[0].agent", "there is no agent `nobody`").await;
    check(&stage(1, "prompt", json!("go")), 400, "stages[1].prompt", "needs `{{previous}}`").await;
    check(&stage(1, "enabledTools", json!(["x"])), 400, "stages[1].enabledTools", "Unknown tool: x").await;
    check(&stage(1, "enabledTools", json!(["slow"])), 403, "stages[1].enabledTools", "`slow` is not enabled")
        .await;
    check(&stage(2, "tokenBudget", json!(0)), 400, "stages[2].tokenBudget", "at least 1").await;
    check(
        &stage(2, "toolConfig", json!({ "read": { "nonsense": 1 } })),
        400,
        "stages[2].toolConfig",
        "nonsense",
    )
    .await;
    let refused = runs
        .send(&runs.approver, "POST", "/api/pipeline-runs", Some(json!({ "definition": { "name": "x" } })))
        .await;
    assert!(refused.status == 400 && refused.json()["error"]["message"].to_string().contains("stages"));
}

#[tokio::test]
async fn input_is_given_exactly_where_it_is_taken() {
    let fixture = PipelineFixture::new().await;
    let runs = &fixture.runs;
    let refused = async |definition: Value, input: Option<&str>, words: &str| {
        let body = Some(json!({ "definition": definition, "input": input }));
        let refused = runs.send(&runs.approver, "POST", "/api/pipeline-runs", body).await;
        let error = refused.json()["error"].clone();
        assert_eq!((refused.status, &error["field"]), (400, &json!("input")), "{error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    };
    refused(PipelineFixture::definition(), None, "needs an input").await;
    refused(PipelineFixture::definition(), Some("  "), "needs an input").await;
    let without = json!({ "name": "x", "stages": [{ "agent": "first", "prompt": "go" }] });
    refused(without, Some("cats"), "takes no input").await;
}
