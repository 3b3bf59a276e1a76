//! What the holder of a token wants to be notified of. Everyone has their own.

use axum::Extension;
use axum::extract::State;
use axum::http::Method;
use sekisho_gate::TokenId;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse};
use crate::route::Route;
use crate::wire::notification::Notifications;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/notifications", Access::READ, "getNotifications", show)
            .summary("What you want to be notified of")
            .response::<Notifications>(200)
            .error_statuses(&[404]),
        Route::new(Method::PUT, "/api/notifications", Access::READ, "setNotifications", set)
            .summary("Says what you want to be notified of")
            .request_body::<Notifications>()
            .response::<Notifications>(200)
            .error_statuses(&[404]),
    ]
}

/// Settings belong to a token.
fn token(who: &Identity) -> Result<TokenId, ApiError> {
    who.token_id().ok_or_else(|| {
        ApiError::not_found(format!("`{}` has no token, and settings belong to one", who.name))
            .with_hint("send `Authorization: Bearer sks_…`; `sekisho token create` makes one")
    })
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
) -> Result<JsonResponse<Notifications>, ApiError> {
    let kept = app.inner.parts.tokens.notifications(token(&who)?).await?;
    let read = kept.map(serde_json::from_value::<Notifications>).transpose();
    Ok(JsonResponse(
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "what a token wants to be notified of cannot be read; the usual counts");
            None
        })
        .unwrap_or_default(),
    ))
}

async fn set(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(wanted, _memory): JsonBody<Notifications>,
) -> Result<JsonResponse<Notifications>, ApiError> {
    let id = token(&who)?;
    wanted.check()?;
    let value = serde_json::to_value(&wanted).map_err(|error| ApiError::invalid(error.to_string()))?;
    match app.inner.parts.tokens.set_notifications(id, value).await? {
        true => Ok(JsonResponse(wanted)),
        false => Err(ApiError::not_found("the token is gone")),
    }
}
