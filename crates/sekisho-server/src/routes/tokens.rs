//! Routes for credentials: list, create, revoke, and create sign-in links.

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

/// The minimum width of a QR code, in pixels.
const WIDTH: u32 = 256;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/tokens", Access::ADMIN, "listTokens", list)
            .summary("Lists all credentials, including expired and revoked ones")
            .response::<TokensBody>(200),
        Route::new(Method::POST, "/api/tokens", Access::ADMIN, "createToken", create)
            .summary("Creates a token; its secret is shown once")
            .request_body::<NewTokenBody>()
            .response::<MadeToken>(201),
        Route::new(Method::DELETE, "/api/tokens/{id}", Access::ADMIN, "revokeToken", revoke)
            .summary("Revokes a credential for good")
            .notes("The last admin token cannot be revoked: 409.")
            .media_response(204, "")
            .error_statuses(&[404, 409]),
        Route::new(Method::POST, "/api/tokens/links", Access::ADMIN, "createLink", link)
            .summary("Creates a short-lived link that signs in one device, once")
            .request_body::<NewLinkBody>()
            .response::<MadeLink>(201),
    ]
}

async fn list(State(app): State<App>) -> Result<JsonResponse<TokensBody>, ApiError> {
    let at = app.now();
    let tokens = app.inner.parts.tokens.tokens().await?;
    Ok(JsonResponse(TokensBody {
        tokens: token_store.iter().map(|token| TokenBody::of(token, at)).collect(),
    }))
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
        let error = ApiError::invalid(format!("`roots`: {root:?} is not a registered project"));
        return Err(error.with_hint("`GET /api/session` lists the registered projects"));
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
    let issued = new_token(new, issuer(&who), at).map_err(ApiError::invalid)?;
    let token = TokenBody::of(&issued.stored, at);
    token_store::add(&*app.inner.parts.tokens, issued.stored, issued.by).await?;
    app.inner.authenticator.invalidate();
    Ok((StatusCode::CREATED, JsonResponse(MadeToken { token, secret: issued.secret.reveal() })))
}

async fn revoke(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let unknown = || ApiError::not_found(format!("there is no valid token `{id}`"));
    let token: TokenId = id.parse().map_err(|_| unknown())?;
    match app.inner.authenticator.revoke(token, who.actor(), app.now()).await? {
        RevokeOutcome::Revoked => {
            // By then, other servers on the same database have read the token again.
            tokio::time::sleep(TOKEN_CACHE_TTL.unsigned_abs()).await;
            Ok(StatusCode::NO_CONTENT)
        }
        RevokeOutcome::NotFound => Err(unknown()),
        RevokeOutcome::LastAdmin => {
            let message = "this is the last admin token; without it nobody could create another";
            Err(ApiError::new(StatusCode::CONFLICT, "LastAdmin", message)
                .with_hint("create another admin token first"))
        }
    }
}

async fn link(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<NewLinkBody>,
) -> Result<(StatusCode, JsonResponse<MadeLink>), ApiError> {
    let settings = app.settings();
    let issued = new_link(body.name, body.role, issuer(&who), app.now(), settings.limits.link_lifetime);
    let issued = issued.map_err(ApiError::invalid)?;
    let url = issued.secret.url(&settings.address);
    let qr_svg = qr_svg(&url)?;
    let expires_at = issued.stored.expires_at;
    token_store::add_link(&*app.inner.parts.tokens, issued.stored, issued.by).await?;
    app.inner.authenticator.invalidate();
    Ok((StatusCode::CREATED, JsonResponse(MadeLink { url, qr_svg, expires_at })))
}

fn qr_svg(url: &str) -> Result<String, ApiError> {
    let code = QrCode::with_error_correction_level(url, EcLevel::L).map_err(|error| {
        let message = format!("the link does not fit into a QR code: {error}");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", message)
    })?;
    Ok(code.render::<svg::Color<'_>>().min_dimensions(WIDTH, WIDTH).build())
}
