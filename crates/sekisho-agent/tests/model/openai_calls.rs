//! Tool calls as different servers split them.

use sekisho_agent::conversation::Provider::Openai;
use sekisho_agent::model::ModelErrorCode::BadReply;
use serde_json::{Value, json};

use super::fixture::Outcome::{Failed, Reply};
use super::fixture::{DONE, Outcome, call_chunk, check_all, chunk};

/// Entries of `tool_calls`, each in a chunk of its own and then all in one chunk.
async fn check(name: &'static str, entries: &[&str], finish: &str, expected: Outcome) {
    let entries: Vec<Value> = entries.iter().map(|entry| serde_json::from_str(entry).unwrap()).collect();
    let apart: String = entries.iter().map(|entry| call_chunk(json!([entry]))).collect();
    let together = call_chunk(json!(entries));
    let end = [chunk(json!({}), Some(finish)).as_str(), DONE].concat();
    let cases =
        [apart, together].map(|chunks| (name, [chunks, end.clone()].concat().into(), expected.clone()));
    check_all(Openai, cases.into()).await;
}

const A: &str = r#"{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}"#;
const A_BEGINS: &str = r#"{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}"#;
const B_AT_0: &str =
    r#"{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{\"y\":2}"}}"#;
const B_AT_2: &str =
    r#"{"index":2,"id":"b","type":"function","function":{"name":"g","arguments":"{\"y\":2}"}}"#;
const ONE: Outcome = Reply("f#a{\"x\":1} -> tool_calls");
const BOTH: Outcome = Reply("f#a{\"x\":1} g#b{\"y\":2} -> tool_calls");

#[tokio::test]
async fn pieces_are_put_together_by_index() {
    let more =
        [r#"{"index":0,"function":{"arguments":"{\"x\""}}"#, r#"{"index":0,"function":{"arguments":":1}"}}"#];
    check("pieces", &[A_BEGINS, more[0], more[1]], "tool_calls", ONE).await;
    check("two indexes", &[A, B_AT_2], "tool_calls", BOTH).await;
    check("index 2 alone", &[B_AT_2], "tool_calls", Reply("g#b{\"y\":2} -> tool_calls")).await;
    check("a new id at a used index", &[A, B_AT_0], "tool_calls", BOTH).await;
    check("back to the first id", &[A_BEGINS, B_AT_0, A], "tool_calls", BOTH).await;
    check("the same name again", &[A_BEGINS, A], "tool_calls", ONE).await;
    let two = r#"{"index":0,"function":{"arguments":"{\"y\":2}"}}"#;
    check("two objects", &[A, two], "tool_calls", Reply("f#a!{\"x\":1}{\"y\":2}! -> tool_calls")).await;
    let crossed = r#"{"index":2,"id":"b","function":{"name":"g","arguments":"{\"y\""}}"#;
    let rest = r#"{"index":2,"function":{"arguments":":2}"}}"#;
    check("crossed", &[A_BEGINS, crossed, more[0], rest, more[1]], "tool_calls", BOTH).await;
}

#[tokio::test]
async fn indexes_and_ids_may_be_missing() {
    let no_index = r#"{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}"#;
    check("no index", &[no_index], "tool_calls", ONE).await;
    let other = r#"{"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}}"#;
    check("two without an index", &[no_index, other], "tool_calls", BOTH).await;
    let begins = r#"{"id":"a","function":{"name":"f","arguments":"{\"x\""}}"#;
    let ends = r#"{"id":"a","function":{"arguments":":1}"}}"#;
    check("the id instead of an index", &[begins, other, ends], "tool_calls", BOTH).await;

    let no_id = r#"{"index":0,"function":{"name":"f","arguments":"{}"}}"#;
    let empty_id = r#"{"index":1,"id":"","function":{"name":"f","arguments":"{}"}}"#;
    let expected = Reply("f#call_1_1{} f#call_1_2{} -> tool_calls");
    check("no ids", &[no_id, empty_id], "tool_calls", expected).await;
    let begins = r#"{"function":{"name":"f","arguments":"{\"x\""}}"#;
    let ends = r#"{"function":{"arguments":":1}"}}"#;
    let expected = Reply("f#call_1_1{\"x\":1} -> tool_calls");
    check("neither", &[begins, ends], "stop", expected.clone()).await;
    let begins = r#"{"index":0,"function":{"name":"f","arguments":"{\"x\""}}"#;
    let ends = r#"{"index":0,"id":"late","function":{"arguments":":1}"}}"#;
    check("a late id", &[begins, ends], "tool_calls", expected).await;
    let same = r#"{"index":1,"id":"a","function":{"name":"g","arguments":""}}"#;
    check("the same id", &[A, same], "tool_calls", Reply("f#a{\"x\":1} g#a-2{} -> tool_calls")).await;
}

#[tokio::test]
async fn arguments_may_be_an_object_or_missing() {
    let object = r#"{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}"#;
    check("an object", &[object], "tool_calls", ONE).await;
    let empty = Reply("f#a{} -> tool_calls");
    let null = r#"{"index":0,"id":"a","function":{"name":"f","arguments":null}}"#;
    check("null", &[null], "tool_calls", empty.clone()).await;
    check("none", &[r#"{"index":0,"id":"a","function":{"name":"f"}}"#], "tool_calls", empty).await;
    let list = r#"{"index":0,"id":"a","function":{"name":"f","arguments":[1]}}"#;
    check("a list", &[list], "tool_calls", Reply("f#a![1]! -> tool_calls")).await;
}

#[tokio::test]
async fn reasons_do_not_hide_calls() {
    check("stop", &[A], "stop", ONE).await;
    check("length", &[A], "length", Reply("f#a{\"x\":1} -> length")).await;
    let half = r#"{"index":0,"function":{"arguments":"{\"x"}}"#;
    check("a cut call", &[A_BEGINS, half], "length", Reply("f#a!{\"x! -> length")).await;
    check("content_filter", &[A], "content_filter", Reply("f#a{\"x\":1} -> refusal")).await;
    check("no calls", &[], "tool_calls", Reply("-> other:tool_calls")).await;
}

#[tokio::test]
async fn calls_are_never_guessed() {
    let (get, weather) =
        (r#"{"index":0,"function":{"name":"get_"}}"#, r#"{"index":0,"function":{"name":"weather"}}"#);
    check("a name in pieces", &[get, weather], "tool_calls", Failed(BadReply)).await;
    check("no name", &[r#"{"index":0,"id":"a","function":{}}"#], "tool_calls", Failed(BadReply)).await;
    check("no function", &[r#"{"index":0,"id":"a"}"#], "tool_calls", Failed(BadReply)).await;
    check("not an object", &["7"], "tool_calls", Failed(BadReply)).await;
    let nameless = r#"{"index":0,"id":"b","function":{"arguments":"{}"}}"#;
    check("a new id without a name", &[A, nameless], "tool_calls", Failed(BadReply)).await;

    let text = "<tool_call>{\"name\":\"rm\"}</tool_call>";
    let body =
        [chunk(json!({ "content": text }), None), chunk(json!({}), Some("stop")), DONE.into()].concat();
    let expected = Reply("\"<tool_call>{\\\"name\\\":\\\"rm\\\"}</tool_call>\" -> end_turn");
    check_all(Openai, vec![("a call in the text", body.into(), expected)]).await;
}
