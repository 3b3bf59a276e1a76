//! `/mastra/api`: runs over Mastra's wire.

mod answers;
mod errors;
mod generate;
mod known_failures;
mod rejoin;
mod streams;

use serde_json::Value;

use crate::routes::api::runs::runs_fixture::RunsFixture;

/// What a client of Mastra reads of a stream: the chunks, and the position that followed each.
#[derive(Clone, Debug, Default)]
struct MastraStream {
    chunks: Vec<(Value, Option<String>)>,
    is_done: bool,
}

impl MastraStream {
    fn read(text: &str) -> MastraStream {
        let mut stream = MastraStream::default();
        for event in text.split_terminator("\n\n") {
            match (event.strip_prefix("data: "), event.strip_prefix("id: ")) {
                (Some("[DONE]"), _) => stream.is_done = true,
                (Some(data), _) => {
                    assert!(!stream.is_done, "nothing follows the end");
                    stream.chunks.push((serde_json::from_str(data).unwrap(), None));
                }
                (_, Some(position)) => stream.chunks.last_mut().unwrap().1 = Some(position.to_owned()),
                (None, None) => assert!(event.starts_with(':'), "{event}"),
            }
        }
        stream
    }

    /// The types of the chunks. In how many pieces a text comes depends on when it is read.
    fn types(&self) -> Vec<&str> {
        let mut types: Vec<&str> =
            self.chunks.iter().map(|(chunk, _)| chunk["type"].as_str().unwrap()).collect();
        types.dedup_by(|later, earlier| later == earlier && later.ends_with("-delta"));
        types
    }

    fn first(&self, kind: &str) -> &Value {
        let found = self.chunks.iter().find(|(chunk, _)| chunk["type"] == kind);
        &found.unwrap_or_else(|| panic!("no {kind} in {:?}", self.types())).0["payload"]
    }

    fn run(&self) -> String {
        self.chunks[0].0["runId"].as_str().unwrap().to_owned()
    }

    fn text(&self) -> String {
        let deltas = self.chunks.iter().filter(|(chunk, _)| chunk["type"] == "text-delta");
        deltas.map(|(chunk, _)| chunk["payload"]["text"].as_str().unwrap()).collect()
    }
}

/// Sends a request as an approver and reads the stream to its end.
async fn stream(fixture: &RunsFixture, agent: &str, route: &str, body: Value) -> MastraStream {
    let path = format!("/mastra/api/agents/{agent}/{route}");
    let response = fixture.send(&fixture.approver, "POST", &path, Some(body)).await;
    let text = String::from_utf8(response.body.clone()).unwrap();
    assert_eq!(
        (response.status, response.header("content-type")),
        (200, Some("text/event-stream")),
        "{text}"
    );
    let stream = MastraStream::read(&text);
    assert!(stream.is_done, "{text}");
    stream
}

/// The status and the body of an error.
async fn error(fixture: &RunsFixture, agent: &str, route: &str, body: Value) -> (u16, Value) {
    let path = format!("/mastra/api/agents/{agent}/{route}");
    let response = fixture.send(&fixture.approver, "POST", &path, Some(body)).await;
    (response.status, response.json())
}
