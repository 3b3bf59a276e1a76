//! The requests that Anthropic receives.

use sekisho_agent::conversation::Provider::Anthropic;
use sekisho_agent::conversation::{AssistantPart, CallInput, CallResult, Message, ToolCall};
use sekisho_agent::model::{ModelErrorCode, ModelRequest};
use serde_json::{Value, json};

use super::conversation::conversation;
use super::fixture::{
    Fixture, KEY, block_delta, block_start, block_stop, call_start, message, request, text_block,
};
use super::server_double::{Answer, Received};

/// Sends a request and returns it as it was received.
async fn sent(request: &ModelRequest) -> Received {
    let fixture = Fixture::new(Anthropic, [Answer::stream(message(text_block(0, "hi"), "end_turn"))]).await;
    fixture.ask(request).await.unwrap();
    fixture.double.received().remove(0)
}

#[tokio::test]
async fn head_of_a_request() {
    let received = sent(&request()).await;
    assert!(received.head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{}", received.head);
    for (name, value) in [
        ("x-api-key", Some(KEY)),
        ("authorization", None),
        ("anthropic-version", Some("2023-06-01")),
        ("content-type", Some("application/json")),
        ("accept-encoding", Some("identity")),
    ] {
        assert_eq!(received.header(name), value, "{name}");
    }
}

#[tokio::test]
async fn smallest_request() {
    let content = json!([{ "type": "text", "text": "hello", "cache_control": { "type": "ephemeral" } }]);
    let expected = json!({
        "model": "test-model", "max_tokens": 100, "stream": true,
        "messages": [{ "role": "user", "content": content }],
    });
    assert_eq!(sent(&request()).await.body, expected);
}

#[tokio::test]
async fn whole_conversation() {
    let cached = json!({ "type": "ephemeral" });
    let schema = json!({ "type": "object", "properties": { "x": { "type": "number" } } });
    let expected = json!({
        "model": "test-model", "max_tokens": 100, "stream": true, "temperature": 0.5,
        "system": [{ "type": "text", "text": "Be brief.", "cache_control": cached }],
        "tools": [
            { "name": "read", "description": "Does read.", "input_schema": schema },
            { "name": "grep", "description": "Does grep.", "input_schema": schema, "cache_control": cached },
        ],
        "messages": [
            { "role": "user", "content": [{ "type": "text", "text": "Look at both.", "cache_control": cached }] },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "hm", "signature": "s" },
                { "type": "text", "text": "I will." },
                { "type": "tool_use", "id": "a", "name": "read", "input": { "x": 1 } },
                { "type": "tool_use", "id": "functions_no_such_tool_1", "name": "no_such_tool",
                  "input": { "unreadable_input": "{\"x" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "content": "one" },
                { "type": "tool_result", "tool_use_id": "functions_no_such_tool_1", "content": "Unknown tool",
                  "is_error": true },
                { "type": "text", "text": "And then?", "cache_control": cached },
            ] },
        ],
    });
    assert_eq!(sent(&conversation()).await.body, expected);
}

fn cache_marks(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(cache_marks).sum(),
        Value::Object(fields) => {
            usize::from(fields.contains_key("cache_control"))
                + fields.values().map(cache_marks).sum::<usize>()
        }
        _ => 0,
    }
}

#[tokio::test]
async fn long_conversations_have_four_cache_marks() {
    let mut request = conversation();
    for number in 0..20 {
        let id = format!("call{number}");
        let call = ToolCall { id: id.clone(), name: "read".into(), input: CallInput::Object(json!({})) };
        request.messages.push(Message::Assistant { parts: vec![AssistantPart::Call(call)] });
        let result = CallResult { call_id: id, name: "read".into(), content: String::new(), is_error: false };
        request.messages.push(Message::Tools { results: vec![result] });
    }
    let body = sent(&request).await.body;
    assert_eq!(cache_marks(&body), 4);
    let messages = body["messages"].as_array().unwrap();
    let marked: Vec<usize> = (0..messages.len()).filter(|place| cache_marks(&messages[*place]) > 0).collect();
    assert_eq!(marked, [messages.len() - 3, messages.len() - 1]);
}

#[tokio::test]
async fn replies_are_sent_back_as_they_came() {
    let thinking = json!({ "type": "thinking", "thinking": "", "signature": "" });
    let redacted = json!({ "type": "redacted_thinking", "data": "Em0B" });
    let unknown = json!({ "type": "hologram", "depth": [1.5, null, { "é": "😀" }] });
    let blocks = vec![
        block_start(0, thinking),
        block_delta(0, json!({ "type": "thinking_delta", "thinking": "hm" })),
        block_delta(0, json!({ "type": "signature_delta", "signature": "EqQB" })),
        block_stop(0),
        block_start(1, redacted.clone()),
        block_stop(1),
        call_start(2, "toolu_1", "read"),
        block_stop(2),
        block_start(3, unknown.clone()),
        block_stop(3),
    ];
    let answers = [message(blocks, "tool_use"), message(text_block(0, "hi"), "end_turn")];
    let fixture = Fixture::new(Anthropic, answers.map(Answer::stream)).await;
    let mut request = request();
    let reply = fixture.ask(&request).await.unwrap();
    let stored = serde_json::to_string(&Message::Assistant { parts: reply.parts }).unwrap();
    request.messages.push(serde_json::from_str(&stored).unwrap());
    fixture.ask(&request).await.unwrap();
    let body = &fixture.double.received()[1].body;
    let call = json!({ "type": "tool_use", "id": "toolu_1", "name": "read", "input": {} });
    let signed = json!({ "type": "thinking", "thinking": "hm", "signature": "EqQB" });
    assert_eq!(body["messages"][1]["content"], json!([signed, redacted, call, unknown]));
    let result = &body["messages"][2]["content"][0];
    assert_eq!((&result["tool_use_id"], &result["is_error"]), (&json!("toolu_1"), &json!(true)), "{result}");
}

#[tokio::test]
async fn calls_are_declared_when_no_tools_are_left() {
    let mut request = conversation();
    request.tools.clear();
    let body = sent(&request).await.body;
    let tool = |name: &str| json!({ "name": name, "input_schema": { "type": "object" } });
    assert_eq!(body.get("tools"), Some(&json!([tool("no_such_tool"), tool("read")])));
    assert_eq!(body.get("tool_choice"), Some(&json!({ "type": "none" })));
}

#[tokio::test]
async fn tools_with_other_names_are_refused() {
    for name in ["", "a.b", "grüße", &"x".repeat(65)] {
        let mut request = conversation();
        request.tools[1].name = name.into();
        let fixture = Fixture::new(Anthropic, []).await;
        let error = fixture.ask(&request).await.unwrap_err();
        assert_eq!(error.code, ModelErrorCode::BadRequest);
        assert!(error.message.contains(&format!("The tool `{name}` cannot be offered")), "{error}");
        assert!(fixture.double.received().is_empty());
    }
}
