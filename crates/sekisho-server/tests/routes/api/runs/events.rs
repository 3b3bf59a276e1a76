//! The events of a run.

use serde_json::{Value, json};

use super::runs_fixture::{RunsFixture, call};
use crate::harness::socket_server::PATIENCE;

/// The events of a finished stream: id and type, and the last line.
async fn events(fixture: &RunsFixture, run: &str, query: &str) -> (Vec<(Option<u64>, Value)>, bool) {
    let path = format!("/api/runs/{run}/events{query}");
    let response = fixture.send(&fixture.viewer, "GET", &path, None).await;
    assert_eq!((response.status, response.header("content-type")), (200, Some("text/event-stream")));
    let text = String::from_utf8(response.body).unwrap();
    let (mut found, mut is_done) = (Vec::new(), false);
    for block in text.split("\n\n") {
        let line = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        match line("data: ") {
            Some("[DONE]") => is_done = true,
            Some(data) => {
                assert!(!is_done, "nothing follows the end");
                let id = line("id: ").map(|id| id.parse().unwrap());
                found.push((id, serde_json::from_str(data).unwrap()));
            }
            None => {}
        }
    }
    (found, is_done)
}

fn types(events: &[(Option<u64>, Value)]) -> Vec<&str> {
    events.iter().map(|(_, event)| event["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn stream_tells_what_happened_and_continues_after_an_event() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "text": "I try.", "calls": [call("note", "a"), call("risky", "b"), call("forbidden", "c"), call("off", "d")] },
        { "text": "Done." },
    ]);
    let agent = fixture.agent("builder", script, &["note", "risky", "forbidden"]).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let (before, is_done) = events(&fixture, &run, "?until=suspended").await;
    assert!(is_done);
    let begin = ["user-message", "text-start", "text-delta", "text-end"];
    assert_eq!(types(&before)[..4], begin);
    let mut kinds = types(&before)[4..].to_vec();
    kinds.sort_unstable();
    let mut expected = vec!["tool-call"; 4];
    expected.extend(["tool-call-approval", "tool-error", "tool-output-denied", "tool-result"]);
    expected.sort_unstable();
    assert_eq!(kinds, expected);
    let question = before.iter().find(|(_, event)| event["type"] == "tool-call-approval").unwrap();
    assert_eq!((&question.1["runId"], &question.1["from"]), (&json!(run), &json!("AGENT")));
    assert_eq!(question.1["payload"]["args"], json!({ "text": "b" }));

    fixture.answer(&run, "decline", json!({ "reason": "not now" })).await;
    let last = before.iter().filter_map(|(id, _)| *id).max().unwrap();
    let (after, is_done) = events(&fixture, &run, &format!("?lastEventId={last}")).await;
    assert!(is_done);
    let expected = [
        "tool-output-denied",
        "step-finish",
        "text-start",
        "text-delta",
        "text-end",
        "step-finish",
        "finish",
    ];
    assert_eq!(types(&after), expected);
    assert_eq!(after[0].1["payload"]["approval"]["reason"], "not now");
    assert_eq!(after.last().unwrap().1["payload"]["stepResult"]["reason"], "stop");

    // From the beginning: the same stored events, with the same numbers.
    let (all, _) = events(&fixture, &run, "").await;
    let stored = |events: &[(Option<u64>, Value)]| -> Vec<(Option<u64>, Value)> {
        events.iter().filter(|(id, _)| id.is_some()).cloned().collect()
    };
    let mut joined = stored(&before);
    joined.extend(stored(&after));
    assert_eq!(stored(&all), joined);
    let numbers: Vec<u64> = stored(&all).iter().map(|(id, _)| id.unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn stream_follows_a_run_to_its_end() {
    let fixture = RunsFixture::new().await;
    let script = json!([{ "calls": [call("slow", "a")] }, { "text": "Every word counts." }]);
    let agent = fixture.agent("builder", script, &["slow"]).await;
    let run = fixture.start(&agent).await;
    let following = events(&fixture, &run, "");
    let releasing = async {
        crate::harness::socket_server::eventually("the tool never ran", async || {
            (fixture.notes() == ["a"]).then_some(())
        })
        .await;
        fixture.go();
    };
    let ((events, is_done), ()) = tokio::join!(following, releasing);
    assert!(is_done);
    let ends: Vec<&Value> =
        events.iter().map(|(_, event)| event).filter(|event| event["type"] == "text-end").collect();
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0]["payload"]["text"], "Every word counts.");
    // The pieces since the last beginning make the same text.
    let mut text = String::new();
    for (_, event) in &events {
        match event["type"].as_str().unwrap() {
            "text-start" => text.clear(),
            "text-delta" => text.push_str(event["payload"]["text"].as_str().unwrap()),
            _ => {}
        }
    }
    assert_eq!(text, "Every word counts.");
    assert_eq!(types(&events).last(), Some(&"finish"));
}

#[tokio::test]
async fn wrong_event_id_is_refused() {
    let fixture = RunsFixture::new().await;
    let agent = fixture.agent("builder", json!([{ "text": "a" }]), &[]).await;
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/events?lastEventId=x");
    assert_eq!(fixture.error(&fixture.viewer, "GET", &path, None).await, (400, "InvalidRequest".into()));
}

#[tokio::test]
async fn executions_of_a_run_are_events_of_the_server() {
    let fixture = RunsFixture::new().await;
    let agent =
        fixture.agent("builder", json!([{ "calls": [call("note", "a")] }, { "text": "b" }]), &["note"]).await;
    let path = "/api/events";
    let request = fixture.server.request("GET", path).bearer(&fixture.viewer);
    let mut stream = fixture.server.connect().await;
    assert_eq!(stream.ask_for_head(&request.bytes()).await.status, 200);
    let run = fixture.execute(&agent).await["id"].as_str().unwrap().to_owned();
    let mut text = String::new();
    while !text.contains("tool_execution_completed") || !text.ends_with("\n\n") {
        let mut bytes = [0; 4096];
        let read = tokio::time::timeout(PATIENCE, tokio::io::AsyncReadExt::read(&mut stream.0, &mut bytes));
        let count = read.await.unwrap().unwrap();
        assert_ne!(count, 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..count]).replace("\r\n", ""));
    }
    let event = |kind: &str| -> Value {
        let block = text.split("\n\n").find(|block| block.contains(&format!("event: {kind}"))).unwrap();
        let data = block.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        serde_json::from_str(data).unwrap()
    };
    let started = event("tool_execution_started");
    assert_eq!((&started["runId"], &started["toolName"]), (&json!(run), &json!("note")), "{started}");
    let completed = event("tool_execution_completed");
    for field in ["executionId", "runId", "toolName"] {
        assert!(started[field].is_string() && completed[field] == started[field], "{field}: {completed}");
    }
    assert_eq!(completed["isError"], json!(false));
    assert!(completed["durationMs"].is_u64(), "{completed}");
}
