//! The HTTP upgrade to a WebSocket.
//!
//! axum has this too, but its socket writes only whole messages, and keeps a copy of each until it is read. A
//! snapshot can be many megabytes, for hundreds of devices at once; this socket can write it in pieces.

use std::future::Future;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::PIECE;
use super::received_bytes_budget::{ChargedConnection, MessageBudget};
use crate::error::ApiError;

/// Our subprotocol, for clients that have to name one.
const PROTOCOL: &str = "sekisho";
/// How many bytes are read at once.
const READ: usize = 8 << 10;

/// A WebSocket.
pub(super) type WebSocket = WebSocketStream<ChargedConnection<TokioIo<Upgraded>>>;

/// A request for a WebSocket upgrade.
pub(crate) struct WebSocketUpgrade {
    key: HeaderValue,
    named: bool,
    upgrade: OnUpgrade,
}

impl<S: Send + Sync> FromRequestParts<S> for WebSocketUpgrade {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<WebSocketUpgrade, ApiError> {
        let headers = &parts.headers;
        let wants =
            lists(headers, header::CONNECTION, "upgrade") && lists(headers, header::UPGRADE, "websocket");
        if parts.method != Method::GET || !wants {
            let message = "this route needs a WebSocket upgrade";
            return Err(ApiError::new(StatusCode::UPGRADE_REQUIRED, "UpgradeRequired", message)
                .with_hint("use a WebSocket client, or `GET /api/events` for server-sent events"));
        }
        if !lists(headers, header::SEC_WEBSOCKET_VERSION, "13") {
            return Err(ApiError::invalid("`Sec-WebSocket-Version` must be 13"));
        }
        let key = headers.get(header::SEC_WEBSOCKET_KEY).cloned();
        let key = key.ok_or_else(|| ApiError::invalid("`Sec-WebSocket-Key` is missing"))?;
        let named = lists(headers, header::SEC_WEBSOCKET_PROTOCOL, PROTOCOL);
        let upgrade = parts.extensions.remove::<OnUpgrade>();
        let upgrade =
            upgrade.ok_or_else(|| ApiError::invalid("this connection cannot become a WebSocket"))?;
        Ok(WebSocketUpgrade { key, named, upgrade })
    }
}

impl WebSocketUpgrade {
    /// Accepts the upgrade and passes the socket to `hold`. `most` is the largest message that is handled; a
    /// message up to twice as large is read so that an error can be sent. Bytes read are charged to `budget`.
    pub(super) fn accept<F, H>(self, most: usize, budget: MessageBudget, hold: H) -> Response
    where
        H: FnOnce(WebSocket) -> F + Send + 'static,
        F: Future<Output = ()> + Send,
    {
        let upgrade = self.upgrade;
        tokio::spawn(async move {
            match upgrade.await {
                Ok(upgraded) => {
                    let io = ChargedConnection { inner: TokioIo::new(upgraded), budget };
                    hold(WebSocketStream::from_raw_socket(io, Role::Server, Some(config(most))).await).await;
                }
                Err(error) => tracing::debug!(%error, "a WebSocket upgrade failed"),
            }
        });
        let mut response = StatusCode::SWITCHING_PROTOCOLS.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        // The key is the base64 form of sixteen bytes, and so is the value derived from it: both are valid
        // header values.
        if let Ok(accept) = HeaderValue::from_str(&derive_accept_key(self.key.as_bytes())) {
            headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        }
        if self.named {
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        }
        response
    }
}

fn config(longest: usize) -> WebSocketConfig {
    let most = longest.saturating_mul(2);
    WebSocketConfig::default()
        .read_buffer_size(READ)
        .write_buffer_size(0)
        .max_write_buffer_size(PIECE.saturating_mul(2))
        .max_message_size(Some(most))
        .max_frame_size(Some(most))
}

/// Whether a header lists a word.
fn lists(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let lines = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| one.trim().eq_ignore_ascii_case(word))
}
