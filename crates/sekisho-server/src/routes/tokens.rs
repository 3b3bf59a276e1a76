//! Credentials: list, make, revoke, and links that sign a device in.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode};
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};
use sekisho_gate::{TokenId, token_store};

use crate::access::Access;
use crate::app::App;
use crate::auth::{Identity, Issuer, NewToken, RevokeOutcome, TOKEN_CACHE_TTL, new_link, new_token};
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse};
use crate::route::Route;
use crate::wire::token::{MadeLink, MadeToken, NewLinkBody, NewTokenBody, TokenBody, TokensBody};

/// How many pixels wide a code is drawn at least.
const WIDTH: u32 = 256;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/tokens", Access::ADMIN, "listTokens", list)
            .summary("All credentials, those that count no more included")
            .response::<TokensBody>(200),
        Route::new(Method::POST, "/api/tokens", Access::ADMIN, "createToken", create)
            .summary("Makes a token; its secret is told once")
            .request_body::<NewTokenBody>()
            .response::<MadeToken>(201),
        Route::new(Method::DELETE, "/api/tokens/{id}", Access::ADMIN, "revokeToken", revoke)
            .summary("Takes a credential out of use, for good")
            .notes("The last one of an admin stays: 409.")
            .media_response(204, "")
            .error_statuses(&[404, 409]),
        Route::new(Method::POST, "/api/tokens/links", Access::ADMIN, "createLink", link)
            .summary("Makes a link that signs one device in, once, for a short while")
            .request_body::<NewLinkBody>()
            .response::<MadeLink>(201),
    ]
}

async fn list(State(app): State<App>) -> Result<JsonResponse<TokensBody>, ApiError> {
    let at = app.now();
    let tokens = app.inner.parts.tokens.tokens().await?;
    Ok(JsonResponse(TokensBody { tokens: tokens.iter().map(|token| TokenBody::of(token, at)).collect() }))
}

fn issuer(who: &Identity) -> Issuer {
    Issuer { name: who.name.clone(), by: Some(who.actor()) }
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<NewTokenBody>,
) -> Result<(StatusCode, JsonResponse<MadeToken>), ApiError> {
    let projects = &app.settings().projects;
    if let Some(root) = body.roots.iter().find(|root| !projects.contains(root)) {
        let fault = ApiError::invalid(format!("`roots`: {root:?} is no project this server knows"));
        return Err(fault.with_hint("`GET /api/session` lists them"));
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
    let made = new_token(new, issuer(&who), at).map_err(ApiError::invalid)?;
    let token = TokenBody::of(&made.stored, at);
    token_store::add(&*app.inner.parts.tokens, made.stored, made.by).await?;
    app.inner.authenticator.invalidate();
    Ok((StatusCode::CREATED, JsonResponse(MadeToken { token, secret: made.secret.reveal() })))
}

async fn revoke(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let unknown = || ApiError::not_found(format!("there is no token `{id}` that counts"));
    let token: TokenId = id.parse().map_err(|_| unknown())?;
    match app.inner.authenticator.revoke(token, who.actor(), app.now()).await? {
        RevokeOutcome::Revoked => {
            // Other servers of the same database have read it again by then.
            tokio::time::sleep(TOKEN_CACHE_TTL.unsigned_abs()).await;
            Ok(StatusCode::NO_CONTENT)
        }
        RevokeOutcome::NotFound => Err(unknown()),
        RevokeOutcome::LastAdmin => {
            let message = "this is the last token of an admin; nobody could make another";
            Err(ApiError::new(StatusCode::CONFLICT, "LastAdmin", message)
                .with_hint("make another admin first"))
        }
    }
}

async fn link(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<NewLinkBody>,
) -> Result<(StatusCode, JsonResponse<MadeLink>), ApiError> {
    let settings = app.settings();
    let made = new_link(body.name, body.role, issuer(&who), app.now(), settings.limits.link_lifetime);
    let made = made.map_err(ApiError::invalid)?;
    let url = made.secret.url(&settings.address);
    let qr_svg = qr_svg(&url)?;
    let expires_at = made.stored.expires_at;
    token_store::add_link(&*app.inner.parts.tokens, made.stored, made.by).await?;
    app.inner.authenticator.invalidate();
    Ok((StatusCode::CREATED, JsonResponse(MadeLink { url, qr_svg, expires_at })))
}

fn qr_svg(url: &str) -> Result<String, ApiError> {
    let code = QrCode::with_error_correction_level(url, EcLevel::L).map_err(|error| {
        let message = format!("the link does not fit into a code: {error}");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", message)
    })?;
    Ok(code.render::<svg::Color<'_>>().min_dimensions(WIDTH, WIDTH).build())
}
