//! A listener over server-sent events.
//!
//! A task of its own writes, and the connection takes piece by piece: so it can be seen that one takes nothing any more,
//! which the connection itself would not notice.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::PIECE;
use super::frame::Frame;
use super::stream_end::{StreamEnd, wait_for_end};
use super::subscriber::{Subscriber, acquire_stream_slot};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::serve::ConnectionHandle;

/// How many pieces wait for the connection.
const PIECES: usize = 2;
/// After how many milliseconds a browser comes back.
const BEGINNING: &str = "retry: 2000\n\n";
const COMMENT: &str = ":\n\n";

/// Begins a stream, after an event that was heard before.
pub(crate) fn open(
    app: App,
    who: Identity,
    seat: Option<ConnectionHandle>,
    from: Option<u64>,
) -> Result<Response, ApiError> {
    let present = acquire_stream_slot(&app, &who)?;
    let (pieces, taken) = mpsc::channel(PIECES);
    tokio::spawn(async move {
        let held = app.inner.metrics.listeners.hold();
        run(&app, &who, seat, pieces, from).await;
        drop((held, present));
    });
    let body = unfold(taken, |mut taken| async {
        taken.recv().await.map(|piece: Bytes| (Ok::<_, Infallible>(piece), taken))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(body)).into_response())
}

async fn run(
    app: &App,
    who: &Identity,
    seat: Option<ConnectionHandle>,
    pieces: mpsc::Sender<Bytes>,
    from: Option<u64>,
) {
    let end = tokio::select! {
        end = send_events(app, who, &pieces, from) => end,
        end = wait_for_end(app, who) => end,
        () = pieces.closed() => StreamEnd::Disconnected,
    };
    tracing::debug!(name = who.name, ?end, "a listener's stream ends");
    // Otherwise the stream ends in good order, with the last piece that was taken.
    if matches!(end, StreamEnd::SendTimeout | StreamEnd::TokenInvalid)
        && let Some(seat) = seat
    {
        seat.close();
    }
}

async fn send_events(
    app: &App,
    who: &Identity,
    pieces: &mpsc::Sender<Bytes>,
    from: Option<u64>,
) -> StreamEnd {
    let pace = &app.settings().limits.stream_timing;
    let mut listener = Subscriber::new(app, who, from);
    let mut texts = vec![Bytes::from_static(BEGINNING.as_bytes())];
    // What is being told is held until it is sent: so long it takes its room.
    let mut told = None;
    loop {
        for text in texts {
            let goes_on = || told.as_ref().is_none_or(|frame: &Arc<Frame>| frame.is_active());
            if let Err(end) = send(pieces, text, pace.send_timeout, goes_on).await {
                return end;
            }
        }
        drop(told.take());
        texts = match timeout(pace.comment_interval, listener.next()).await {
            Ok(Ok(frame)) => joined(told.insert(frame).sse_parts()),
            Ok(Err(error)) => {
                tracing::warn!(%error, "a listener cannot be told any more");
                return StreamEnd::LedgerDamaged;
            }
            Err(_) => vec![Bytes::from_static(COMMENT.as_bytes())],
        };
    }
}

/// A short event is one text; a long one is not copied.
fn joined(parts: [Bytes; 3]) -> Vec<Bytes> {
    match parts.iter().map(Bytes::len).sum::<usize>() <= PIECE {
        true => vec![parts.concat().into()],
        false => parts.into(),
    }
}

/// Hands over a text in pieces. One who takes no piece for so long takes nothing.
async fn send(
    pieces: &mpsc::Sender<Bytes>,
    mut text: Bytes,
    patience: Duration,
    goes_on: impl Fn() -> bool,
) -> Result<(), StreamEnd> {
    while !text.is_empty() {
        if !goes_on() {
            return Err(StreamEnd::SendTimeout);
        }
        let piece = text.split_to(PIECE.min(text.len()));
        match timeout(patience, pieces.send(piece)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(StreamEnd::Disconnected),
            Err(_) => return Err(StreamEnd::SendTimeout),
        }
    }
    Ok(())
}
