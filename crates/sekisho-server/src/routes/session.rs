//! Signing in by a link, knowing who one is, signing out.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use jiff::{SignedDuration, Timestamp};
use sekisho_gate::tokens::{self, Device, TokenKind};

use crate::access::Access;
use crate::app::App;
use crate::auth::{Identity, LinkSecret, Peer, TokenSecret, says, set_cookie, unset_cookie};
use crate::body::{Body, Json};
use crate::edge;
use crate::error::Fault;
use crate::route::Route;
use crate::warning::Warning;
use crate::wire::token::{SessionBody, SessionKind, SignIn, SignedIn};

const PATH: &str = "/api/session";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, PATH, Access::Open, "signIn", sign_in)
            .says("Follows a link: the browser that sends this is known from then on")
            .notes("A link is good once, for a short while. What the browser is known by comes in two halves, neither of which is enough: a cookie that scripts cannot read, and `pageKey`, which the page keeps and sends with every request as `X-Sekisho-Page`, or for a WebSocket as the protocol `sekisho.page.<pageKey>` beside `sekisho`.")
            .takes::<SignIn>()
            .gives::<SignedIn>(200)
            .faults(&[401]),
        Route::new(Method::GET, PATH, Access::KNOWN, "getSession", who_am_i)
            .says("Who am I, and what is this server like?")
            .gives::<SessionBody>(200),
        Route::new(Method::DELETE, PATH, Access::KNOWN, "signOut", sign_out)
            .says("Signs a browser out: what it was known by counts no more")
            .gives_other(204, "")
            .faults(&[409]),
    ]
}

async fn sign_in(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    Body(body, _memory): Body<SignIn>,
) -> Result<Response, Fault> {
    let wrong = || {
        let fault = edge::failed(&app, peer, "the link is not known, has expired or was followed before");
        fault.hint("ask for a new one: `sekisho token link`, or an admin's page")
    };
    let Some(link) = LinkSecret::parse(&body.link) else { return Err(wrong()) };
    let at = app.now();
    let secret = TokenSecret::make(at).map_err(broken)?;
    let halves = secret.split().and_then(|(cookie, page)| Some((set_cookie(app.settings(), &cookie)?, page)));
    let (cookie, page_key) = halves.ok_or_else(|| broken("the cookie cannot be written".into()))?;
    let lasts = SignedDuration::try_from(app.settings().limits.device).unwrap_or(SignedDuration::MAX);
    let device = Device {
        id: secret.id,
        hash: secret.hash(),
        says: says(&headers),
        expires_at: Some(at.checked_add(lasts).unwrap_or(Timestamp::MAX)),
    };
    let Some(token) = app.inner.parts.tokens.follow_link(link.hash(), device, at).await? else {
        return Err(wrong());
    };
    app.inner.doorkeeper.forget();
    let signed_in = SignedIn { name: token.name, role: token.role, page_key };
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Json(signed_in)).into_response())
}

fn broken(why: String) -> Fault {
    Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", why)
}

async fn who_am_i(State(app): State<App>, Extension(who): Extension<Identity>) -> Json<SessionBody> {
    let settings = app.settings();
    let reads = Access::READ.admits(who.role);
    let kind = match who.token.as_ref().map(|token| token.kind) {
        Some(TokenKind::Api) => SessionKind::Api,
        Some(TokenKind::Device) => SessionKind::Device,
        None => SessionKind::Socket,
    };
    Json(SessionBody {
        id: who.token_id(),
        name: who.name,
        role: who.role,
        kind,
        expires_at: who.token.and_then(|token| token.expires_at),
        version: env!("CARGO_PKG_VERSION").into(),
        asks: app.gate().settings().asks,
        address: reads.then(|| settings.address.clone()),
        warnings: reads.then(|| settings.warnings.iter().map(Warning::sentence).collect()),
        warning_codes: reads.then(|| settings.warnings.clone()),
        projects: reads.then(|| settings.projects.clone()),
    })
}

async fn sign_out(State(app): State<App>, Extension(who): Extension<Identity>) -> Result<Response, Fault> {
    let by = who.by();
    let Some(token) = who.token.filter(|token| token.kind == TokenKind::Device) else {
        let message = format!("`{}` is not a browser that signed in", who.name);
        return Err(Fault::new(StatusCode::CONFLICT, "Conflict", message)
            .hint("an admin takes other tokens out of use: `DELETE /api/tokens/{id}`"));
    };
    let at = app.now();
    // Whether it was the last admin or not: whoever leaves a machine must be able to.
    tokens::sign_out(&*app.inner.parts.tokens, &token, Some(by), at).await?;
    app.inner.doorkeeper.forget();
    let cookie = unset_cookie(app.settings()).map(|cookie| (header::SET_COOKIE, cookie));
    Ok((StatusCode::NO_CONTENT, AppendHeaders(cookie)).into_response())
}
