//! Streams of OpenAI-compatible servers that are cut, broken or unusual.

use sekisho_agent::conversation::Provider::Openai;
use sekisho_agent::model::ModelErrorCode::{BadReply, Cut, Overloaded, ProviderFailed};
use serde_json::{Value, json};

use super::fixture::Outcome::{Failed, Reply, Retried};
use super::fixture::{DONE, Fixture, call_chunk, check_all, chunk, data, request};
use super::server_double::Answer;

#[tokio::test]
async fn openai_streams_that_end_early_are_cut() {
    let hi = chunk(json!({ "content": "hi" }), None);
    let call = call_chunk(json!([{ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{}" } }]));
    let empty = chunk(json!({ "content": "" }), None);
    check_all(
        Openai,
        vec![
            ("done without a reason", [hi.as_str(), DONE].concat().into(), Retried(Cut)),
            ("no end", hi.clone().into(), Retried(Cut)),
            ("a call without a reason", [call.as_str(), DONE].concat().into(), Retried(Cut)),
            ("as Ollama fails", [hi.as_str(), &empty].concat().into(), Retried(Cut)),
            ("inside a chunk", [hi.as_str(), "data: {\"choices\":[{\"fin"].concat().into(), Retried(Cut)),
        ],
    )
    .await;
}

#[tokio::test]
async fn openai_framing_may_vary() {
    let (hi, stop) = (chunk(json!({ "content": "hi" }), None), chunk(json!({}), Some("stop")));
    let reply = Reply("\"hi\" -> end_turn");
    let body = |parts: &[&str]| parts.concat().into_bytes();
    let whole = [hi.as_str(), &stop, DONE].concat();
    let other = data(
        &json!({ "choices": [{ "index": 1, "delta": { "content": "no" }, "finish_reason": "length" }] }),
    );
    let smile = chunk(json!({ "content": "😀" }), None);
    check_all(
        Openai,
        vec![
            ("no done", body(&[&hi, &stop]), reply.clone()),
            ("no line end", body(&[&hi, stop.trim_end()]), reply.clone()),
            ("one line end", body(&[&hi, stop.trim_end(), "\n"]), reply.clone()),
            ("chunks after done", body(&[&whole, &hi]), reply.clone()),
            ("a space after done", body(&[&hi, &stop, "data: [DONE] \n\n"]), reply.clone()),
            ("done without a line end", body(&[&hi, &stop, "data: [DONE]"]), reply.clone()),
            ("comments", body(&[": OPENROUTER PROCESSING\n\n", &hi, ":\n\n", &stop, DONE]), reply.clone()),
            ("CR LF", whole.replace('\n', "\r\n").into(), reply.clone()),
            ("CR", whole.replace('\n', "\r").into(), reply.clone()),
            ("byte order mark", body(&["\u{feff}", &whole]), reply.clone()),
            ("named events", body(&["event: new\n", &hi, "event: message\n", &stop, DONE]), reply.clone()),
            ("another choice", body(&[&hi, &other, &stop, DONE]), reply.clone()),
            ("no choices", body(&["data: {\"choices\":[]}\n\n", &whole]), reply),
            ("split characters", body(&[&smile, &stop, DONE]), Reply("\"😀\" -> end_turn")),
            ("not JSON", body(&[&hi, "data: {\"choi\n\n"]), Failed(BadReply)),
            ("no empty line between", body(&[hi.trim_end(), "\n", &stop, DONE]), Failed(BadReply)),
            ("not an object", body(&["data: 7\n\ndata: []\n\n", &hi, DONE]), Retried(Cut)),
        ],
    )
    .await;
}

#[tokio::test]
async fn openai_errors_inside_a_stream_are_errors() {
    let hi = chunk(json!({ "content": "hi" }), None);
    let with = |error: Value, end: &str| [hi.as_str(), &data(&error), end].concat().into_bytes();
    let vllm =
        json!({ "error": { "message": "m", "type": "InternalServerError", "param": null, "code": 500 } });
    let llama = json!({ "error": { "code": 503, "message": "loading", "type": "unavailable_error" } });
    let router = json!({ "error": { "code": 502 }, "choices": [{ "delta": {}, "finish_reason": "error" }] });
    let inside =
        json!({ "choices": [{ "error": { "code": 429, "message": "m" }, "finish_reason": "error" }] });
    let silent = json!({ "choices": [{ "delta": {}, "finish_reason": "error" }] });
    check_all(
        Openai,
        vec![
            ("a string", with(json!({ "error": "boom" }), ""), Retried(ProviderFailed)),
            ("vLLM", with(vllm, DONE), Retried(ProviderFailed)),
            ("llama.cpp", with(llama, ""), Retried(Overloaded)),
            ("OpenRouter", with(router, DONE), Retried(ProviderFailed)),
            ("OpenRouter, in the choice", with(inside, DONE), Retried(Overloaded)),
            ("only the reason", with(silent, DONE), Retried(ProviderFailed)),
        ],
    )
    .await;
}

/// Every step of a run stores its calls, and values take far more memory than their text.
#[tokio::test]
async fn openai_replies_that_are_too_large_fail() {
    let call = |index: usize, arguments: &str| {
        let function = json!({ "name": "f", "arguments": arguments });
        call_chunk(json!([{ "index": index, "id": format!("c{index}"), "function": function }]))
    };
    let many: String = (0..129).map(|index| call(index, "{}")).collect();
    let long: String = (0..3).map(|index| call(index, &"x".repeat(1 << 20))).collect();
    let dense = format!("data: {{\"x\":[{}0]}}\n\n", "0,".repeat(100_001));
    let text: String = (0..5).map(|_| chunk(json!({ "content": "x".repeat(1 << 20) }), None)).collect();
    let named = |id: &str, name: &str| {
        let function = json!({ "name": name, "arguments": "{}" });
        let call = call_chunk(json!([{ "index": 0, "id": id, "function": function }]));
        [call, chunk(json!({}), Some("tool_calls")), DONE.into()].concat()
    };
    for (name, body) in [
        ("a name of 257 bytes", named("a", &"x".repeat(257))),
        ("an id of more than 16 KiB", named(&"x".repeat((16 << 10) + 1), "f")),
        ("129 calls", many),
        ("3 MiB of input", long),
        ("an event of many values", dense),
        ("5 MiB of text", text),
    ] {
        let fixture = Fixture::new(Openai, [Answer::stream(body)]).await;
        assert_eq!(fixture.ask(&request()).await.unwrap_err().code, BadReply, "{name}");
    }
}
