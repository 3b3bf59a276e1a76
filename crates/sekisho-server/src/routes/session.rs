//! Routes to sign in with a link, to get the current session, and to sign out.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use jiff::{SignedDuration, Timestamp};
use sekisho_gate::token_store::{self, NewDevice, TokenKind};

use crate::access::Access;
use crate::app::App;
use crate::auth::{Identity, LinkSecret, Peer, TokenSecret, describe_browser, set_cookie, unset_cookie};
use crate::config_warning::Warning;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse};
use crate::middleware;
use crate::route::Route;
use crate::wire::token::{SessionBody, SessionKind, SignIn, SignedIn};

const PATH: &str = "/api/session";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, PATH, Access::Open, "signIn", sign_in)
            .summary("Signs a browser in with a link")
            .notes("A link works once, for a short time. The browser's credential has two halves, and both are needed: a cookie that scripts cannot read, and `pageKey`. The page sends `pageKey` in the header `X-Sekisho-Page` of every request. A WebSocket offers two subprotocols instead: `sekisho` and `sekisho.page.<pageKey>`.")
            .request_body::<SignIn>()
            .response::<SignedIn>(200)
            .error_statuses(&[401]),
        Route::new(Method::GET, PATH, Access::ANY_ROLE, "getSession", who_am_i)
            .summary("Gets the caller's identity and facts about this server")
            .response::<SessionBody>(200),
        Route::new(Method::DELETE, PATH, Access::ANY_ROLE, "signOut", sign_out)
            .summary("Signs a browser out and revokes its credential")
            .media_response(204, "")
            .error_statuses(&[409]),
    ]
}

async fn sign_in(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    JsonBody(body, _memory): JsonBody<SignIn>,
) -> Result<Response, ApiError> {
    let wrong = || {
        let error = middleware::failed_sign_in(&app, peer, "the link is unknown, expired or already used");
        error.with_hint("get a new link: run `sekisho token link`, or ask an admin")
    };
    let Some(link) = LinkSecret::parse(&body.link) else { return Err(wrong()) };
    let at = app.now();
    let secret = TokenSecret::make(at).map_err(broken)?;
    let halves = secret.split().and_then(|(cookie, page)| Some((set_cookie(app.settings(), &cookie)?, page)));
    let (cookie, page_key) = halves.ok_or_else(|| broken("cannot write the cookie".into()))?;
    let lifetime =
        SignedDuration::try_from(app.settings().limits.device_lifetime).unwrap_or(SignedDuration::MAX);
    let device = NewDevice {
        id: secret.id,
        hash: secret.hash(),
        user_agent: describe_browser(&headers),
        expires_at: Some(at.checked_add(lifetime).unwrap_or(Timestamp::MAX)),
    };
    let Some(token) = app.inner.parts.tokens.follow_link(link.hash(), device, at).await? else {
        return Err(wrong());
    };
    app.inner.authenticator.invalidate();
    let signed_in = SignedIn { name: token.name, role: token.role, page_key };
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), JsonResponse(signed_in)).into_response())
}

fn broken(why: String) -> ApiError {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", why)
}

async fn who_am_i(State(app): State<App>, Extension(who): Extension<Identity>) -> JsonResponse<SessionBody> {
    let settings = app.settings();
    let reads = Access::READ.admits(who.role);
    let kind = match who.token.as_ref().map(|token| token.kind) {
        Some(TokenKind::Api) => SessionKind::Api,
        Some(TokenKind::Device) => SessionKind::Device,
        None => SessionKind::Socket,
    };
    JsonResponse(SessionBody {
        id: who.token_id(),
        name: who.name,
        role: who.role,
        kind,
        expires_at: who.token.and_then(|token| token.expires_at),
        version: env!("CARGO_PKG_VERSION").into(),
        asks: app.gate().settings().confirmations,
        address: reads.then(|| settings.address.clone()),
        warnings: reads.then(|| settings.warnings.iter().map(Warning::sentence).collect()),
        warning_codes: reads.then(|| settings.warnings.clone()),
        projects: reads.then(|| settings.projects.clone()),
    })
}

async fn sign_out(State(app): State<App>, Extension(who): Extension<Identity>) -> Result<Response, ApiError> {
    let by = who.actor();
    let Some(token) = who.token.filter(|token| token.kind == TokenKind::Device) else {
        let message = format!("`{}` is not a browser that signed in", who.name);
        return Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message)
            .with_hint("an admin can revoke other tokens: `DELETE /api/tokens/{id}`"));
    };
    let at = app.now();
    // Allowed even for the last admin: people must always be able to sign out of a machine.
    token_store::sign_out(&*app.inner.parts.tokens, &token, Some(by), at).await?;
    app.inner.authenticator.invalidate();
    let cookie = unset_cookie(app.settings()).map(|cookie| (header::SET_COOKIE, cookie));
    Ok((StatusCode::NO_CONTENT, AppendHeaders(cookie)).into_response())
}
