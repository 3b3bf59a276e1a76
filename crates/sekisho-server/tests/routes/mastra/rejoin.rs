//! A stream that is left and joined again.

use serde_json::{Value, json};

use super::{MastraStream, stream};
use crate::routes::api::runs::runs_fixture::{RunsFixture, call};

/// Joins a run after a position.
async fn observe(fixture: &RunsFixture, agent: &str, run: &str, position: &str) -> MastraStream {
    let path = format!("/mastra/api/agents/{agent}/observe");
    let request =
        fixture.server.request("POST", &path).bearer(&fixture.viewer).header("Last-Event-ID", position);
    let response = fixture.server.send(&request.json(&json!({ "runId": run }))).await;
    assert_eq!(response.status, 200, "{position}");
    MastraStream::read(&String::from_utf8(response.body).unwrap())
}

/// Everything but pieces of text, and the whole text.
fn content(chunks: &[(Value, Option<String>)]) -> (Vec<Value>, String) {
    let (mut structure, mut text) = (Vec::new(), String::new());
    for (chunk, _) in chunks {
        match chunk["type"] == "text-delta" {
            true => text.push_str(chunk["payload"]["text"].as_str().unwrap()),
            false => structure.push(chunk.clone()),
        }
    }
    (structure, text)
}

#[tokio::test]
async fn nothing_is_lost_or_repeated_wherever_a_client_leaves() {
    let fixture = RunsFixture::new().await;
    let script = json!([
        { "text": "I write ä.", "calls": [call("risky", "a"), call("note", "b")] },
        { "text": "Done." },
    ]);
    fixture.agent("left", script, &["risky", "note"]).await;
    let run = stream(&fixture, "left", "stream", json!({ "messages": "go" })).await.run();
    stream(&fixture, "left", "approve-tool-call", json!({ "runId": run })).await;
    let whole = observe(&fixture, "left", &run, "0.0").await;
    assert!(whole.is_done && whole.types().last() == Some(&"finish"));
    let places = whole.chunks.iter().enumerate().filter_map(|(at, (_, place))| Some((at, place.clone()?)));
    for (at, place) in places {
        let rest = observe(&fixture, "left", &run, &place).await;
        assert!(rest.is_done);
        let joined: Vec<_> = whole.chunks[..=at].iter().chain(&rest.chunks).cloned().collect();
        assert_eq!(content(&joined), content(&whole.chunks), "left at {place}");
    }
    // A place within a text, as it is when the text came in pieces.
    let text = whole.chunks.iter().find(|(chunk, _)| chunk["type"] == "text-delta").unwrap();
    let (seq, part) = text.1.as_ref().unwrap().split_once('.').unwrap();
    for back in 1..10 {
        let place = format!("{seq}.{}", part.parse::<u64>().unwrap() - back);
        let rest = observe(&fixture, "left", &run, &place).await;
        let expected: String = "I write ä.".chars().skip(10 - back as usize).collect();
        assert_eq!(rest.text(), expected + "Done.", "{place}");
    }
    assert_eq!(fixture.notes().len(), 2, "joining runs nothing");
}

#[tokio::test]
async fn bad_places_are_refused() {
    let fixture = RunsFixture::new().await;
    fixture.agent("placed", json!([{ "text": "x" }]), &[]).await;
    let run = stream(&fixture, "placed", "stream", json!({ "messages": "go" })).await.run();
    for place in ["", "x", "1", "1.x", "-1.0"] {
        let request =
            fixture.server.request("POST", "/mastra/api/agents/placed/observe").bearer(&fixture.viewer);
        let request = request.header("Last-Event-ID", place).json(&json!({ "runId": run }));
        assert_eq!(fixture.server.send(&request).await.status, 400, "{place:?}");
    }
    let (status, error) =
        super::error(&fixture, "placed", "observe", json!({ "runId": run, "offset": 3 })).await;
    assert_eq!((status, &error["issues"][0]["field"]), (400, &json!("offset")));
}
