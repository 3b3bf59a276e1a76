//! `/api/tools`.

use axum::http::Method;
use sekisho_gate::answer::Role;
use serde_json::json;

use crate::harness::in_process::TestServer;

#[tokio::test]
async fn tools_have_name_category_and_definition() {
    let server = TestServer::new().await;
    let listed = server.get("/api/tools").await.ok();
    let expected = json!([{
        "name": "counter",
        "category": "ReadOnly",
        "definition": {
            "name": "counter",
            "description": "Counts.",
            "input_schema": { "type": "object", "properties": { "step": { "type": "integer" } } },
        },
    }]);
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn agents_see_no_tools() {
    let server = TestServer::new().await;
    server.send(Role::Agent, Method::GET, "/api/tools", None).await.error_text(403);
}
