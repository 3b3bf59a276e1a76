//! Serves one subscriber over server-sent events.
//!
//! A separate task writes, and the connection takes piece by piece. So the task notices a client that reads
//! nothing, which the connection itself would not.

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
/// How many milliseconds a browser waits before it reconnects.
const BEGINNING: &str = "retry: 2000\n\n";
pub(super) const COMMENT: &str = ":\n\n";

/// Opens a stream, after the last event that the client received.
pub(crate) fn open(
    app: App,
    who: Identity,
    connection: Option<ConnectionHandle>,
    from: Option<u64>,
) -> Result<Response, ApiError> {
    let subscriber = who.clone();
    respond(app, who, connection, move |app, pieces| async move {
        send_events(&app, &subscriber, &pieces, from).await
    })
}

/// Opens a stream that `write` writes to, piece by piece.
pub(crate) fn respond<W, F>(
    app: App,
    who: Identity,
    connection: Option<ConnectionHandle>,
    write: W,
) -> Result<Response, ApiError>
where
    W: FnOnce(App, mpsc::Sender<Bytes>) -> F + Send + 'static,
    F: Future<Output = StreamEnd> + Send,
{
    let slot = acquire_stream_slot(&app, &who)?;
    let (pieces, receiver) = mpsc::channel(PIECES);
    tokio::spawn(async move {
        let held = app.inner.metrics.listeners.hold();
        run(&app, &who, connection, &pieces, write(app.clone(), pieces.clone())).await;
        drop((held, slot));
    });
    let body = unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|piece: Bytes| (Ok::<_, Infallible>(piece), receiver))
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
    connection: Option<ConnectionHandle>,
    pieces: &mpsc::Sender<Bytes>,
    writing: impl Future<Output = StreamEnd>,
) {
    let end = tokio::select! {
        end = writing => end,
        end = wait_for_end(app, who) => end,
        () = pieces.closed() => StreamEnd::Disconnected,
    };
    tracing::debug!(name = who.name, ?end, "a subscriber's event stream ends");
    // Otherwise the stream ends normally, with the last piece that was read.
    if matches!(end, StreamEnd::SendTimeout | StreamEnd::TokenInvalid)
        && let Some(connection) = connection
    {
        connection.close();
    }
}

async fn send_events(
    app: &App,
    who: &Identity,
    pieces: &mpsc::Sender<Bytes>,
    from: Option<u64>,
) -> StreamEnd {
    let timing = &app.settings().limits.stream_timing;
    let mut subscriber = Subscriber::new(app, who, from);
    let mut texts = vec![Bytes::from_static(BEGINNING.as_bytes())];
    // The frame is held until it is sent, and its memory charged until then.
    let mut current = None;
    loop {
        for text in texts {
            let goes_on = || current.as_ref().is_none_or(|frame: &Arc<Frame>| frame.is_active());
            if let Err(end) = send(pieces, text, timing.send_timeout, goes_on).await {
                return end;
            }
        }
        drop(current.take());
        texts = match timeout(timing.comment_interval, subscriber.next()).await {
            Ok(Ok(frame)) => joined(current.insert(frame).sse_parts()),
            Ok(Err(error)) => {
                tracing::warn!(%error, "cannot send events to a subscriber any more");
                return StreamEnd::LedgerDamaged;
            }
            Err(_) => vec![Bytes::from_static(COMMENT.as_bytes())],
        };
    }
}

/// Joins the parts of a short event; a long one is not copied.
fn joined(parts: [Bytes; 3]) -> Vec<Bytes> {
    match parts.iter().map(Bytes::len).sum::<usize>() <= PIECE {
        true => vec![parts.concat().into()],
        false => parts.into(),
    }
}

/// Sends a text in pieces. Fails if the client takes no piece for `send_timeout`.
pub(super) async fn send(
    pieces: &mpsc::Sender<Bytes>,
    mut text: Bytes,
    send_timeout: Duration,
    is_active: impl Fn() -> bool,
) -> Result<(), StreamEnd> {
    while !text.is_empty() {
        if !is_active() {
            return Err(StreamEnd::SendTimeout);
        }
        let piece = text.split_to(PIECE.min(text.len()));
        match timeout(send_timeout, pieces.send(piece)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(StreamEnd::Disconnected),
            Err(_) => return Err(StreamEnd::SendTimeout),
        }
    }
    Ok(())
}
