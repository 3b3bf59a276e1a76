//! Which calls of broken and unusual streams a run takes to the gate. A call that came whole does not count if the stream
//! breaks after it; calls that servers only send in an unusual form count as they were meant, once each.

use sekisho_agent::conversation::Provider::{Anthropic, Openai};
use sekisho_agent::conversation::{CallInput, Provider};
use sekisho_agent::machine::{Effect, FinishReason, Phase, RunEvent, RunLimits, RunState};
use serde_json::{Value, json};

use super::fixture::{
    DONE, Fixture, block_delta, block_stop, call_chunk, call_start, chunk, data, event, events, input_delta,
    message, message_delta, message_start, message_stop, request, text_block,
};
use super::server_double::{Answer, Delivery};

/// A run after the reply to its first message.
async fn run_after(provider: Provider, body: &[u8], delivery: Delivery) -> RunState {
    let answer = Answer::stream(body).delivered(delivery);
    let fixture = Fixture::with_config(provider, [answer], |config| config.retry.retries = 0).await;
    let event = match fixture.ask(&request()).await {
        Ok(reply) => RunEvent::Replied(reply),
        Err(error) => RunEvent::ModelFailed(error),
    };
    let (mut state, _) = RunState::start(RunLimits::replies(5), "hello".into());
    assert!(state.handle(event).is_some(), "the run waited for a reply");
    state
}

/// The calls that a run takes to the gate now: `f{"x":1} g{}`.
fn submitted(state: &RunState) -> String {
    let Phase::Tools { calls, .. } = &state.phase else { return String::new() };
    let effects = state.effects();
    let shown = effects.iter().filter_map(|effect| match effect {
        Effect::Submit { call, .. } => Some(&calls[*call].call),
        _ => None,
    });
    let shown = shown.map(|call| match &call.input {
        CallInput::Object(input) => format!("{}{input}", call.name),
        CallInput::Unreadable(text) => panic!("{} with {text}", call.name),
    });
    shown.collect::<Vec<String>>().join(" ")
}

/// Checks that a run ends after a stream, and takes no call to the gate.
async fn check_ends(name: &str, provider: Provider, body: &str) {
    for delivery in [Delivery::Whole, Delivery::ByteByByte] {
        let state = run_after(provider, body.as_bytes(), delivery).await;
        assert!(state.has_ended(), "{name}, {delivery:?}: {:?}", state.phase);
        assert_eq!(state.effects(), [], "{name}, {delivery:?}");
    }
}

/// Checks which calls a run takes to the gate after a stream.
async fn check_submitted(name: &str, provider: Provider, body: &[u8], expected: &str) {
    for delivery in [Delivery::Whole, Delivery::ByteByByte] {
        let state = run_after(provider, body, delivery).await;
        assert_eq!(submitted(&state), expected, "{name}, {delivery:?}: {:?}", state.phase);
    }
}

/// A whole call of Anthropic's stream, at block 0.
fn anthropic_call() -> Vec<Value> {
    vec![call_start(0, "a", "rm"), input_delta(0, "{\"path\":\"x\"}"), block_stop(0)]
}

/// A whole call of OpenAI's stream.
fn openai_call() -> String {
    let function = json!({ "name": "rm", "arguments": "{\"path\":\"x\"}" });
    call_chunk(json!([{ "index": 0, "id": "a", "type": "function", "function": function }]))
}

#[tokio::test]
async fn whole_call_of_a_broken_anthropic_stream_does_not_run() {
    let start = events(&[vec![message_start()], anthropic_call()].concat());
    check_submitted(
        "unbroken",
        Anthropic,
        message(anthropic_call(), "tool_use").as_bytes(),
        "rm{\"path\":\"x\"}",
    )
    .await;
    let error = json!({ "type": "error", "error": { "type": "overloaded_error" } });
    let half_call = events(&[call_start(1, "b", "rm"), input_delta(1, "{\"path\": \"y")]);
    let ended = |reason: &str| events(&[message_delta(reason), message_stop()]);
    for (name, rest) in [
        ("end after a call", String::new()),
        ("end before message_stop", event(&message_delta("tool_use"))),
        ("end inside another call", half_call.clone()),
        ("max_tokens", ended("max_tokens")),
        ("max_tokens inside another call", [half_call, event(&block_stop(1)), ended("max_tokens")].concat()),
        ("window exceeded", ended("model_context_window_exceeded")),
        ("refusal", ended("refusal")),
        ("unknown reason", ended("new_reason")),
        ("error", event(&error)),
        ("error without a name", data(&error)),
        ("second start", event(&message_start())),
        ("half an event", "event: x\ndata: {\"type\":\"content_blo\n\n".into()),
        ("unknown block", event(&block_delta(7, json!({ "type": "text_delta", "text": "x" })))),
    ] {
        check_ends(name, Anthropic, &[start.as_str(), &rest].concat()).await;
    }
}

