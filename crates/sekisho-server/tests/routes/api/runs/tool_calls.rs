//! Approving and declining calls of a run.

use serde_json::json;

use super::runs_fixture::{RunsFixture, call};

const NOT_SUSPENDED: &str = "AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED";

/// A run that waits for two calls.
async fn two_pending(fixture: &RunsFixture) -> String {
    let script = json!([
        { "calls": [call("risky", "a"), call("note", "b"), call("risky", "c")] },
        { "text": "Done." },
    ]);
    let agent = fixture.agent("builder", script, &["risky", "note"]).await;
    let run = fixture.execute(&agent).await;
    assert_eq!(run["pending"].as_array().unwrap().len(), 2, "{run}");
    assert_eq!(fixture.notes(), ["b"], "allowed calls proceed");
    run["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn calls_are_answered_in_any_order() {
    let fixture = RunsFixture::new().await;
    let run = two_pending(&fixture).await;
    let view = fixture.answer(&run, "approve", json!({ "toolCallId": "call_1_3" })).await;
    assert_eq!(view["status"], "suspended");
    assert_eq!(view["pending"][0]["toolCallId"], "call_1_1");
    let view = fixture.answer(&run, "approve", json!({ "toolCallId": "call_1_1" })).await;
    assert_eq!((&view["status"], &view["output"]), (&json!("completed"), &json!("Done.")));
    let mut notes = fixture.notes();
    notes.sort();
    assert_eq!(notes, ["a", "b", "c"]);
}

#[tokio::test]
async fn call_may_be_left_out_only_if_one_waits() {
    let fixture = RunsFixture::new().await;
    let run = two_pending(&fixture).await;
    assert_eq!(fixture.answer_error(&run, "approve", json!({})).await, (409, "Conflict".into()));
    assert_eq!(fixture.answer_error(&run, "decline", json!({})).await, (409, "Conflict".into()));
    assert_eq!(fixture.notes(), ["b"]);
    fixture.answer(&run, "decline", json!({ "toolCallId": "call_1_1" })).await;
    let view = fixture.answer(&run, "approve", json!({})).await;
    assert_eq!(view["status"], "completed");
    assert_eq!(fixture.notes(), ["b", "c"]);
}

#[tokio::test]
async fn stale_unknown_and_repeated_ids_are_refused() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "calls": [call("risky", "a")] },
        { "calls": [call("risky", "b")] },
        { "text": "Done." },
    ]);
    let agent = fixture.agent("builder", script, &["risky"]).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let refused = (409, NOT_SUSPENDED.to_owned());
    let first = || json!({ "toolCallId": "call_1_1" });
    assert_eq!(fixture.answer_error(&run, "approve", json!({ "toolCallId": "x" })).await, refused);
    fixture.answer(&run, "approve", first()).await;
    assert_eq!(fixture.notes(), ["a"]);
    // The second call waits now. The id of the first never counts for it.
    assert_eq!(fixture.answer_error(&run, "approve", first()).await, refused);
    assert_eq!(fixture.answer_error(&run, "decline", first()).await, refused);
    assert_eq!(fixture.notes(), ["a"]);
    let view = fixture.answer(&run, "decline", json!({ "toolCallId": "call_2_1" })).await;
    assert_eq!(view["status"], "completed");
    for verb in ["approve", "decline"] {
        assert_eq!(fixture.answer_error(&run, verb, json!({})).await, refused, "{verb} after the end");
        assert_eq!(fixture.answer_error(&run, verb, json!({ "toolCallId": "call_2_1" })).await, refused);
        let nobody = "0198c0de-0000-7000-8000-000000000001";
        let error = fixture.answer_error(nobody, verb, json!({})).await;
        assert_eq!(error, (404, "AGENT_RESUME_NO_SNAPSHOT_FOUND".into()));
    }
    assert_eq!(fixture.notes(), ["a"]);
}

#[tokio::test]
async fn of_two_answers_at_once_one_counts() {
    let fixture = RunsFixture::new().await;
    for round in 0..10 {
        let script = json!([{ "calls": [call("risky", &format!("{round}"))] }, { "text": "Done." }]);
        let agent = fixture.agent(&format!("builder-{round}"), script, &["risky"]).await;
        let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
        let path = |verb: &str| format!("/api/runs/{run}/{verb}-tool-call");
        let (approve, decline) = (path("approve"), path("decline"));
        let (first, second) = tokio::join!(
            fixture.send(&fixture.approver, "POST", &approve, Some(json!({}))),
            fixture.send(&fixture.admin, "POST", &decline, Some(json!({}))),
        );
        let won = [&first, &second].iter().filter(|response| response.status == 200).count();
        assert_eq!(won, 1, "{} {}", first.status, second.status);
        let lost = if first.status == 200 { &second } else { &first };
        assert_eq!((lost.status, lost.code().as_str()), (409, NOT_SUSPENDED));
        fixture.ended(&run).await;
        let ran = fixture.notes().contains(&round.to_string());
        assert_eq!(ran, first.status == 200, "the call runs exactly if the approval won");
    }
}

#[tokio::test]
async fn model_reads_why_a_call_was_declined() {
    let fixture = RunsFixture::new().await;
    for (at, (body, expected)) in [
        (json!({ "reason": "use b", "info": "use c" }), "Permission denied: use b"),
        (json!({ "info": "use c" }), "Permission denied: use c"),
        (json!({}), "Permission denied: User denied tool execution"),
        (json!({ "reason": " " }), "Permission denied: User denied tool execution"),
    ]
    .into_iter()
    .enumerate()
    {
        let script = json!([{ "calls": [call("risky", "a")] }, { "text": "Done." }]);
        let agent = fixture.agent(&format!("builder-{at}"), script, &["risky"]).await;
        let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
        fixture.answer(&run, "decline", body).await;
        assert_eq!(fixture.results(&run).await, [(expected.to_owned(), true)]);
    }
    assert!(fixture.notes().is_empty());
}

#[tokio::test]
async fn interrupting_decline_ends_the_run() {
    let fixture = RunsFixture::new().await;
    let run = two_pending(&fixture).await;
    let body = json!({ "toolCallId": "call_1_1", "reason": "stop", "interrupt": true });
    let view = fixture.answer(&run, "decline", body).await;
    assert_eq!((&view["status"], &view["finishReason"]), (&json!("aborted"), &json!("interrupted")));
    fixture.server.open(0).await;
    assert_eq!(fixture.notes(), ["b"]);
}
