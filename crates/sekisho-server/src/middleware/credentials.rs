//! What a request brings to be known by.
//!
//! A program brings its whole token. A browser brings a device's in two halves: one in the cookie, which scripts cannot read
//! but which browsers send to every port of the host, and one from the page, which only pages of our own origin can read.
//! Neither opens anything alone, so whoever else listens on this machine gains nothing by being sent the cookie.

use axum::http::{HeaderMap, header};
use sekisho_gate::token_store::TokenKind;

use crate::auth::{TokenSecret, read_cookie};
use crate::error::ApiError;
use crate::settings::Settings;

/// The WebSocket subprotocol that carries a token, for clients that cannot set a header.
const TOKEN_PROTOCOL: &str = "sekisho.token.";
/// The one that carries a page's half, for the same reason.
const PAGE_PROTOCOL: &str = "sekisho.page.";
/// The header that carries a page's half.
pub(super) const PAGE_HEADER: &str = "x-sekisho-page";

/// A credential, as it was brought.
pub(super) struct PresentedCredential {
    /// Its secret; none where what came cannot be one.
    pub(super) secret: Option<TokenSecret>,
    /// What kind may come this way.
    pub(super) kind: TokenKind,
    /// The way it came: `web`, `terminal`, `api`.
    pub(super) channel: &'static str,
}

/// What a request brings, if anything. Half a credential is a failure.
pub(super) fn presented_credential(
    settings: &Settings,
    headers: &HeaderMap,
) -> Result<Option<PresentedCredential>, ApiError> {
    let whole = |text: &str, how| {
        Some(PresentedCredential { secret: TokenSecret::parse(text), kind: TokenKind::Api, channel: how })
    };
    if let Some(text) = bearer(headers)? {
        return Ok(whole(text, if from_terminal(headers) { "terminal" } else { "api" }));
    }
    if let Some(text) = protocol(headers, TOKEN_PROTOCOL)? {
        return Ok(whole(text, "api"));
    }
    let page = headers.get(PAGE_HEADER).map(|value| value.to_str().unwrap_or_default());
    // Half of it missing is no guess, so it is not counted as one.
    let page = page.or(protocol(headers, PAGE_PROTOCOL)?);
    match (read_cookie(settings, headers), page) {
        (Some(cookie), Some(page)) => {
            let secret = TokenSecret::join(&cookie, page);
            Ok(Some(PresentedCredential { secret, kind: TokenKind::Device, channel: "web" }))
        }
        (Some(_), None) => Err(half_credential_error("this page has lost its key: sign in again by a link")),
        (None, Some(_)) => {
            Err(half_credential_error("this browser has lost its cookie: sign in again by a link"))
        }
        (None, None) => Ok(None),
    }
}

fn half_credential_error(message: &str) -> ApiError {
    ApiError::unauthenticated(message).with_hint("`sekisho token link` makes one, or an admin's page")
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().ok().and_then(|text| text.split_once(' '));
    match text {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim())),
        _ => Err(ApiError::unauthenticated("`Authorization` has to be `Bearer sks_…`")),
    }
}

/// What stands behind a prefix in the subprotocols that are offered. More than one is a failure.
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
