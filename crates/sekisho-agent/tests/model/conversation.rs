//! A conversation with everything that a conversation can have.

use sekisho_agent::conversation::{AssistantPart, CallInput, CallResult, Message, Provider, ToolCall};
use sekisho_agent::model::ModelRequest;
use sekisho_tools::ToolDefinition;
use serde_json::{Value, json};

/// A conversation with parallel calls, an error, reasoning, an input that is not an object, and a follow-up.
pub(crate) fn conversation() -> ModelRequest {
    let text = |text: &str| AssistantPart::Text { text: text.into() };
    let call = |id: &str, name: &str, input: CallInput| {
        AssistantPart::Call(ToolCall { id: id.into(), name: name.into(), input })
    };
    let result = |id: &str, name: &str, content: &str, is_error: bool| CallResult {
        call_id: id.into(),
        name: name.into(),
        content: content.into(),
        is_error,
    };
    let opaque = |provider: Provider, value: Value| AssistantPart::Opaque { provider, value };
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: format!("Does {name}."),
        input_schema: json!({ "type": "object", "properties": { "x": { "type": "number" } } }),
    };
    ModelRequest {
        model: "test-model".into(),
        system: Some("Be brief.".into()),
        messages: vec![
            Message::User { text: "Look at both.".into() },
            Message::Assistant {
                parts: vec![
                    opaque(
                        Provider::Anthropic,
                        json!({ "type": "thinking", "thinking": "hm", "signature": "s" }),
                    ),
                    opaque(Provider::Scripted, json!({ "type": "other" })),
                    text("I will."),
                    text("\n"),
                    call("a", "read", CallInput::Object(json!({ "x": 1 }))),
                    call("functions.no such tool:1", "no such tool", CallInput::Unreadable("{\"x".into())),
                ],
            },
            Message::Tools {
                results: vec![
                    result("a", "read", "one", false),
                    result("functions.no such tool:1", "no such tool", "Unknown tool", true),
                ],
            },
            Message::User { text: "And then?".into() },
        ],
        tools: vec![tool("read"), tool("grep")],
        temperature: Some(0.5),
        max_tokens: 100,
    }
}
