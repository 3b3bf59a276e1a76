//! Schemas that callers hand over with their calls.

use sekisho_gate::answer::Role;
use serde_json::{Value, json};

use crate::harness::in_process::{House, Reply};

fn call(id: &str, schema: &Value) -> Value {
    json!({ "toolName": "mail", "input": { "to": "ada" }, "toolUseId": id, "inputSchema": schema })
}

async fn ask(house: &House, id: &str, schema: &Value) -> String {
    let reply = house.post(Role::Agent, "/api/can-use-tool?wait=false", call(id, schema)).await;
    assert_eq!(reply.status, 202, "{schema}");
    reply.json()["id"].as_str().unwrap().to_owned()
}

fn code(refused: &Reply) -> String {
    refused.fault(400);
    refused.json()["error"]["code"].as_str().unwrap().to_owned()
}

fn edit(input: &Value) -> Value {
    json!({ "behavior": "allow", "updatedInput": input })
}

#[tokio::test]
async fn an_edit_is_checked_by_the_schema_that_came_with_the_call() {
    let house = House::new().await;
    let schema = json!({ "type": "object", "properties": { "to": { "type": "string" } } });
    let id = ask(&house, "c1", &schema).await;
    let path = format!("/api/approvals/{id}/answer");
    let refused = house.post(Role::Approver, &path, edit(&json!({ "to": 1 }))).await;
    assert_eq!(code(&refused), "InvalidRequest");
    house.post(Role::Approver, &path, edit(&json!({ "to": "bob" }))).await.ok();
    let told = house.post(Role::Agent, "/api/can-use-tool?wait=false", call("c1", &schema)).await.ok();
    assert_eq!(told["updatedInput"], json!({ "to": "bob" }));
}

#[tokio::test]
async fn a_hostile_schema_is_refused_or_keeps_the_input_as_it_is() {
    let house = House::new().await;
    for schema in [
        json!({ "$ref": "https://example.com/schema.json" }),
        json!({ "$dynamicRef": "#x" }),
        json!({ "type": "nonsense" }),
        json!({ "description": "x".repeat(1 << 20) }),
        (0..60).fold(json!({}), |inner, _| json!({ "not": inner })),
    ] {
        let refused = house.post(Role::Agent, "/api/can-use-tool?wait=false", call("c1", &schema)).await;
        assert_eq!(code(&refused), "SchemaNotTaken", "{schema}");
    }
    let id = ask(&house, "c2", &json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }] })).await;
    let path = format!("/api/approvals/{id}/answer");
    let refused = house.post(Role::Approver, &path, edit(&json!({ "to": "bob" }))).await;
    assert_eq!(code(&refused), "EditNotChecked");
    house.post(Role::Approver, &path, json!({ "behavior": "allow" })).await.ok();
}
