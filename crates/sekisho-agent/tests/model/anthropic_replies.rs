//! Whole replies of Anthropic, with the events in their documented order.

use sekisho_agent::conversation::Provider::Anthropic;
use sekisho_agent::model::{ReplyPiece, Usage};
use serde_json::{Value, json};

use super::fixture::{
    Fixture, block_delta, block_start, block_stop, call_start, events, input_delta, message, message_delta,
    message_start, message_stop, request, shown, text_block,
};
use super::server_double::{Answer, Delivery};

/// Text, then a call, with a ping between.
fn text_and_call() -> Vec<Value> {
    let mut start = message_start();
    start["message"]["usage"] = json!({
        "input_tokens": 470, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 2,
    });
    let mut end = message_delta("tool_use");
    end["usage"] = json!({ "output_tokens": 90 });
    let text = |text: &str| block_delta(0, json!({ "type": "text_delta", "text": text }));
    let inputs = ["", "{\"harbour\":", " \"Ber", "ge", "n\"", ", ", "\"unit\": \"me", "tre\"}"];
    let mut list = vec![
        start,
        block_start(0, json!({ "type": "text", "text": "" })),
        json!({ "type": "ping" }),
        text("First"),
        text(" I"),
        text(" need the tides."),
        block_stop(0),
        call_start(1, "toolu_7", "tide_table"),
    ];
    list.extend(inputs.map(|text| input_delta(1, text)));
    list.extend([block_stop(1), end, message_stop()]);
    list
}

#[tokio::test]
async fn text_and_a_call() {
    for delivery in [Delivery::Whole, Delivery::ByteByByte] {
        let fixture =
            Fixture::new(Anthropic, [Answer::stream(events(&text_and_call())).delivered(delivery)]).await;
        let reply = fixture.ask(&request()).await.unwrap();
        assert_eq!(
            shown(&reply),
            "\"First I need the tides.\" tide_table#toolu_7\
             {\"harbour\":\"Bergen\",\"unit\":\"metre\"} -> tool_calls"
        );
        assert_eq!(reply.usage, Usage { input: 470, output: 90, cache_read: 0, cache_write: 0 });
        assert_eq!(fixture.pieces.text(), "First I need the tides.");
        let id = "toolu_7".to_owned();
        let input = "{\"harbour\": \"Bergen\", \"unit\": \"metre\"}".to_owned();
        assert_eq!(fixture.pieces.inputs(), [(id.clone(), input)]);
        let started = ReplyPiece::CallStarted { id, name: "tide_table".into() };
        assert_eq!(fixture.pieces.pieces.lock().unwrap()[3], started);
    }
}

