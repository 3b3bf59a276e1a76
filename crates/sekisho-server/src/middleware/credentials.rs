//! The credential that a request presents.
//!
//! A program sends its whole token. A browser sends a device's token in two halves: one in the cookie, which
//! scripts cannot read but which browsers send to every port of the host, and one from the page, which only
//! pages of our own origin can read. Neither half is enough alone, so another server on this machine gains
//! nothing from receiving the cookie.

use axum::http::{HeaderMap, header};
use sekisho_gate::token_store::TokenKind;

use crate::auth::{TokenSecret, read_cookie};
use crate::error::ApiError;
use crate::settings::Settings;

/// The WebSocket subprotocol that carries a token, for clients that cannot set a header.
const TOKEN_PROTOCOL: &str = "sekisho.token.";
/// The subprotocol that carries the page's half, for the same reason.
const PAGE_PROTOCOL: &str = "sekisho.page.";
/// The header that carries the page's half.
pub(super) const PAGE_HEADER: &str = "x-sekisho-page";

/// A credential as it was presented.
pub(super) struct PresentedCredential {
    /// Its secret; `None` if it is malformed.
    pub(super) secret: Option<TokenSecret>,
    /// The kind of token that this channel accepts.
    pub(super) kind: TokenKind,
    /// The channel: `web`, `terminal`, `api`.
    pub(super) channel: &'static str,
}

/// The credential of a request, if it has one. Half a credential is an error.
pub(super) fn presented_credential(
    settings: &Settings,
    headers: &HeaderMap,
) -> Result<Option<PresentedCredential>, ApiError> {
    let whole = |text: &str, channel| {
        Some(PresentedCredential { secret: TokenSecret::parse(text), kind: TokenKind::Api, channel })
    };
    if let Some(text) = bearer(headers)? {
        return Ok(whole(text, if from_terminal(headers) { "terminal" } else { "api" }));
    }
    if let Some(text) = protocol(headers, TOKEN_PROTOCOL)? {
        return Ok(whole(text, "api"));
    }
    let page = headers.get(PAGE_HEADER).map(|value| value.to_str().unwrap_or_default());
    // A missing half is not a guess, so it is not counted as a failed sign-in.
    let page = page.or(protocol(headers, PAGE_PROTOCOL)?);
    match (read_cookie(settings, headers), page) {
        (Some(cookie), Some(page)) => {
            let secret = TokenSecret::join(&cookie, page);
            Ok(Some(PresentedCredential { secret, kind: TokenKind::Device, channel: "web" }))
        }
        (Some(_), None) => {
            Err(half_credential_error("this page has lost its key: sign in again with a link"))
        }
        (None, Some(_)) => {
            Err(half_credential_error("this browser has lost its cookie: sign in again with a link"))
        }
        (None, None) => Ok(None),
    }
}

fn half_credential_error(message: &str) -> ApiError {
    ApiError::unauthenticated(message)
        .with_hint("create a link with `sekisho token link`, or ask an admin for one")
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().ok().and_then(|text| text.split_once(' '));
    match text {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim())),
        _ => Err(ApiError::unauthenticated("`Authorization` must be `Bearer sks_…`")),
    }
}

/// The text after a prefix in the offered subprotocols. More than one is an error.
fn protocol<'h>(headers: &'h HeaderMap, prefix: &str) -> Result<Option<&'h str>, ApiError> {
    let lines =
        headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    let names = lines.flat_map(|line| line.split(',')).map(str::trim);
    let mut found = names.filter_map(|name| name.strip_prefix(prefix));
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(ApiError::invalid(format!("`{prefix}…` was offered more than once"))),
        (found, None) => Ok(found),
    }
}

fn from_terminal(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    agent.is_some_and(|agent| agent.starts_with("sekisho-terminal/"))
}
