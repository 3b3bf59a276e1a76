//! Authenticates the caller, checks its role, and applies rate and concurrency limits.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;
use sekisho_gate::token_store::TokenKind;

use super::body_limit::RequestReservation;
use super::credentials::presented_credential;
use super::request_lifecycle::LoggedIdentity;
use super::response_budget;
use crate::access::Access;
use crate::app::App;
use crate::auth::{Identity, Peer};
use crate::error::ApiError;

/// How many requests a credential may have in progress besides those waiting for its open approvals. Each
/// waiting request holds a connection; the limit leaves connections for other callers.
const EXTRA_REQUESTS: usize = 64;

/// Passes a request to its route with the [`Identity`] of its sender.
pub(crate) async fn authorize(
    State((app, access)): State<(App, Access)>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if access == Access::Open {
        return Ok(next.run(request).await);
    }
    let peer = request.extensions().get::<Peer>().copied();
    let identity = match authenticate(&app, peer, request.headers()).await {
        Ok(identity) => identity,
        Err(error) => return Err(count_rejection(&app, error)),
    };
    let identity = Identity { forwarded: is_forwarded(request.headers()), ..identity };
    if !access.admits(identity.role) {
        let message = format!("`{}` has the role `{}`, which may not do this", identity.name, identity.role);
        return Err(count_rejection(&app, ApiError::forbidden(message)));
    }
    if !app.inner.rate_limits.allows_request(&identity.credential) {
        let message = format!("`{}` sends too many requests", identity.name);
        return Err(count_rejection(&app, ApiError::rate_limited(message)));
    }
    let limit = app.settings().limits.open_approvals.saturating_add(EXTRA_REQUESTS);
    let Some(slot) = app.inner.requests.acquire(&identity.credential, limit) else {
        let message = format!("`{}` has too many requests in progress", identity.name);
        return Err(count_rejection(
            &app,
            ApiError::rate_limited(message).with_hint("wait until some of them are done"),
        ));
    };
    if let Some(reservation) = request.extensions().get::<RequestReservation>() {
        reservation.assign_to(&app, &identity.credential);
    }
    // Nothing has happened yet, so the caller can try again.
    if app.inner.memory_budget.is_overdrawn(&identity.credential) {
        return Err(count_rejection(&app, ApiError::over_capacity()));
    }
    let name = LoggedIdentity(identity.name.clone());
    let response_reservation = app.inner.memory_budget.reservation_for(&identity.credential);
    let is_read = request.method() == Method::GET;
    request.extensions_mut().insert(identity);
    let mut response =
        response_budget::charge_response(response_reservation, is_read, next.run(request).await);
    response.extensions_mut().insert(name);
    drop(slot);
    Ok(response)
}

fn count_rejection(app: &App, error: ApiError) -> ApiError {
    app.inner.metrics.rejected_requests.add();
    error
}

/// Who sent a request. An invalid token is an error, even on the Unix socket.
pub(crate) async fn authenticate(
    app: &App,
    peer: Option<Peer>,
    headers: &HeaderMap,
) -> Result<Identity, ApiError> {
    let Some(peer) = peer else {
        return Err(ApiError::unauthenticated("the origin of this request is unknown"));
    };
    let Some(presented) = presented_credential(app.settings(), headers)? else {
        return match peer {
            Peer::Unix(uid) => Ok(Identity::of_peer(uid)),
            // No secret was guessed, so this is not counted as a failed sign-in.
            Peer::Tcp(_) => Err(ApiError::unauthenticated("the request has no token")),
        };
    };
    let Some(secret) = presented.secret else {
        return Err(failed_sign_in(app, peer, "the token is malformed"));
    };
    match app.inner.authenticator.authenticate(&secret, app.now()).await? {
        Some(token) if token.kind == presented.kind => Ok(Identity::of_token(token, presented.channel, peer)),
        Some(token) => Err(failed_sign_in(app, peer, wrong_channel_message(token.kind))),
        None => Err(failed_sign_in(app, peer, "the token is unknown, expired or revoked")),
    }
}

/// A browser's credential works only in a browser, and a program's token is never stored in one.
fn wrong_channel_message(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Api => "an API token cannot be used as a cookie",
        TokenKind::Device => "a browser's credential cannot be used as an API token",
    }
}

/// Counts a failed sign-in and returns the error for it.
pub(crate) fn failed_sign_in(app: &App, peer: Peer, why: &str) -> ApiError {
    match app.inner.rate_limits.allows_failure(peer) {
        true => ApiError::unauthenticated(why),
        false => ApiError::rate_limited("too many failed attempts; try again later"),
    }
}

/// Whether a proxy forwarded the request: then the caller's machine is unknown.
fn is_forwarded(headers: &HeaderMap) -> bool {
    let marks = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
    marks.iter().any(|name| headers.contains_key(*name))
}
