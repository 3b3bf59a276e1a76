//! What the chunks of a run are, in which order.

use serde_json::json;

use super::stream;
use crate::routes::api::runs::runs_fixture::{RunsFixture, call};

#[tokio::test]
async fn run_with_an_approval_is_sent_in_two_streams() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "text": "I write.", "calls": [call("risky", "a")], "usage": { "input": 10, "output": 5 } },
        { "text": "Done.", "usage": { "input": 20, "output": 2 } },
    ]);
    fixture.agent("writer", script, &["risky"]).await;
    let asked = stream(&fixture, "writer", "stream", json!({ "messages": "go" })).await;
    let expected = [
        "start",
        "step-start",
        "text-start",
        "text-delta",
        "tool-call-input-streaming-start",
        "tool-call-delta",
        "text-end",
        "tool-call-input-streaming-end",
        "tool-call",
        "tool-call-approval",
    ];
    assert_eq!(asked.types(), expected);
    assert_eq!(asked.first("start")["id"], "writer");
    let approval = asked.first("tool-call-approval");
    assert_eq!(approval["args"], json!({ "text": "a" }));
    assert!(approval["resumeSchema"].as_str().unwrap().contains("approved"));
    assert!(fixture.notes().is_empty());

    let body = json!({ "runId": asked.run(), "toolCallId": approval["toolCallId"] });
    let rest = stream(&fixture, "writer", "approve-tool-call", body).await;
    let expected = [
        "tool-result",
        "step-finish",
        "step-start",
        "text-start",
        "text-delta",
        "text-end",
        "step-finish",
        "finish",
    ];
    assert_eq!(rest.types(), expected);
    let result = rest.first("tool-result");
    assert_eq!((&result["args"], &result["toolName"]), (&json!({ "text": "a" }), &json!("risky")));
    let step = rest.first("step-finish");
    assert_eq!(
        step["stepResult"],
        json!({ "reason": "tool-calls", "rawReason": "tool_calls", "isContinued": true })
    );
    assert_eq!(step["output"]["text"], "I write.");
    assert_eq!(step["output"]["toolCalls"][0]["toolCallId"], approval["toolCallId"]);
    let end = rest.first("finish");
    assert_eq!(end["stepResult"]["reason"], "stop");
    let usage = &end["output"]["usage"];
    assert_eq!(
        (&usage["inputTokens"], &usage["outputTokens"], &usage["totalTokens"]),
        (&json!(30), &json!(7), &json!(37))
    );
    assert_eq!(fixture.notes(), ["a"]);
}

#[tokio::test]
async fn calls_that_need_no_approval_go_on_beside_one_that_does() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "calls": [call("note", "n"), call("risky", "r"), call("forbidden", "f")] },
        { "text": "Done." },
    ]);
    fixture.agent("busy", script, &["note", "risky", "forbidden"]).await;
    let asked = stream(&fixture, "busy", "stream", json!({ "messages": ["go"] })).await;
    for kind in ["tool-result", "tool-output-denied", "tool-call-approval"] {
        assert!(asked.types().contains(&kind), "{kind} is missing in {:?}", asked.types());
    }
    assert!(!asked.types().contains(&"finish"));
    assert_eq!(fixture.notes(), ["n"]);
    let body = json!({ "runId": asked.run(), "reason": "not now" });
    let rest = stream(&fixture, "busy", "decline-tool-call", body).await;
    let denied = rest.first("tool-output-denied");
    assert_eq!(
        (&denied["approval"]["approved"], &denied["approval"]["reason"]),
        (&json!(false), &json!("not now"))
    );
    assert_eq!(denied["args"], json!({ "text": "r" }));
    assert_eq!(rest.types().last(), Some(&"finish"));
    assert_eq!(fixture.notes(), ["n"]);
}

#[tokio::test]
async fn ends_have_the_reasons_that_clients_of_mastra_know() {
    let fixture = RunsFixture::new().await;
    let check = async |name: &str, script, reason: &str, raw: &str, more: &[&str]| {
        fixture.agent(name, script, &["note"]).await;
        let whole = stream(&fixture, name, "stream", json!({ "messages": "go", "maxSteps": 2 })).await;
        let result = &whole.first("finish")["stepResult"];
        assert_eq!((&result["reason"], &result["rawReason"]), (&json!(reason), &json!(raw)), "{name}");
        assert_eq!(whole.types().iter().filter(|kind| **kind == "finish").count(), 1, "{name}");
        for kind in more {
            assert!(whole.types().contains(kind), "{name}: no {kind} in {:?}", whole.types());
        }
    };
    check("stop", json!([{ "text": "x" }]), "stop", "stop", &["step-finish"]).await;
    check("length", json!([{ "text": "x", "stop": "length" }]), "length", "length", &["step-finish"]).await;
    let again = json!({ "calls": [call("note", "x")] });
    check("steps", json!([again, again, again]), "tool-calls", "max_iterations", &["tool-result"]).await;
    let failure = json!([{ "error": { "code": "bad_request", "message": "no such model" } }]);
    check("failure", failure, "error", "error", &["step-start", "error", "step-finish"]).await;
    let unknown = json!([{ "calls": [call("nothing", "x")] }, { "text": "x" }]);
    check("unknown", unknown, "stop", "stop", &["tool-error"]).await;
    let unreadable = json!([{ "calls": [{ "name": "note", "input": "{\"text\": " }] }, { "text": "x" }]);
    check("unreadable", unreadable, "stop", "stop", &["tool-error"]).await;
}

#[tokio::test]
async fn conversation_before_the_message_is_kept() {
    let fixture = RunsFixture::new().await;
    // The entry of the script is chosen by the number of replies so far.
    let script = json!([{ "text": "First." }, { "text": "Second.", "expect": { "contains": "go on" } }]);
    fixture.agent("talker", script, &[]).await;
    let messages = json!([
        { "role": "user", "content": "hello" },
        { "role": "assistant", "content": "First." },
        { "role": "user", "content": [{ "type": "text", "text": "go on" }] },
    ]);
    let whole = stream(&fixture, "talker", "stream", json!({ "messages": messages })).await;
    assert_eq!(whole.text(), "Second.");
}

#[tokio::test]
async fn request_narrows_and_tightens_only() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("note", "a")] }, { "text": "Done." }]);
    fixture.agent("narrow", script, &["note"]).await;
    let tightened =
        stream(&fixture, "narrow", "stream", json!({ "messages": "go", "requireToolApproval": true })).await;
    assert_eq!(tightened.types().last(), Some(&"tool-call-approval"));
    let without = stream(&fixture, "narrow", "stream", json!({ "messages": "go", "activeTools": [] })).await;
    assert!(without.types().contains(&"tool-error"), "{:?}", without.types());
    assert!(fixture.notes().is_empty());
    let more =
        super::error(&fixture, "narrow", "stream", json!({ "messages": "go", "activeTools": ["risky"] }))
            .await;
    assert_eq!((more.0, &more.1["code"]), (403, &json!("ToolPermissionDenied")));
}