#[tokio::test]
async fn reasoning_and_unknown_blocks_are_kept_in_their_order() {
    let thinking = |text: &str| block_delta(0, json!({ "type": "thinking_delta", "thinking": text }));
    let signature = |text: &str| block_delta(0, json!({ "type": "signature_delta", "signature": text }));
    let mut inner = vec![
        block_start(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        thinking("Let me"),
        thinking(" see."),
        signature("old"),
        signature("EqQB+/="),
        block_stop(0),
        block_start(1, json!({ "type": "redacted_thinking", "data": "Em0B" })),
        block_stop(1),
    ];
    inner.extend(text_block(2, "Yes."));
    inner.extend([
        block_start(
            3,
            json!({ "type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {} }),
        ),
        input_delta(3, "{\"query\":"),
        input_delta(3, "\"x\"}"),
        block_stop(3),
        block_start(
            4,
            json!({ "type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{ "n": 1 }] }),
        ),
        block_stop(4),
        block_start(5, json!({ "type": "hologram", "depth": { "cm": 3 } })),
        block_delta(5, json!({ "type": "hologram_delta", "cm": 4 })),
        block_stop(5),
        block_start(6, json!({ "type": "thinking", "thinking": "" })),
        block_delta(6, json!({ "type": "signature_delta", "signature": "bare" })),
        block_stop(6),
    ]);
    let fixture = Fixture::new(Anthropic, [Answer::stream(message(inner, "pause_turn"))]).await;
    let reply = fixture.ask(&request()).await.unwrap();
    assert_eq!(
        shown(&reply),
        "Anthropic{\"signature\":\"EqQB+/=\",\"thinking\":\"Let me see.\",\"type\":\"thinking\"} \
         Anthropic{\"data\":\"Em0B\",\"type\":\"redacted_thinking\"} \"Yes.\" \
         Anthropic{\"id\":\"srv_1\",\"input\":{\"query\":\"x\"},\"name\":\"web_search\",\"type\":\"server_tool_use\"} \
         Anthropic{\"content\":[{\"n\":1}],\"tool_use_id\":\"srv_1\",\"type\":\"web_search_tool_result\"} \
         Anthropic{\"depth\":{\"cm\":3},\"type\":\"hologram\"} \
         Anthropic{\"signature\":\"bare\",\"thinking\":\"\",\"type\":\"thinking\"} -> paused"
    );
    assert_eq!(fixture.pieces.text(), "Yes.", "reasoning is not shown as text");
}

#[tokio::test]
async fn reasons_to_stop() {
    let call = || vec![call_start(0, "a", "f"), block_stop(0)];
    for (reason, blocks, expected) in [
        ("end_turn", text_block(0, "x"), "\"x\" -> end_turn"),
        ("end_turn", Vec::new(), "-> end_turn"),
        ("end_turn", text_block(0, ""), "-> end_turn"),
        ("stop_sequence", text_block(0, "x"), "\"x\" -> end_turn"),
        ("max_tokens", text_block(0, "x"), "\"x\" -> length"),
        ("model_context_window_exceeded", text_block(0, "x"), "\"x\" -> length"),
        ("refusal", text_block(0, "x"), "\"x\" -> refusal"),
        ("refusal", call(), "f#a{} -> refusal"),
        ("pause_turn", text_block(0, "x"), "\"x\" -> paused"),
        ("tool_use", call(), "f#a{} -> tool_calls"),
        ("end_turn", call(), "f#a{} -> tool_calls"),
        ("tool_use", text_block(0, "x"), "\"x\" -> other:tool_use"),
        ("compaction", text_block(0, "x"), "\"x\" -> other:compaction"),
        ("new_reason", call(), "f#a{} -> other:new_reason"),
    ] {
        let fixture = Fixture::new(Anthropic, [Answer::stream(message(blocks, reason))]).await;
        assert_eq!(shown(&fixture.ask(&request()).await.unwrap()), expected, "{reason}");
    }
}

#[tokio::test]
async fn counts_are_replaced_not_added() {
    let start = json!({ "input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 1 });
    for (start, changes, expected) in [
        (start.clone(), vec![], (60, 1, 30, 20)),
        (start.clone(), vec![json!({ "output_tokens": 7 })], (60, 7, 30, 20)),
        (start.clone(), vec![json!({ "output_tokens": 7 }), json!({ "output_tokens": 9 })], (60, 9, 30, 20)),
        (start.clone(), vec![json!({ "output_tokens": 9, "input_tokens": null })], (60, 9, 30, 20)),
        (
            start,
            vec![
                json!({ "input_tokens": 11, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 50, "output_tokens": 9 }),
            ],
            (61, 9, 50, 0),
        ),
        (Value::Null, vec![Value::Null], (0, 0, 0, 0)),
        (json!({ "input_tokens": -1, "output_tokens": "many" }), vec![], (0, 0, 0, 0)),
        (json!({ "input_tokens": u64::MAX, "cache_read_input_tokens": 1 }), vec![], (u64::MAX, 0, 1, 0)),
    ] {
        let mut first = message_start();
        first["message"]["usage"] = start;
        let mut list = vec![first];
        let changes =
            changes.iter().map(|usage| json!({ "type": "message_delta", "delta": {}, "usage": usage }));
        list.extend(changes);
        list.push(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }));
        list.push(message_stop());
        let fixture = Fixture::new(Anthropic, [Answer::stream(events(&list))]).await;
        let usage = fixture.ask(&request()).await.unwrap().usage;
        assert_eq!((usage.input, usage.output, usage.cache_read, usage.cache_write), expected);
    }
}
