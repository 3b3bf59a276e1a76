//! Who may use a route: known, of a role that may, and not too often.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;
use sekisho_gate::tokens::TokenKind;

use super::carried::carried;
use super::intake::Charge;
use super::large;
use super::outer::AnsweredTo;
use crate::access::Access;
use crate::app::App;
use crate::auth::{Identity, Peer};
use crate::error::Fault;

/// Besides its open questions a credential may have this many requests under way: each who waits holds a connection, and
/// some stay for the others.
const BESIDES: usize = 64;

/// Lets a request through to its route with the [`Identity`] of whoever sent it.
pub(crate) async fn admit(
    State((app, access)): State<(App, Access)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Fault> {
    if access == Access::Open {
        return Ok(next.run(request).await);
    }
    let peer = request.extensions().get::<Peer>().copied();
    let identity = match identify(&app, peer, request.headers()).await {
        Ok(identity) => identity,
        Err(fault) => return Err(turned_away(&app, fault)),
    };
    let identity = Identity { forwarded: is_forwarded(request.headers()), ..identity };
    if !access.admits(identity.role) {
        let message = format!("`{}` has the role {}, which may not do this", identity.name, identity.role);
        return Err(turned_away(&app, Fault::forbidden(message)));
    }
    if !app.inner.rates.may(&identity.credential) {
        let message = format!("`{}` asks too often", identity.name);
        return Err(turned_away(&app, Fault::too_many(message)));
    }
    let most = app.settings().limits.pending.saturating_add(BESIDES);
    let Some(under_way) = app.inner.requests.one(&identity.credential, most) else {
        let message = format!("`{}` has too many requests under way", identity.name);
        return Err(turned_away(&app, Fault::too_many(message).hint("wait for some of them")));
    };
    if let Some(charge) = request.extensions().get::<Charge>() {
        charge.to(&app, &identity.credential);
    }
    // Nothing has happened yet, so it can be asked for again.
    if app.inner.room.is_overdrawn(&identity.credential) {
        return Err(turned_away(&app, Fault::no_room()));
    }
    let name = AnsweredTo(identity.name.clone());
    let taken = app.inner.room.of(&identity.credential);
    let only_looks = request.method() == Method::GET;
    request.extensions_mut().insert(identity);
    let mut response = large::give(taken, only_looks, next.run(request).await);
    response.extensions_mut().insert(name);
    drop(under_way);
    Ok(response)
}

fn turned_away(app: &App, fault: Fault) -> Fault {
    app.inner.metrics.turned_away.add();
    fault
}

/// Who sent a request. A token that is brought and is not good is a failure, whatever else there is.
pub(crate) async fn identify(app: &App, peer: Option<Peer>, headers: &HeaderMap) -> Result<Identity, Fault> {
    let Some(peer) = peer else {
        return Err(Fault::unauthenticated("nobody knows where this request comes from"));
    };
    let Some(carried) = carried(app.settings(), headers)? else {
        return match peer {
            Peer::Unix(uid) => Ok(Identity::of_peer(uid)),
            // Nothing was guessed, so nothing is counted.
            Peer::Tcp(_) => Err(Fault::unauthenticated("no token came with the request")),
        };
    };
    let Some(secret) = carried.secret else {
        return Err(failed(app, peer, "what came as a token is none"));
    };
    match app.inner.doorkeeper.know(&secret, app.now()).await? {
        Some(token) if token.kind == carried.kind => Ok(Identity::of_token(token, carried.how, peer)),
        Some(token) => Err(failed(app, peer, not_this_way(token.kind))),
        None => Err(failed(app, peer, "the token is not known, has expired or was revoked")),
    }
}

/// A browser's credential is worth nothing outside the browser, and a program's is never made to lie in one.
fn not_this_way(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Api => "a program's token is not taken as a cookie",
        TokenKind::Device => "what a browser is known by is not taken as a token",
    }
}

/// Counts a failed attempt to come in.
pub(crate) fn failed(app: &App, peer: Peer, why: &str) -> Fault {
    match app.inner.rates.failed(peer) {
        true => Fault::unauthenticated(why),
        false => Fault::too_many("too many failed attempts; try again later"),
    }
}

/// Whether a proxy stands between: then nobody knows which machine the caller is on.
fn is_forwarded(headers: &HeaderMap) -> bool {
    let marks = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
    marks.iter().any(|name| headers.contains_key(*name))
}
