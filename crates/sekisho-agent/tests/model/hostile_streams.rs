//! Streams that are cut, broken or unusual. Nothing that was not received whole and clear counts.

use sekisho_agent::conversation::Provider;
use sekisho_agent::conversation::Provider::{Anthropic, Openai};
use sekisho_agent::model::ModelErrorCode::{BadReply, Cut, Overloaded, ProviderFailed};
use serde_json::{Value, json};

use super::fixture::Outcome::{Failed, Reply, Retried};
use super::fixture::{
    DONE, Fixture, Outcome, block_delta, block_start, block_stop, call_chunk, call_start, check, chunk, data,
    event, events, input_delta, message, message_delta, message_start, message_stop, request, text_block,
};
use super::server_double::{Answer, Delivery};

/// A name, a stream, and what it leads to, whether it comes at once or byte by byte.
type Case = (&'static str, Vec<u8>, Outcome);

async fn check_all(provider: Provider, cases: Vec<Case>) {
    for (name, body, expected) in cases {
        let deliveries = [Delivery::Whole, Delivery::ByteByByte, Delivery::Cut];
        // A connection that is cut loses nothing but the end, so only failures stay the same.
        let count = if matches!(expected, Retried(Cut)) { 3 } else { 2 };
        for delivery in &deliveries[..count] {
            let answer = Answer::stream(body.clone()).delivered(*delivery);
            check(&format!("{name}, {delivery:?}"), provider, answer, &expected).await;
        }
    }
}

fn hi() -> Vec<Value> {
    text_block(0, "hi")
}

#[tokio::test]
async fn anthropic_streams_that_end_early_are_cut() {
    let text = block_start(0, json!({ "type": "text", "text": "" }));
    let piece = block_delta(0, json!({ "type": "text_delta", "text": "h" }));
    let call = [message_start(), call_start(0, "a", "f"), input_delta(0, "{}"), block_stop(0)];
    let without_stop = [vec![message_start()], hi(), vec![message_delta("end_turn")]].concat();
    check_all(
        Anthropic,
        vec![
            ("inside a block", events(&[message_start(), text, piece]).into(), Retried(Cut)),
            ("after a call", events(&call).into(), Retried(Cut)),
            ("before message_stop", events(&without_stop).into(), Retried(Cut)),
            (
                "inside an event",
                [events(&[message_start()]).as_str(), "event: x\ndata: {\"type\":\"content_blo"]
                    .concat()
                    .into(),
                Retried(Cut),
            ),
            ("after the start", events(&[message_start()]).into(), Retried(Cut)),
        ],
    )
    .await;
}

#[tokio::test]
async fn anthropic_errors_inside_a_stream_are_errors() {
    let error = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } });
    let before = events(&[vec![message_start()], hi()].concat());
    check_all(
        Anthropic,
        vec![
            ("error event", [before.clone(), event(&error)].concat().into(), Retried(Overloaded)),
            ("error without a name", [before.clone(), data(&error)].concat().into(), Retried(Overloaded)),
            ("error before anything", event(&error).into(), Retried(Overloaded)),
            (
                "error without a kind",
                [before, data(&json!({ "type": "error" }))].concat().into(),
                Retried(ProviderFailed),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn anthropic_streams_in_a_wrong_order_are_broken() {
    let text = || json!({ "type": "text", "text": "" });
    let more = |index| block_delta(index, json!({ "type": "text_delta", "text": "x" }));
    let start = || vec![message_start()];
    let broken = |name, list: Vec<Value>| (name, events(&list).into_bytes(), Failed(BadReply));
    let mut cases = vec![
        broken("second start", vec![message_start(), block_start(0, text()), message_start()]),
        broken("unknown block", [start(), vec![more(7)]].concat()),
        broken("closed block", [start(), hi(), vec![more(0)]].concat()),
        broken("closed twice", [start(), hi(), vec![block_stop(0)]].concat()),
        broken("started twice", [start(), hi(), hi()].concat()),
        broken("block before the start", hi()),
        broken("change before the start", vec![message_delta("end_turn")]),
        broken(
            "end inside a block",
            vec![message_start(), block_start(0, text()), message_delta("end_turn"), message_stop()],
        ),
        broken("end without a reason", vec![message_start(), message_stop()]),
        broken("block without a type", vec![message_start(), block_start(0, json!({}))]),
        broken("block without an index", vec![message_start(), json!({ "type": "content_block_stop" })]),
        broken("call without a name", vec![message_start(), call_start(0, "a", "")]),
        broken("another kind of delta", vec![message_start(), block_start(0, text()), input_delta(0, "{}")]),
    ];
    let half = [events(&[message_start()]).as_str(), "event: x\ndata: {\"type\":\"content_blo\n\n"].concat();
    cases.push(("half an event", half.into(), Failed(BadReply)));
    check_all(Anthropic, cases).await;
}

#[tokio::test]
async fn anthropic_inputs_are_read_at_the_end_of_their_block() {
    let call = |input: &[&str], reason: &str| {
        let pieces = input.iter().map(|text| input_delta(0, text));
        let blocks = [call_start(0, "a", "f")].into_iter().chain(pieces).chain([block_stop(0)]).collect();
        message(blocks, reason).into_bytes()
    };
    let crossed = vec![
        call_start(0, "a", "f"),
        call_start(1, "b", "g"),
        input_delta(1, "{\"b\":2}"),
        input_delta(0, "{\"a\":1}"),
        block_stop(1),
        block_stop(0),
    ];
    let whole = block_start(0, json!({ "type": "tool_use", "id": "a", "name": "f", "input": { "x": 1 } }));
    let same_ids = [call_start(0, "a", "f"), block_stop(0), call_start(1, "a", "f"), block_stop(1)];
    let no_id = [block_start(0, json!({ "type": "tool_use", "name": "f" })), block_stop(0)];
    check_all(
        Anthropic,
        vec![
            ("cut input", call(&["{\"a\": \"x"], "max_tokens"), Reply("f#a!{\"a\": \"x! -> length")),
            (
                "whole input of a cut turn",
                call(&["{\"a\":1}"], "max_tokens"),
                Reply("f#a{\"a\":1} -> length"),
            ),
            (
                "cut input, no reason",
                call(&["{\"a\": \"x"], "tool_use"),
                Reply("f#a!{\"a\": \"x! -> tool_calls"),
            ),
            ("empty piece", call(&[""], "tool_use"), Reply("f#a{} -> tool_calls")),
            ("no piece", call(&[], "tool_use"), Reply("f#a{} -> tool_calls")),
            ("not an object", call(&["[1]"], "tool_use"), Reply("f#a![1]! -> tool_calls")),
            (
                "pieces",
                call(&["", "{\"a\"", ": \"é", "\"}"], "tool_use"),
                Reply("f#a{\"a\":\"é\"} -> tool_calls"),
            ),
            (
                "crossed blocks",
                message(crossed, "tool_use").into(),
                Reply("f#a{\"a\":1} g#b{\"b\":2} -> tool_calls"),
            ),
            (
                "input at the start",
                message(vec![whole, block_stop(0)], "tool_use").into(),
                Reply("f#a{\"x\":1} -> tool_calls"),
            ),
            ("same ids", message(same_ids.to_vec(), "tool_use").into(), Reply("f#a{} f#a-2{} -> tool_calls")),
            ("no id", message(no_id.to_vec(), "tool_use").into(), Reply("f#call_1_1{} -> tool_calls")),
        ],
    )
    .await;
}

#[tokio::test]
async fn anthropic_framing_may_vary() {
    let whole = message(hi(), "end_turn");
    let without_names: String =
        whole.lines().filter(|line| !line.starts_with("event:")).map(|line| format!("{line}\n")).collect();
    let unknown = vec![
        json!({ "type": "ping" }),
        json!({ "type": "new" }),
        block_start(0, json!({ "type": "text", "text": "" })),
        block_delta(0, json!({ "type": "new_delta", "text": "no" })),
        block_delta(0, json!({ "type": "text_delta", "text": "hi" })),
        json!({ "type": "ping" }),
        block_stop(0),
    ];
    let hi = Reply("\"hi\" -> end_turn");
    let smile = message(text_block(0, "😀"), "end_turn");
    let after_end = [whole.as_str(), &events(&[message_start()])].concat();
    check_all(
        Anthropic,
        vec![
            ("no names", without_names.into(), hi.clone()),
            ("CR LF", whole.replace('\n', "\r\n").into(), hi.clone()),
            ("CR", whole.replace('\n', "\r").into(), hi.clone()),
            ("byte order mark", ["\u{feff}", &whole].concat().into(), hi.clone()),
            ("unknown events and deltas", message(unknown, "end_turn").into(), hi.clone()),
            ("no line end", whole.trim_end().into(), hi.clone()),
            ("one line end", [whole.trim_end(), "\n"].concat().into(), hi.clone()),
            ("comments", [": a\n\n:\n\n", &whole].concat().into(), hi.clone()),
            ("events after the end", after_end.into(), hi),
            ("split characters", smile.into(), Reply("\"😀\" -> end_turn")),
        ],
    )
    .await;
}

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
    let other = data(
        &json!({ "choices": [{ "index": 1, "delta": { "content": "no" }, "finish_reason": "length" }] }),
    );
    check_all(
        Openai,
        vec![
            ("no done", body(&[&hi, &stop]), reply.clone()),
            ("no line end", body(&[&hi, stop.trim_end()]), reply.clone()),
            ("chunks after done", body(&[&hi, &stop, DONE, &hi]), reply.clone()),
            ("a space after done", body(&[&hi, &stop, "data: [DONE] \n\n"]), reply.clone()),
            ("done without a line end", body(&[&hi, &stop, "data: [DONE]"]), reply.clone()),
            ("comments", body(&[": OPENROUTER PROCESSING\n\n", &hi, ":\n\n", &stop, DONE]), reply.clone()),
            (
                "CR LF",
                body(
                    &[&hi, &stop, DONE].map(|part| part.replace('\n', "\r\n")).each_ref().map(String::as_str),
                ),
                reply.clone(),
            ),
            ("another choice", body(&[&hi, &other, &stop, DONE]), reply.clone()),
            ("no empty line between", body(&["data: {\"choices\":[]}\n\n", &hi, &stop, DONE]), reply),
            ("not JSON", body(&[&hi, "data: {\"choi\n\n"]), Failed(BadReply)),
            ("not an object", body(&["data: 7\n\ndata: []\n\n", &hi, DONE]), Retried(Cut)),
        ],
    )
    .await;
}

fn entry(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: Value) -> Value {
    json!({ "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

fn calls(chunks: &[Value], finish: &str) -> Vec<u8> {
    let chunks: String = chunks.iter().map(|entries| call_chunk(entries.clone())).collect();
    [chunks.as_str(), &chunk(json!({}), Some(finish)), DONE].concat().into()
}

#[tokio::test]
async fn openai_calls_are_put_together() {
    let a = || entry(Some(0), Some("a"), Some("f"), json!("{\"x\":1}"));
    let b = |index| entry(index, Some("b"), Some("g"), json!("{\"y\":2}"));
    let more = |text: &str| json!([entry(Some(0), None, None, json!(text))]);
    let start = || entry(Some(0), Some("a"), Some("f"), json!(""));
    let both = Reply("f#a{\"x\":1} g#b{\"y\":2} -> tool_calls");
    let one = Reply("f#a{\"x\":1} -> tool_calls");
    check_all(
        Openai,
        vec![
            ("pieces", calls(&[json!([start()]), more("{\"x\""), more(":1}")], "tool_calls"), one.clone()),
            ("one index", calls(&[json!([a()]), json!([b(Some(0))])], "tool_calls"), both.clone()),
            ("one index in one chunk", calls(&[json!([a(), b(Some(0))])], "tool_calls"), both.clone()),
            ("two indexes", calls(&[json!([a()]), json!([b(Some(1))])], "tool_calls"), both),
            (
                "no index",
                calls(&[json!([entry(None, Some("a"), Some("f"), json!("{\"x\":1}"))])], "tool_calls"),
                one.clone(),
            ),
            (
                "index 2 alone",
                calls(&[json!([b(Some(2))])], "tool_calls"),
                Reply("g#b{\"y\":2} -> tool_calls"),
            ),
            (
                "no id",
                calls(
                    &[json!([
                        entry(Some(0), None, Some("f"), json!("{}")),
                        entry(Some(1), Some(""), Some("f"), json!("{}"))
                    ])],
                    "tool_calls",
                ),
                Reply("f#call_1_1{} f#call_1_2{} -> tool_calls"),
            ),
            (
                "no id and no index",
                calls(
                    &[
                        json!([{ "function": { "name": "f", "arguments": "{\"x\":" } }]),
                        json!([{ "function": { "arguments": "1}" } }]),
                    ],
                    "stop",
                ),
                Reply("f#call_1_1{\"x\":1} -> tool_calls"),
            ),
            (
                "arguments as an object",
                calls(&[json!([entry(Some(0), Some("a"), Some("f"), json!({ "x": 1 }))])], "tool_calls"),
                one.clone(),
            ),
            (
                "no arguments",
                calls(&[json!([entry(Some(0), Some("a"), Some("f"), Value::Null)])], "tool_calls"),
                Reply("f#a{} -> tool_calls"),
            ),
            ("the same name again", calls(&[json!([start()]), json!([a()])], "tool_calls"), one.clone()),
            (
                "same ids",
                calls(&[json!([a(), entry(Some(1), Some("a"), Some("g"), json!(""))])], "tool_calls"),
                Reply("f#a{\"x\":1} g#a-2{} -> tool_calls"),
            ),
            (
                "a late id",
                calls(
                    &[
                        json!([entry(Some(0), None, Some("f"), json!("{\"x\""))]),
                        json!([entry(Some(0), Some("z"), None, json!(":1}"))]),
                    ],
                    "tool_calls",
                ),
                Reply("f#call_1_1{\"x\":1} -> tool_calls"),
            ),
            (
                "two objects",
                calls(&[json!([a()]), more("{\"y\":2}")], "tool_calls"),
                Reply("f#a!{\"x\":1}{\"y\":2}! -> tool_calls"),
            ),
            ("a call with stop", calls(&[json!([a()])], "stop"), one),
            ("a call with length", calls(&[json!([a()])], "length"), Reply("f#a{\"x\":1} -> length")),
            ("a cut call", calls(&[json!([start()]), more("{\"x")], "length"), Reply("f#a!{\"x! -> length")),
        ],
    )
    .await;
}

#[tokio::test]
async fn openai_calls_are_never_guessed() {
    let text = "<tool_call>{\"name\":\"rm\"}</tool_call>";
    let content =
        [chunk(json!({ "content": text }), None), chunk(json!({}), Some("stop")), DONE.into()].concat();
    let part = |name: Option<&str>| json!([entry(Some(0), None, name, json!(""))]);
    check_all(
        Openai,
        vec![
            (
                "a call in the text",
                content.into(),
                Reply("\"<tool_call>{\\\"name\\\":\\\"rm\\\"}</tool_call>\" -> end_turn"),
            ),
            (
                "a name in pieces",
                calls(&[part(Some("get_")), part(Some("weather"))], "tool_calls"),
                Failed(BadReply),
            ),
            ("no name", calls(&[part(None)], "tool_calls"), Failed(BadReply)),
            (
                "an id without a name",
                calls(
                    &[json!([
                        entry(Some(0), Some("a"), Some("f"), json!("")),
                        entry(Some(0), Some("b"), None, json!("{}"))
                    ])],
                    "tool_calls",
                ),
                Failed(BadReply),
            ),
            ("a reason without calls", calls(&[], "tool_calls"), Reply("-> other:tool_calls")),
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

#[tokio::test]
async fn responses_without_events_are_tried_again() {
    for provider in [Anthropic, Openai] {
        let html = Answer::new("200 OK", "content-type: text/html\r\n", "<html>502</html>");
        check("html", provider, html, &Retried(BadReply)).await;
        check("nothing", provider, Answer::stream(""), &Retried(BadReply)).await;
        check("comments", provider, Answer::stream(": ping\n\n"), &Retried(BadReply)).await;
        let json =
            Answer::new("200 OK", "content-type: application/json\r\n", "{\"error\":{\"message\":\"m\"}}");
        check("json", provider, json, &Retried(ProviderFailed)).await;
    }
}

#[tokio::test]
async fn long_lines_are_refused() {
    for provider in [Anthropic, Openai] {
        let line = ["data: ".as_bytes(), &vec![b'x'; 20 << 20]].concat();
        check("20 MB", provider, Answer::stream(line), &Failed(BadReply)).await;
    }
}

#[tokio::test]
async fn endless_replies_are_refused() {
    let ping = format!(": {}\n\n", "x".repeat(1 << 20));
    for provider in [Anthropic, Openai] {
        check("65 MB", provider, Answer::stream(ping.repeat(65)), &Failed(BadReply)).await;
    }
}

#[tokio::test]
async fn silence_ends_a_reply() {
    for (provider, start) in
        [(Anthropic, events(&[message_start()])), (Openai, chunk(json!({ "content": "hi" }), None))]
    {
        let answer = Answer::stream(start).delivered(Delivery::Hanging);
        let fixture = Fixture::with_config(provider, vec![answer; 2], |config| {
            config.retry.retries = 1;
            config.timeouts.idle = std::time::Duration::from_millis(100);
        })
        .await;
        let error = fixture.ask(&request()).await.unwrap_err();
        assert_eq!(error.code, Cut, "{error}");
        assert!(error.message.contains("sent nothing for too long"), "{error}");
    }
}
