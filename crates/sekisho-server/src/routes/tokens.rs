//! Credentials: list, make, revoke, and links that sign a device in.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode};
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};
use sekisho_gate::{TokenId, tokens};

use crate::access::Access;
use crate::app::App;
use crate::auth::{FRESH, Identity, Maker, NewToken, Revoked, new_link, new_token};
use crate::body::{Body, Json};
use crate::error::Fault;
use crate::route::Route;
use crate::wire::token::{MadeLink, MadeToken, NewLinkBody, NewTokenBody, TokenBody, TokensBody};

/// How many pixels wide a code is drawn at least.
const WIDTH: u32 = 256;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/tokens", Access::ADMIN, "listTokens", list)
            .says("All credentials, those that count no more included")
            .gives::<TokensBody>(200),
        Route::new(Method::POST, "/api/tokens", Access::ADMIN, "createToken", create)
            .says("Makes a token; its secret is told once")
            .takes::<NewTokenBody>()
            .gives::<MadeToken>(201),
        Route::new(Method::DELETE, "/api/tokens/{id}", Access::ADMIN, "revokeToken", revoke)
            .says("Takes a credential out of use, for good")
            .notes("The last one of an admin stays: 409.")
            .gives_other(204, "")
            .faults(&[404, 409]),
        Route::new(Method::POST, "/api/tokens/links", Access::ADMIN, "createLink", link)
            .says("Makes a link that signs one device in, once, for a short while")
            .takes::<NewLinkBody>()
            .gives::<MadeLink>(201),
    ]
}

async fn list(State(app): State<App>) -> Result<Json<TokensBody>, Fault> {
    let at = app.now();
    let tokens = app.inner.parts.tokens.tokens().await?;
    Ok(Json(TokensBody { tokens: tokens.iter().map(|token| TokenBody::of(token, at)).collect() }))
}

fn maker(who: &Identity) -> Maker {
    Maker { name: who.name.clone(), by: Some(who.by()) }
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Body(body, _memory): Body<NewTokenBody>,
) -> Result<(StatusCode, Json<MadeToken>), Fault> {
    let projects = &app.settings().projects;
    if let Some(root) = body.roots.iter().find(|root| !projects.contains(root)) {
        let fault = Fault::invalid(format!("`roots`: {root:?} is no project this server knows"));
        return Err(fault.hint("`GET /api/session` lists them"));
    }
    let new = NewToken {
        name: body.name,
        role: body.role,
        agent: body.agent,
        vouches: body.vouches,
        roots: body.roots,
        days: body.expires_in_days,
    };
    let at = app.now();
    let made = new_token(new, maker(&who), at).map_err(Fault::invalid)?;
    let token = TokenBody::of(&made.kept, at);
    tokens::add(&*app.inner.parts.tokens, made.kept, made.by).await?;
    app.inner.doorkeeper.forget();
    Ok((StatusCode::CREATED, Json(MadeToken { token, secret: made.secret.reveal() })))
}

async fn revoke(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<StatusCode, Fault> {
    let unknown = || Fault::not_found(format!("there is no token `{id}` that counts"));
    let token: TokenId = id.parse().map_err(|_| unknown())?;
    match app.inner.doorkeeper.revoke(token, who.by(), app.now()).await? {
        Revoked::Done => {
            // Other servers of the same database have read it again by then.
            tokio::time::sleep(FRESH.unsigned_abs()).await;
            Ok(StatusCode::NO_CONTENT)
        }
        Revoked::Unknown => Err(unknown()),
        Revoked::LastAdmin => {
            let message = "this is the last token of an admin; nobody could make another";
            Err(Fault::new(StatusCode::CONFLICT, "LastAdmin", message).hint("make another admin first"))
        }
    }
}

async fn link(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Body(body, _memory): Body<NewLinkBody>,
) -> Result<(StatusCode, Json<MadeLink>), Fault> {
    let settings = app.settings();
    let made = new_link(body.name, body.role, maker(&who), app.now(), settings.limits.link);
    let made = made.map_err(Fault::invalid)?;
    let url = made.secret.below(&settings.address);
    let qr_svg = picture(&url)?;
    let expires_at = made.kept.expires_at;
    tokens::add_link(&*app.inner.parts.tokens, made.kept, made.by).await?;
    app.inner.doorkeeper.forget();
    Ok((StatusCode::CREATED, Json(MadeLink { url, qr_svg, expires_at })))
}

fn picture(url: &str) -> Result<String, Fault> {
    let code = QrCode::with_error_correction_level(url, EcLevel::L).map_err(|error| {
        let message = format!("the link does not fit into a code: {error}");
        Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", message)
    })?;
    Ok(code.render::<svg::Color<'_>>().min_dimensions(WIDTH, WIDTH).build())
}
