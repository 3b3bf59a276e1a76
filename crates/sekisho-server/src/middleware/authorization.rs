//! Who may use a route: known, of a role that may, and not too often.

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

/// Besides its open questions a credential may have this many requests under way: each who waits holds a connection, and
/// some stay for the others.
const EXTRA_REQUESTS: usize = 64;

/// Lets a request through to its route with the [`Identity`] of whoever sent it.
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
        Err(fault) => return Err(count_rejection(&app, fault)),
    };
    let identity = Identity { forwarded: is_forwarded(request.headers()), ..identity };
    if !access.admits(identity.role) {
        let message = format!("`{}` has the role {}, which may not do this", identity.name, identity.role);
        return Err(count_rejection(&app, ApiError::forbidden(message)));
    }
    if !app.inner.rate_limits.allows_request(&identity.credential) {
        let message = format!("`{}` asks too often", identity.name);
        return Err(count_rejection(&app, ApiError::rate_limited(message)));
    }
    let most = app.settings().limits.open_approvals.saturating_add(EXTRA_REQUESTS);
    let Some(under_way) = app.inner.requests.acquire(&identity.credential, most) else {
        let message = format!("`{}` has too many requests under way", identity.name);
        return Err(count_rejection(
            &app,
            ApiError::rate_limited(message).with_hint("wait for some of them"),
        ));
    };
    if let Some(charge) = request.extensions().get::<RequestReservation>() {
        charge.assign_to(&app, &identity.credential);
    }
    // Nothing has happened yet, so it can be asked for again.
    if app.inner.body_budget.is_overdrawn(&identity.credential) {
        return Err(count_rejection(&app, ApiError::over_capacity()));
    }
    let name = LoggedIdentity(identity.name.clone());
    let taken = app.inner.body_budget.reservation_for(&identity.credential);
    let only_looks = request.method() == Method::GET;
    request.extensions_mut().insert(identity);
    let mut response = response_budget::charge_response(taken, only_looks, next.run(request).await);
    response.extensions_mut().insert(name);
    drop(under_way);
    Ok(response)
}

fn count_rejection(app: &App, fault: ApiError) -> ApiError {
    app.inner.metrics.rejected_requests.add();
    fault
}

/// Who sent a request. A token that is brought and is not good is a failure, whatever else there is.
pub(crate) async fn authenticate(
    app: &App,
    peer: Option<Peer>,
    headers: &HeaderMap,
) -> Result<Identity, ApiError> {
    let Some(peer) = peer else {
        return Err(ApiError::unauthenticated("nobody knows where this request comes from"));
    };
    let Some(carried) = presented_credential(app.settings(), headers)? else {
        return match peer {
            Peer::Unix(uid) => Ok(Identity::of_peer(uid)),
            // Nothing was guessed, so nothing is counted.
            Peer::Tcp(_) => Err(ApiError::unauthenticated("no token came with the request")),
        };
    };
    let Some(secret) = carried.secret else {
        return Err(failed_sign_in(app, peer, "what came as a token is none"));
    };
    match app.inner.authenticator.authenticate(&secret, app.now()).await? {
        Some(token) if token.kind == carried.kind => Ok(Identity::of_token(token, carried.channel, peer)),
        Some(token) => Err(failed_sign_in(app, peer, wrong_channel_message(token.kind))),
        None => Err(failed_sign_in(app, peer, "the token is not known, has expired or was revoked")),
    }
}

/// A browser's credential is worth nothing outside the browser, and a program's is never made to lie in one.
fn wrong_channel_message(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Api => "a program's token is not taken as a cookie",
        TokenKind::Device => "what a browser is known by is not taken as a token",
    }
}

/// Counts a failed attempt to come in.
pub(crate) fn failed_sign_in(app: &App, peer: Peer, why: &str) -> ApiError {
    match app.inner.rate_limits.allows_failure(peer) {
        true => ApiError::unauthenticated(why),
        false => ApiError::rate_limited("too many failed attempts; try again later"),
    }
}

/// Whether a proxy stands between: then nobody knows which machine the caller is on.
fn is_forwarded(headers: &HeaderMap) -> bool {
    let marks = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
    marks.iter().any(|name| headers.contains_key(*name))
}
