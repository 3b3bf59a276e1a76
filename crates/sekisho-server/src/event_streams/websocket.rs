//! Serves one subscriber over a WebSocket: it receives events, and may answer.
//!
//! One task serves it. Sending and receiving run concurrently, so a device that is slow to read can still
//! answer.

use std::time::Duration;

use axum::response::Response;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::client_messages::{handle_message, malformed, max_message_size, too_large};
use super::received_bytes_budget::MessageBudget;
use super::stream_end::{StreamEnd, wait_for_end};
use super::subscriber::{Subscriber, acquire_stream_slot};
use super::websocket_upgrade::{WebSocket, WebSocketUpgrade};
use super::websocket_writer::WebSocketWriter;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::serve::ConnectionHandle;
use crate::wire::event::LiveReply;

/// How many replies wait to be written before reading pauses.
const REPLIES: usize = 16;
/// After this many malformed messages in a row the client is disconnected.
const MAX_MALFORMED: usize = 16;
/// How long the client gets to confirm the close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Upgrades a request to a WebSocket and serves it until it ends.
pub(crate) fn open(
    app: App,
    who: Identity,
    connection: Option<ConnectionHandle>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    let slot = acquire_stream_slot(&app, &who)?;
    let most = max_message_size(&app, &who);
    let budget = MessageBudget::new(app.inner.memory_budget.reservation_for(&who.credential));
    Ok(upgrade.accept(most, budget.clone(), move |socket| async move {
        let held = app.inner.metrics.listeners.hold();
        run(&app, &who, socket, &budget).await;
        drop((held, slot, connection));
    }))
}

async fn run(app: &App, who: &Identity, socket: WebSocket, budget: &MessageBudget) {
    let timing = &app.settings().limits.stream_timing;
    let (sink, mut stream) = socket.split();
    let mut writer = WebSocketWriter::new(sink, timing.send_timeout);
    let (replies, waiting) = mpsc::channel(REPLIES);
    let end = tokio::select! {
        end = send_events(app, who, &mut writer, waiting) => end,
        end = receive_messages(app, who, (&mut stream, budget), replies) => end,
        end = wait_for_end(app, who) => end,
    };
    tracing::debug!(name = who.name, ?end, "a subscriber's WebSocket ends");
    if let Some((code, why)) = close_frame(&end) {
        let last_message = match end {
            StreamEnd::TooLarge => written(&malformed(too_large(max_message_size(app, who)), None).reply),
            _ => None,
        };
        let frame = CloseFrame { code, reason: why.into() };
        // The client has to read the frame before the connection is closed, or it may never see it.
        let closing = async {
            if writer.close(last_message.as_ref(), frame).await.is_ok() {
                while stream.next().await.is_some_and(|next| next.is_ok()) {}
            }
        };
        let _ = timeout(CLOSE_TIMEOUT, closing).await;
    }
}

/// The close code and reason for the client; `None` if the client is gone.
fn close_frame(end: &StreamEnd) -> Option<(CloseCode, &'static str)> {
    match end {
        StreamEnd::Finished | StreamEnd::Disconnected | StreamEnd::SendTimeout => None,
        StreamEnd::PingTimeout => Some((CloseCode::Policy, "nothing was received for too long")),
        StreamEnd::TooLarge => Some((CloseCode::Size, "the message is too large")),
        StreamEnd::OverCapacity => Some((CloseCode::Again, "there is no memory for the message")),
        StreamEnd::TooManyMalformed => Some((CloseCode::Policy, "too many malformed messages")),
        StreamEnd::TokenInvalid => Some((CloseCode::Policy, "the token has expired or was revoked")),
        StreamEnd::ServerStopping => Some((CloseCode::Away, "the server is stopping")),
        StreamEnd::LedgerDamaged => Some((CloseCode::Error, "the ledger cannot be read")),
    }
}

/// Sends events and replies, and pings the client now and then.
async fn send_events(
    app: &App,
    who: &Identity,
    writer: &mut WebSocketWriter,
    mut replies: mpsc::Receiver<Bytes>,
) -> StreamEnd {
    let every = app.settings().limits.stream_timing.ping_interval;
    let mut ping = interval_at(Instant::now() + every, every);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut subscriber = Subscriber::new(app, who, None);
    loop {
        let written = tokio::select! {
            biased;
            Some(reply) = replies.recv() => writer.write(&reply).await,
            _ = ping.tick() => writer.ping().await,
            frame = subscriber.next() => match frame {
                Ok(frame) => writer.write_frame(&frame).await,
                Err(error) => {
                    tracing::warn!(%error, "cannot send events to a subscriber any more");
                    Err(StreamEnd::LedgerDamaged)
                }
            },
        };
        if let Err(end) = written {
            return end;
        }
    }
}

/// Handles the messages of the client.
async fn receive_messages(
    app: &App,
    who: &Identity,
    (stream, budget): (&mut SplitStream<WebSocket>, &MessageBudget),
    replies: mpsc::Sender<Bytes>,
) -> StreamEnd {
    let silence = app.settings().limits.stream_timing.ping_timeout;
    let mut in_a_row = 0;
    loop {
        let Ok(next) = timeout(silence, stream.next()).await else { return StreamEnd::PingTimeout };
        let outcome = match next {
            None => return StreamEnd::Disconnected,
            Some(Err(Error::Capacity(_))) => return StreamEnd::TooLarge,
            Some(Err(_)) if budget.is_full() => return StreamEnd::OverCapacity,
            Some(Err(error)) => {
                tracing::debug!(%error, "a WebSocket failed");
                return StreamEnd::Disconnected;
            }
            Some(Ok(Message::Text(text))) => handle_message(app, who, text.as_str(), budget).await,
            Some(Ok(Message::Binary(_))) => {
                malformed(ApiError::invalid("the message is binary; send JSON as text"), None)
            }
            Some(Ok(Message::Ping(payload) | Message::Pong(payload))) => {
                budget.control_frame_skipped(payload.len());
                continue;
            }
            Some(Ok(Message::Close(_) | Message::Frame(_))) => continue,
        };
        budget.message_handled();
        in_a_row = if outcome.well_formed { 0 } else { in_a_row + 1 };
        if let Some(reply) = written(&outcome.reply)
            && replies.send(reply).await.is_err()
        {
            return StreamEnd::Disconnected;
        }
        if in_a_row >= MAX_MALFORMED {
            return StreamEnd::TooManyMalformed;
        }
    }
}

fn written(reply: &LiveReply) -> Option<Bytes> {
    serde_json::to_vec(reply).map(Bytes::from).ok()
}