#[tokio::test]
async fn whole_call_of_a_broken_openai_stream_does_not_run() {
    let start = openai_call();
    let whole = [start.as_str(), &chunk(json!({}), Some("tool_calls")), DONE].concat();
    check_submitted("unbroken", Openai, whole.as_bytes(), "rm{\"path\":\"x\"}").await;
    let ended = |reason: &str| [chunk(json!({}), Some(reason)).as_str(), DONE].concat();
    let renamed = call_chunk(json!([{ "index": 0, "function": { "name": "_rf" } }]));
    let nameless = call_chunk(json!([{ "index": 1, "id": "b", "function": { "arguments": "{}" } }]));
    let router = json!({ "error": { "code": 502 }, "choices": [{ "delta": {}, "finish_reason": "error" }] });
    for (name, rest) in [
        ("no end", String::new()),
        ("done without a reason", DONE.into()),
        ("empty content, then the end", chunk(json!({ "content": "" }), None)),
        ("half a chunk", "data: {\"choices\":[{\"fin\n\n".into()),
        ("length", ended("length")),
        ("content_filter", ended("content_filter")),
        ("unknown reason", ended("new_reason")),
        ("a refusal", [chunk(json!({ "refusal": "No." }), None), ended("stop")].concat()),
        ("a string as an error", data(&json!({ "error": "boom" }))),
        ("an error beside choices", [data(&router), DONE.into()].concat()),
        ("an error after the reason", [chunk(json!({}), Some("tool_calls")), data(&router)].concat()),
        ("another name", [renamed, ended("tool_calls")].concat()),
        ("a call without a name", [nameless, ended("tool_calls")].concat()),
    ] {
        check_ends(name, Openai, &[start.as_str(), &rest].concat()).await;
    }
}

#[tokio::test]
async fn unusual_anthropic_streams_run_their_calls_once() {
    let whole = message(anthropic_call(), "tool_use");
    let without_names: String =
        whole.lines().filter(|line| !line.starts_with("event:")).map(|line| format!("{line}\n")).collect();
    let crossed = vec![
        call_start(0, "a", "f"),
        call_start(1, "b", "g"),
        input_delta(1, "{\"b\":2}"),
        input_delta(0, "{\"a\":1}"),
        block_stop(1),
        block_stop(0),
    ];
    let no_input = vec![call_start(0, "a", "f"), input_delta(0, ""), block_stop(0)];
    let half_input = vec![call_start(0, "a", "f"), input_delta(0, "{\"a\": \"x"), block_stop(0)];
    let beside_half = [half_input.clone(), vec![call_start(1, "b", "g"), block_stop(1)]].concat();
    let same_ids = [call_start(0, "a", "f"), block_stop(0), call_start(1, "a", "g"), block_stop(1)];
    let one = "rm{\"path\":\"x\"}";
    for (name, body, expected) in [
        ("no names", without_names, one),
        ("CR", whole.replace('\n', "\r"), one),
        ("byte order mark", format!("\u{feff}{whole}"), one),
        ("no line end", whole.trim_end().to_owned(), one),
        ("the same message again", whole.repeat(2), one),
        ("crossed blocks", message(crossed, "tool_use"), "f{\"a\":1} g{\"b\":2}"),
        ("empty input", message(no_input, "tool_use"), "f{}"),
        ("half an input", message(half_input, "tool_use"), ""),
        ("a call beside half an input", message(beside_half, "tool_use"), "g{}"),
        ("same ids", message(same_ids.to_vec(), "tool_use"), "f{} g{}"),
    ] {
        check_submitted(name, Anthropic, body.as_bytes(), expected).await;
    }
}

#[tokio::test]
async fn unusual_openai_streams_run_their_calls_once() {
    let entry = |place: Value, name: &str, arguments: Value| {
        let mut entry = place;
        entry["function"] = json!({ "name": name, "arguments": arguments });
        call_chunk(json!([entry]))
    };
    let (f, g) = (json!("{\"x\":1}"), json!("{\"y\":2}"));
    let whole =
        |calls: &[String]| [calls.concat().as_str(), &chunk(json!({}), Some("tool_calls")), DONE].concat();
    let both = "f{\"x\":1} g{\"y\":2}";
    let one = "f{\"x\":1}";
    let first = || entry(json!({ "index": 0, "id": "a" }), "f", f.clone());
    for (name, body, expected) in [
        (
            "a new id at a used index",
            whole(&[first(), entry(json!({ "index": 0, "id": "b" }), "g", g.clone())]),
            both,
        ),
        ("no index", whole(&[entry(json!({ "id": "a" }), "f", f.clone())]), one),
        ("index 2 alone", whole(&[entry(json!({ "index": 2, "id": "a" }), "f", f.clone())]), one),
        ("no id", whole(&[entry(json!({ "index": 0 }), "f", f.clone())]), one),
        ("an object", whole(&[entry(json!({ "index": 0, "id": "a" }), "f", json!({ "x": 1 }))]), one),
        ("a list", whole(&[entry(json!({ "index": 0, "id": "a" }), "f", json!([1]))]), ""),
        ("stop", [first().as_str(), &chunk(json!({}), Some("stop")), DONE].concat(), one),
        ("no done", [first(), chunk(json!({}), Some("tool_calls"))].concat(), one),
        ("a call after done", [whole(&[first()]), openai_call()].concat(), one),
        ("comments", [": OPENROUTER PROCESSING\n\n", &first(), ":\n\n", &whole(&[])].concat(), one),
    ] {
        check_submitted(name, Openai, body.as_bytes(), expected).await;
    }
}

/// Text stays text, also if it looks like the calls that some models write there.
#[tokio::test]
async fn text_is_never_a_call() {
    let text = "<tool_call>{\"name\":\"rm\",\"arguments\":{}}</tool_call>";
    let openai =
        [chunk(json!({ "content": text }), None), chunk(json!({}), Some("stop")), DONE.into()].concat();
    for (provider, body) in [(Openai, openai), (Anthropic, message(text_block(0, text), "end_turn"))] {
        let state = run_after(provider, body.as_bytes(), Delivery::Whole).await;
        let Phase::Ended { reason, .. } = &state.phase else { panic!("{:?}", state.phase) };
        assert_eq!((reason, state.effects()), (&FinishReason::Stop, vec![]));
    }
}
