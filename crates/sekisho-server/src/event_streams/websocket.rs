//! A listener over a WebSocket: it is told what happens, and may answer.
//!
//! One task holds it. Telling and hearing go on side by side, so a device that is slow to read can still answer.

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
use super::message_budget::MessageBudget;
use super::stream_end::{StreamEnd, wait_for_end};
use super::subscriber::{Subscriber, acquire_stream_slot};
use super::websocket_upgrade::{WebSocket, WebSocketUpgrade};
use super::websocket_writer::WebSocketWriter;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::serve::ConnectionHandle;
use crate::wire::event::LiveReply;

/// How many replies wait to be written before no more is read.
const REPLIES: usize = 16;
/// So many messages in a row that nobody can make sense of, and the sender is sent away.
const SENSELESS: usize = 16;
/// How long the other end gets to say that it heard the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Makes a request a WebSocket, and holds it until it ends.
pub(crate) fn open(
    app: App,
    who: Identity,
    seat: Option<ConnectionHandle>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    let present = acquire_stream_slot(&app, &who)?;
    let most = max_message_size(&app, &who);
    let meter = MessageBudget::new(app.inner.body_budget.reservation_for(&who.credential));
    Ok(upgrade.accept(most, meter.clone(), move |socket| async move {
        let held = app.inner.metrics.listeners.hold();
        run(&app, &who, socket, &meter).await;
        drop((held, present, seat));
    }))
}

async fn run(app: &App, who: &Identity, socket: WebSocket, meter: &MessageBudget) {
    let pace = &app.settings().limits.stream_timing;
    let (sink, mut stream) = socket.split();
    let mut pen = WebSocketWriter::new(sink, pace.send_timeout);
    let (replies, waiting) = mpsc::channel(REPLIES);
    let end = tokio::select! {
        end = send_events(app, who, &mut pen, waiting) => end,
        end = receive_messages(app, who, (&mut stream, meter), replies) => end,
        end = wait_for_end(app, who) => end,
    };
    tracing::debug!(name = who.name, ?end, "a listener's WebSocket ends");
    if let Some((code, why)) = close_frame(&end) {
        let words = match end {
            StreamEnd::TooLarge => written(&malformed(too_large(max_message_size(app, who)), None).reply),
            _ => None,
        };
        let frame = CloseFrame { code, reason: why.into() };
        // The other end has to take it before the connection is cut, or it may never see it.
        let farewell = async {
            if pen.close(words.as_ref(), frame).await.is_ok() {
                while stream.next().await.is_some_and(|next| next.is_ok()) {}
            }
        };
        let _ = timeout(FAREWELL, farewell).await;
    }
}

/// What the other end is told about the end; none where there is nobody to tell.
fn close_frame(end: &StreamEnd) -> Option<(CloseCode, &'static str)> {
    match end {
        StreamEnd::Disconnected | StreamEnd::SendTimeout => None,
        StreamEnd::PingTimeout => Some((CloseCode::Policy, "nothing was heard for too long")),
        StreamEnd::TooLarge => Some((CloseCode::Size, "the message is larger than is taken")),
        StreamEnd::OverCapacity => Some((CloseCode::Again, "there is no room for the message")),
        StreamEnd::TooManyMalformed => Some((CloseCode::Policy, "too many messages that make no sense")),
        StreamEnd::TokenInvalid => Some((CloseCode::Policy, "the token has expired or was revoked")),
        StreamEnd::ServerStopping => Some((CloseCode::Away, "the server stops")),
        StreamEnd::LedgerDamaged => Some((CloseCode::Error, "the ledger cannot be read")),
    }
}

/// Tells what happens, replies to what was heard, and asks now and then whether the other end is there.
async fn send_events(
    app: &App,
    who: &Identity,
    pen: &mut WebSocketWriter,
    mut replies: mpsc::Receiver<Bytes>,
) -> StreamEnd {
    let every = app.settings().limits.stream_timing.ping_interval;
    let mut ping = interval_at(Instant::now() + every, every);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut listener = Subscriber::new(app, who, None);
    loop {
        let written = tokio::select! {
            biased;
            Some(reply) = replies.recv() => pen.write(&reply).await,
            _ = ping.tick() => pen.ping().await,
            frame = listener.next() => match frame {
                Ok(frame) => pen.write_frame(&frame).await,
                Err(error) => {
                    tracing::warn!(%error, "a listener cannot be told any more");
                    Err(StreamEnd::LedgerDamaged)
                }
            },
        };
        if let Err(end) = written {
            return end;
        }
    }
}

/// Takes what the other end says.
async fn receive_messages(
    app: &App,
    who: &Identity,
    (stream, meter): (&mut SplitStream<WebSocket>, &MessageBudget),
    replies: mpsc::Sender<Bytes>,
) -> StreamEnd {
    let silence = app.settings().limits.stream_timing.ping_timeout;
    let mut in_a_row = 0;
    loop {
        let Ok(next) = timeout(silence, stream.next()).await else { return StreamEnd::PingTimeout };
        let heard = match next {
            None => return StreamEnd::Disconnected,
            Some(Err(Error::Capacity(_))) => return StreamEnd::TooLarge,
            Some(Err(_)) if meter.is_full() => return StreamEnd::OverCapacity,
            Some(Err(error)) => {
                tracing::debug!(%error, "a WebSocket broke");
                return StreamEnd::Disconnected;
            }
            Some(Ok(Message::Text(text))) => handle_message(app, who, text.as_str(), meter).await,
            Some(Ok(Message::Binary(_))) => {
                malformed(ApiError::invalid("the message is binary; it has to be JSON as text"), None)
            }
            Some(Ok(Message::Ping(payload) | Message::Pong(payload))) => {
                meter.control_frame_skipped(payload.len());
                continue;
            }
            Some(Ok(Message::Close(_) | Message::Frame(_))) => continue,
        };
        meter.message_handled();
        in_a_row = if heard.well_formed { 0 } else { in_a_row + 1 };
        if let Some(reply) = written(&heard.reply)
            && replies.send(reply).await.is_err()
        {
            return StreamEnd::Disconnected;
        }
        if in_a_row >= SENSELESS {
            return StreamEnd::TooManyMalformed;
        }
    }
}

fn written(reply: &LiveReply) -> Option<Bytes> {
    serde_json::to_vec(reply).map(Bytes::from).ok()
}
