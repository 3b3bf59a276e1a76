//! What happens at the gate, followed over a connection that is made again whenever it breaks.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::sync::mpsc::Sender;

use super::sse_parser::{SseEvent, SseParser};
use super::{Client, ClientError};

/// What a follower is told.
#[derive(Debug)]
pub(crate) enum StreamUpdate {
    /// The connection stands. What was missed is told, or how things stand.
    Connected,
    /// Something happened: what kind, and what about.
    Event { kind: String, data: Value },
    /// The connection broke; it is tried again after a while.
    Disconnected { why: String, again: Duration },
    /// There is no way in. This is the last that is told.
    Refused(ClientError),
}

/// A connection that is silent for longer than this is dead: servers say something every few seconds.
const SILENCE: Duration = Duration::from_secs(60);
/// The first wait before trying again, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(10));

/// Follows what happens until nobody wants to know any more, or the server lets us in no more.
pub(crate) async fn follow_events(client: Client, news: Sender<StreamUpdate>) {
    let mut reader = SseParser::default();
    let mut wait = WAITS.0;
    loop {
        let why = match client.open_event_stream("/api/events", reader.last_event_id.as_deref()).await {
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
                // Nobody left to tell is no harm: there is nothing more to do.
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

/// Why the connection ended; none: nobody wants to know any more.
async fn listen(mut body: Incoming, reader: &mut SseParser, news: &Sender<StreamUpdate>) -> Option<String> {
    // What was begun before the connection broke is told again from its beginning.
    reader.reset();
    loop {
        let frame = match tokio::time::timeout(SILENCE, body.frame()).await {
            Err(_) => return Some("the server has gone silent".into()),
            Ok(None) => return Some("the server closed the connection".into()),
            Ok(Some(Err(error))) => return Some(format!("the connection broke: {error}")),
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(bytes) = frame.into_data() else { continue };
        let Some(events) = reader.feed(&bytes) else {
            return Some("the server sent an event that is too large".into());
        };
        for event in events {
            if news.send(told(event)).await.is_err() {
                return None;
            }
        }
    }
}

/// An event's kind stands before its data.
fn told(event: SseEvent) -> StreamUpdate {
    let SseEvent { kind, data } = event;
    StreamUpdate::Event { kind, data: serde_json::from_str(&data).unwrap_or(Value::Null) }
}
