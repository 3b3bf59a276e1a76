//! The requests that OpenAI and compatible servers receive.

use sekisho_agent::conversation::Provider::Openai;
use sekisho_agent::model::providers::{MaxTokensField, ProviderConfig};
use sekisho_agent::model::{ModelErrorCode, ModelRequest};
use serde_json::json;

use super::conversation::conversation;
use super::fixture::{DONE, Fixture, KEY, chunk, request};
use super::server_double::{Answer, Received};

/// Sends a request and returns it as it was received.
async fn sent(request: &ModelRequest, change: impl FnOnce(&mut ProviderConfig)) -> Received {
    let body = [chunk(json!({ "content": "hi" }), Some("stop")).as_str(), DONE].concat();
    let fixture = Fixture::with_config(Openai, [Answer::stream(body)], change).await;
    fixture.ask(request).await.unwrap();
    fixture.double.received().remove(0)
}

#[tokio::test]
async fn head_of_a_request() {
    let received = sent(&request(), |_| {}).await;
    let bearer = format!("Bearer {KEY}");
    assert_eq!(received.header("authorization"), Some(bearer.as_str()));
    assert_eq!(received.header("accept-encoding"), Some("identity"));
    let received = sent(&request(), |config| config.key = None).await;
    assert_eq!(received.header("authorization"), None);
}

#[tokio::test]
async fn smallest_request() {
    let expected = json!({
        "model": "test-model", "max_tokens": 100, "stream": true, "stream_options": { "include_usage": true },
        "messages": [{ "role": "user", "content": "hello" }],
    });
    assert_eq!(sent(&request(), |_| {}).await.body, expected);
}

#[tokio::test]
async fn whole_conversation() {
    let schema = json!({ "type": "object", "properties": { "x": { "type": "number" } } });
    let tool = |name: &str| {
        json!({ "type": "function", "function": {
            "name": name, "description": format!("Does {name}."), "parameters": schema,
        } })
    };
    let call = |id: &str, name: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    let expected = json!({
        "model": "test-model", "max_completion_tokens": 100, "stream": true, "temperature": 0.5,
        "stream_options": { "include_usage": true },
        "tools": [tool("read"), tool("grep")],
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "Look at both." },
            { "role": "assistant", "content": "I will.\n", "tool_calls": [
                call("a", "read", "{\"x\":1}"),
                call("functions.no such tool:1", "no_such_tool", "{\"unreadable_input\":\"{\\\"x\"}"),
            ] },
            { "role": "tool", "tool_call_id": "a", "content": "one" },
            { "role": "tool", "tool_call_id": "functions.no such tool:1", "content": "Error: Unknown tool" },
            { "role": "user", "content": "And then?" },
        ],
    });
    let field = Some(MaxTokensField::MaxCompletionTokens);
    assert_eq!(sent(&conversation(), |config| config.max_tokens_field = field).await.body, expected);
}

#[tokio::test]
async fn tools_must_be_acceptable() {
    let mut strange = conversation();
    strange.tools[0].name = "a b".into();
    let mut many = conversation();
    many.tools = vec![many.tools[0].clone(); 129];
    for (request, words) in
        [(strange, "The tool `a b` cannot be offered"), (many, "129 tools are more than the 128")]
    {
        let fixture = Fixture::new(Openai, []).await;
        let error = fixture.ask(&request).await.unwrap_err();
        assert_eq!(error.code, ModelErrorCode::BadRequest);
        assert!(error.message.contains(words), "{error}");
    }
}

#[tokio::test]
async fn fields_that_a_model_does_not_take_are_left_out() {
    let refusal = |field: &str| {
        let error = json!({ "message": "m", "type": "invalid_request_error", "param": field, "code": "unsupported_value" });
        Answer::new("400 X", "", json!({ "error": error }).to_string())
    };
    let good = Answer::stream([chunk(json!({ "content": "hi" }), Some("stop")).as_str(), DONE].concat());
    let fixture = Fixture::new(Openai, [refusal("temperature"), refusal("max_tokens"), good]).await;
    fixture.ask(&conversation()).await.unwrap();
    let received = fixture.double.received();
    let fields = ["temperature", "max_tokens", "max_completion_tokens"];
    let sent = received.iter().map(|received| fields.map(|field| received.body.get(field).is_some()));
    assert_eq!(sent.collect::<Vec<_>>(), [[true, true, false], [false, true, false], [false, false, true]]);
    assert!(fixture.clock.waits().is_empty());

    for field in ["tools", "temperature"] {
        let fixture = Fixture::new(Openai, vec![refusal(field); 5]).await;
        assert_eq!(fixture.ask(&conversation()).await.unwrap_err().code, ModelErrorCode::BadRequest);
        assert_eq!(fixture.double.received().len(), if field == "tools" { 1 } else { 2 });
    }
}
