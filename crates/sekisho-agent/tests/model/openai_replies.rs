//! Whole replies of OpenAI and of servers that speak its interface.

use sekisho_agent::conversation::Provider::Openai;
use sekisho_agent::model::Usage;
use serde_json::{Value, json};

use super::fixture::{DONE, Fixture, chunk, data, request, shown};
use super::server_double::{Answer, Delivery};

async fn reply(body: &str, delivery: Delivery) -> (String, Usage, Fixture) {
    let fixture = Fixture::new(Openai, [Answer::stream(body).delivered(delivery)]).await;
    let reply = fixture.ask(&request()).await.unwrap();
    (shown(&reply), reply.usage, fixture)
}

#[track_caller]
fn usage_chunk(usage: Value) -> String {
    data(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage }))
}

#[tokio::test]
async fn text_and_two_calls_as_openai_sends_them() {
    let start = |index: u64, id: &str, name: &str| {
        let function = json!({ "name": name, "arguments": "" });
        chunk(
            json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": function }] }),
            None,
        )
    };
    let more = |index: u64, text: &str| {
        chunk(json!({ "tool_calls": [{ "index": index, "function": { "arguments": text } }] }), None)
    };
    let body = [
        chunk(json!({ "role": "assistant", "content": "", "refusal": null }), None),
        chunk(json!({ "content": "Let me" }), None),
        chunk(json!({ "content": " look." }), None),
        start(0, "call_1", "get_weather"),
        more(0, "{\"city\""),
        more(0, ":\"Oslo\"}"),
        start(1, "call_2", "get_time"),
        more(1, "{}"),
        chunk(json!({}), Some("tool_calls")),
        usage_chunk(json!({
            "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": { "cached_tokens": 64, "cache_write_tokens": 8 },
            "completion_tokens_details": { "reasoning_tokens": 4 },
        })),
        DONE.into(),
    ]
    .concat();
    for delivery in [Delivery::Whole, Delivery::ByteByByte] {
        let (shown, usage, fixture) = reply(&body, delivery).await;
        let expected =
            "\"Let me look.\" get_weather#call_1{\"city\":\"Oslo\"} get_time#call_2{} -> tool_calls";
        assert_eq!(shown, expected);
        assert_eq!(usage, Usage { input: 100, output: 20, cache_read: 64, cache_write: 8 });
        assert_eq!(fixture.pieces.text(), "Let me look.");
        let inputs = [("call_1", "{\"city\":\"Oslo\"}"), ("call_2", "{}")];
        assert_eq!(fixture.pieces.inputs(), inputs.map(|(id, text)| (id.to_owned(), text.to_owned())));
    }
}

#[tokio::test]
async fn replies_of_compatible_servers() {
    let ollama = [
        chunk(json!({ "role": "assistant", "content": "", "reasoning": "hmm" }), None),
        chunk(
            json!({ "role": "assistant", "content": "", "tool_calls": [
                { "id": "call_o", "index": 0, "type": "function", "function": { "name": "f", "arguments": "{\"x\":1}" } },
            ] }),
            None,
        ),
        chunk(json!({ "role": "assistant", "content": "" }), Some("tool_calls")),
        DONE.into(),
    ];
    let vllm = [
        chunk(json!({ "role": "assistant", "content": "" }), None),
        chunk(json!({ "reasoning": "hmm" }), None),
        chunk(
            json!({ "tool_calls": [{ "id": "functions.f:0", "type": "function", "index": 0, "function": { "name": "f" } }] }),
            None,
        ),
        chunk(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "{\"x\":1}" } }] }), None),
        data(
            &json!({ "choices": [{ "index": 0, "delta": { "content": "" }, "finish_reason": "stop", "stop_reason": null, "token_ids": [1] }] }),
        ),
        DONE.into(),
    ];
    let llama = [
        chunk(json!({ "role": "assistant", "content": null }), None),
        chunk(json!({ "reasoning_content": "hmm" }), None),
        chunk(
            json!({ "tool_calls": [{ "index": 0, "type": "function", "function": { "name": "f", "arguments": "{" } }] }),
            None,
        ),
        chunk(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "\"x\":1}" } }] }), None),
        ":\n\n".into(),
        data(
            &json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }], "timings": { "n": 1 } }),
        ),
        DONE.into(),
    ];
    let router = [
        ": OPENROUTER PROCESSING\n\n".into(),
        data(
            &json!({ "provider": "P", "choices": [{ "index": 0, "delta": { "content": "hi", "reasoning_details": [] }, "finish_reason": null, "native_finish_reason": null }] }),
        ),
        data(
            &json!({ "choices": [{ "index": 0, "delta": { "content": "" }, "finish_reason": "stop", "native_finish_reason": "STOP" }], "usage": { "prompt_tokens": 3, "completion_tokens": 1, "cost": 0.1 } }),
        ),
        DONE.into(),
    ];
    for (body, expected) in [
        (ollama.concat(), "f#call_o{\"x\":1} -> tool_calls"),
        (vllm.concat(), "f#functions.f:0{\"x\":1} -> tool_calls"),
        (llama.concat(), "f#call_1_1{\"x\":1} -> tool_calls"),
        (router.concat(), "\"hi\" -> end_turn"),
    ] {
        assert_eq!(reply(&body, Delivery::Whole).await.0, expected);
    }
}

#[tokio::test]
async fn reasons_to_stop() {
    for (delta, reason, expected) in [
        (json!({ "content": "x" }), "stop", "\"x\" -> end_turn"),
        (json!({}), "stop", "-> end_turn"),
        (json!({ "content": "x" }), "length", "\"x\" -> length"),
        (json!({ "content": "x" }), "content_filter", "\"x\" -> refusal"),
        (json!({ "refusal": "No." }), "stop", "\"No.\" -> refusal"),
        (json!({ "content": "x", "refusal": "No." }), "length", "\"x\" \"No.\" -> length"),
        (json!({ "content": "x" }), "function_call", "\"x\" -> other:function_call"),
        (json!({ "content": "x" }), "new_reason", "\"x\" -> other:new_reason"),
    ] {
        let body = [chunk(delta, None), chunk(json!({}), Some(reason)), DONE.into()].concat();
        assert_eq!(reply(&body, Delivery::Whole).await.0, expected);
    }
}

#[tokio::test]
async fn counts_may_come_in_every_chunk_or_not_at_all() {
    let stop = chunk(json!({}), Some("stop"));
    let usage =
        |input: u64, output: u64| usage_chunk(json!({ "prompt_tokens": input, "completion_tokens": output }));
    for (body, expected) in [
        (stop.clone(), (0, 0)),
        ([usage(5, 1), usage(5, 2), stop.clone(), usage(5, 3), DONE.into()].concat(), (5, 3)),
        ([stop, usage_chunk(json!({ "prompt_tokens": "x" })), DONE.into()].concat(), (0, 0)),
    ] {
        let (_, usage, _) = reply(&body, Delivery::Whole).await;
        assert_eq!((usage.input, usage.output), expected);
    }
}
