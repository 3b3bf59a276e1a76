//! `generate`: one output instead of a stream.

use serde_json::{Value, json};

use crate::routes::api::runs::runs_fixture::{RunsFixture, call};

async fn generate(fixture: &RunsFixture, route: &str, body: Value) -> Value {
    fixture.ok(&fixture.approver, "POST", &format!("/mastra/api/agents/writer/{route}"), Some(body)).await
}

#[tokio::test]
async fn output_is_suspended_until_the_calls_are_answered() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "text": "I write.", "calls": [call("risky", "a"), call("risky", "b")], "usage": { "input": 10, "output": 5 } },
        { "text": "Done.", "usage": { "input": 20, "output": 2 } },
    ]);
    fixture.agent("writer", script, &["risky"]).await;
    let asked = generate(&fixture, "generate", json!({ "messages": "go" })).await;
    assert_eq!(
        (&asked["finishReason"], &asked["text"], &asked["usage"]),
        (&json!("suspended"), &json!(""), &json!({}))
    );
    assert_eq!(asked["suspendPayload"]["toolCallId"], "call_1_1");
    assert_eq!(asked["toolCalls"].as_array().unwrap().len(), 2);
    let run = asked["runId"].clone();

    let again =
        generate(&fixture, "approve-tool-call-generate", json!({ "runId": run, "toolCallId": "call_1_1" }))
            .await;
    assert_eq!(
        (&again["finishReason"], &again["suspendPayload"]["toolCallId"]),
        (&json!("suspended"), &json!("call_1_2"))
    );
    let body = json!({ "runId": run, "toolCallId": "call_1_2", "reason": "no" });
    let whole = generate(&fixture, "decline-tool-call-generate", body).await;
    assert_eq!((&whole["finishReason"], &whole["text"]), (&json!("stop"), &json!("I write.Done.")));
    assert!(whole.get("suspendPayload").is_none());
    let results: Vec<&str> = whole["toolResults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["type"].as_str().unwrap())
        .collect();
    assert_eq!(results, ["tool-result", "tool-output-denied"]);
    assert_eq!(whole["totalUsage"]["totalTokens"], 37);
    let steps = whole["steps"].as_array().unwrap();
    let kinds: Vec<&str> = steps.iter().map(|step| step["stepType"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["initial", "tool-result"]);
    assert_eq!((&steps[1]["text"], &steps[1]["finishReason"]), (&json!("Done."), &json!("stop")));
    assert_eq!(fixture.notes(), ["a"]);
}
