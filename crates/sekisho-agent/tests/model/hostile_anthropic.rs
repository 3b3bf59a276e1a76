//! Anthropic's streams that are cut, broken or unusual. Nothing that was not received whole and clear counts.

use sekisho_agent::conversation::Provider::Anthropic;
use sekisho_agent::model::ModelErrorCode::{BadReply, Cut, Overloaded, ProviderFailed};
use serde_json::{Value, json};

use super::fixture::Outcome::{Failed, Reply, Retried};
use super::fixture::{
    Fixture, block_delta, block_start, block_stop, call_start, check_all, data, event, events, input_delta,
    message, message_delta, message_start, message_stop, request, text_block,
};
use super::server_double::Answer;

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
    let bare = json!({ "type": "error", "error": { "type": "overloaded_error" } });
    let before = events(&[vec![message_start()], hi()].concat());
    let inside = events(&[vec![message_start()], hi()[..2].to_vec()].concat());
    check_all(
        Anthropic,
        vec![
            ("error event", [before.clone(), event(&error)].concat().into(), Retried(Overloaded)),
            ("error without a name", [before.clone(), data(&error)].concat().into(), Retried(Overloaded)),
            ("error before anything", event(&error).into(), Retried(Overloaded)),
            ("error inside a block", [inside, event(&bare)].concat().into(), Retried(Overloaded)),
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
            ("no names", without_names.clone().into(), hi.clone()),
            ("CR LF", whole.replace('\n', "\r\n").into(), hi.clone()),
            ("CR", whole.replace('\n', "\r").into(), hi.clone()),
            ("byte order mark", ["\u{feff}", &without_names].concat().into(), hi.clone()),
            ("byte order mark before a name", ["\u{feff}", &whole].concat().into(), hi.clone()),
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

/// Every step of a run stores the names of its calls and the parts that are sent back as they came.
#[tokio::test]
async fn anthropic_replies_that_are_too_large_fail() {
    let named = |id: &str, name: &str| message(vec![call_start(0, id, name), block_stop(0)], "tool_use");
    let thought = || block_delta(0, json!({ "type": "thinking_delta", "thinking": "x".repeat(1 << 20) }));
    let mut thoughts = vec![block_start(0, json!({ "type": "thinking", "thinking": "" }))];
    thoughts.extend((0..5).map(|_| thought()));
    thoughts.push(block_stop(0));
    let blocks = (0..5).flat_map(|index| {
        let block = json!({ "type": "redacted_thinking", "data": "x".repeat(1 << 20) });
        [block_start(index, block), block_stop(index)]
    });
    for (name, body) in [
        ("a name of 257 bytes", named("a", &"x".repeat(257))),
        ("an id of more than 16 KiB", named(&"x".repeat((16 << 10) + 1), "f")),
        ("5 MiB of thoughts", message(thoughts, "end_turn")),
        ("5 MiB of unknown blocks", message(blocks.collect(), "end_turn")),
    ] {
        let fixture = Fixture::new(Anthropic, [Answer::stream(body)]).await;
        assert_eq!(fixture.ask(&request()).await.unwrap_err().code, BadReply, "{name}");
    }
}
