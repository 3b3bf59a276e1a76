//! A subscription to events of a server that reconnects when the connection breaks.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::sync::mpsc::Sender;

use super::sse_parser::{SseEvent, SseParser};
use super::{Client, ClientError};

#[derive(Debug)]
pub(crate) enum StreamUpdate {
    /// Connected. The missed events follow, or a snapshot.
    Connected,
    Event {
        kind: String,
        data: Value,
    },
    /// The connection broke. The next attempt is after `again`.
    Disconnected {
        why: String,
        again: Duration,
    },
    /// The server does not accept us. This is the last update.
    Refused(ClientError),
    /// Nothing follows. This is the last update.
    Done,
}

/// The data of the last event of a stream that has an end.
const END: &str = "[DONE]";

/// A connection silent for this long is dead: servers send something every few seconds.
const SILENCE: Duration = Duration::from_secs(60);
/// The first and the longest wait before reconnecting.
const WAITS: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(10));

/// Follows the events at a path until they end, the receiver is dropped or the server refuses the connection.
pub(crate) async fn follow_events(client: Client, path: String, news: Sender<StreamUpdate>) {
    let mut reader = SseParser::default();
    let mut wait = WAITS.0;
    loop {
        let why = match client.open_event_stream(&path, reader.last_event_id.as_deref()).await {
            Ok(body) => {
                wait = WAITS.0;
                if news.send(StreamUpdate::Connected).await.is_err() {
                    return;
                }
                match listen(body, &mut reader, &news).await {
                    Some(why) => why,
                    None => return,
                }
            }
            Err(error) if error.is_permanent() => {
                // Ends here in any case, so a dropped receiver does not matter.
                let _ = news.send(StreamUpdate::Refused(error)).await;
                return;
            }
            Err(error) => error.to_string(),
        };
        if news.send(StreamUpdate::Disconnected { why, again: wait }).await.is_err() {
            return;
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(WAITS.1);
    }
}

/// Why the connection ended; `None`: the receiver was dropped, or nothing follows.
async fn listen(mut body: Incoming, reader: &mut SseParser, news: &Sender<StreamUpdate>) -> Option<String> {
    // An incomplete event of the last connection is sent again from its beginning.
    reader.reset();
    loop {
        let frame = match tokio::time::timeout(SILENCE, body.frame()).await {
            Err(_) => return Some("the server stopped sending".into()),
            Ok(None) => return Some("the server closed the connection".into()),
            Ok(Some(Err(error))) => return Some(format!("the connection broke: {error}")),
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(bytes) = frame.into_data() else { continue };
        let Some(events) = reader.feed(&bytes) else {
            return Some("the server sent an event that is too large".into());
        };
        for event in events {
            if event.data == END {
                // Ends here in any case, so a dropped receiver does not matter.
                let _ = news.send(StreamUpdate::Done).await;
                return None;
            }
            if news.send(update_from(event)).await.is_err() {
                return None;
            }
        }
    }
}

/// Converts an event of the stream.
fn update_from(event: SseEvent) -> StreamUpdate {
    let SseEvent { kind, data } = event;
    StreamUpdate::Event { kind, data: serde_json::from_str(&data).unwrap_or(Value::Null) }
}
