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

use super::incoming::{hear, longest, senseless, too_large};
use super::leaving::{End, over};
use super::listener::{Listener, enter};
use super::meter::Meter;
use super::pen::Pen;
use super::upgrade::{Socket, Upgrade};
use crate::app::App;
use crate::auth::Identity;
use crate::error::Fault;
use crate::serve::Seat;
use crate::wire::event::LiveReply;

/// How many replies wait to be written before no more is read.
const REPLIES: usize = 16;
/// So many messages in a row that nobody can make sense of, and the sender is sent away.
const SENSELESS: usize = 16;
/// How long the other end gets to say that it heard the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Makes a request a WebSocket, and holds it until it ends.
pub(crate) fn open(app: App, who: Identity, seat: Option<Seat>, upgrade: Upgrade) -> Result<Response, Fault> {
    let present = enter(&app, &who)?;
    let most = longest(&app, &who);
    let meter = Meter::new(app.inner.room.of(&who.credential));
    Ok(upgrade.accept(most, meter.clone(), move |socket| async move {
        let held = app.inner.metrics.listeners.hold();
        hold(&app, &who, socket, &meter).await;
        drop((held, present, seat));
    }))
}

async fn hold(app: &App, who: &Identity, socket: Socket, meter: &Meter) {
    let pace = &app.settings().limits.pace;
    let (sink, mut stream) = socket.split();
    let mut pen = Pen::new(sink, pace.send);
    let (replies, waiting) = mpsc::channel(REPLIES);
    let end = tokio::select! {
        end = tell(app, who, &mut pen, waiting) => end,
        end = listen(app, who, (&mut stream, meter), replies) => end,
        end = over(app, who) => end,
    };
    tracing::debug!(name = who.name, ?end, "a listener's WebSocket ends");
    if let Some((code, why)) = said(&end) {
        let words = match end {
            End::TooLarge => written(&senseless(too_large(longest(app, who)), None).reply),
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
fn said(end: &End) -> Option<(CloseCode, &'static str)> {
    match end {
        End::Left | End::Slow => None,
        End::Silent => Some((CloseCode::Policy, "nothing was heard for too long")),
        End::TooLarge => Some((CloseCode::Size, "the message is larger than is taken")),
        End::NoRoom => Some((CloseCode::Again, "there is no room for the message")),
        End::Senseless => Some((CloseCode::Policy, "too many messages that make no sense")),
        End::NotKnown => Some((CloseCode::Policy, "the token has expired or was revoked")),
        End::Closing => Some((CloseCode::Away, "the server stops")),
        End::Damaged => Some((CloseCode::Error, "the ledger cannot be read")),
    }
}

/// Tells what happens, replies to what was heard, and asks now and then whether the other end is there.
async fn tell(app: &App, who: &Identity, pen: &mut Pen, mut replies: mpsc::Receiver<Bytes>) -> End {
    let every = app.settings().limits.pace.ping;
    let mut ping = interval_at(Instant::now() + every, every);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut listener = Listener::new(app, who, None);
    loop {
        let written = tokio::select! {
            biased;
            Some(reply) = replies.recv() => pen.write(&reply).await,
            _ = ping.tick() => pen.ping().await,
            frame = listener.next() => match frame {
                Ok(frame) => pen.tell(&frame).await,
                Err(error) => {
                    tracing::warn!(%error, "a listener cannot be told any more");
                    Err(End::Damaged)
                }
            },
        };
        if let Err(end) = written {
            return end;
        }
    }
}

/// Takes what the other end says.
async fn listen(
    app: &App,
    who: &Identity,
    (stream, meter): (&mut SplitStream<Socket>, &Meter),
    replies: mpsc::Sender<Bytes>,
) -> End {
    let silence = app.settings().limits.pace.silence;
    let mut in_a_row = 0;
    loop {
        let Ok(next) = timeout(silence, stream.next()).await else { return End::Silent };
        let heard = match next {
            None => return End::Left,
            Some(Err(Error::Capacity(_))) => return End::TooLarge,
            Some(Err(_)) if meter.is_full() => return End::NoRoom,
            Some(Err(error)) => {
                tracing::debug!(%error, "a WebSocket broke");
                return End::Left;
            }
            Some(Ok(Message::Text(text))) => hear(app, who, text.as_str(), meter).await,
            Some(Ok(Message::Binary(_))) => {
                senseless(Fault::invalid("the message is binary; it has to be JSON as text"), None)
            }
            Some(Ok(Message::Ping(payload) | Message::Pong(payload))) => {
                meter.passed(payload.len());
                continue;
            }
            Some(Ok(Message::Close(_) | Message::Frame(_))) => continue,
        };
        meter.heard();
        in_a_row = if heard.sensible { 0 } else { in_a_row + 1 };
        if let Some(reply) = written(&heard.reply)
            && replies.send(reply).await.is_err()
        {
            return End::Left;
        }
        if in_a_row >= SENSELESS {
            return End::Senseless;
        }
    }
}

fn written(reply: &LiveReply) -> Option<Bytes> {
    serde_json::to_vec(reply).map(Bytes::from).ok()
}
