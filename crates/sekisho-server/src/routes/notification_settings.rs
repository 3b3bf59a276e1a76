//! Notification settings. Each token has its own.

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
            .summary("Gets your notification settings")
            .response::<Notifications>(200)
            .error_statuses(&[404]),
        Route::new(Method::PUT, "/api/notifications", Access::READ, "setNotifications", set)
            .summary("Sets your notification settings")
            .request_body::<Notifications>()
            .response::<Notifications>(200)
            .error_statuses(&[404]),
    ]
}

/// The token that the settings belong to.
fn token(who: &Identity) -> Result<TokenId, ApiError> {
    who.token_id().ok_or_else(|| {
        ApiError::not_found(format!("`{}` has no token, and settings belong to a token", who.name))
            .with_hint("send `Authorization: Bearer sks_…`; `sekisho token create` creates a token")
    })
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
) -> Result<JsonResponse<Notifications>, ApiError> {
    let stored = app.inner.parts.tokens.notifications(token(&who)?).await?;
    let parsed = stored.map(serde_json::from_value::<Notifications>).transpose();
    Ok(JsonResponse(
        parsed
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot read a token's notification settings; using the defaults");
                None
            })
            .unwrap_or_default(),
    ))
}

async fn set(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(settings, _memory): JsonBody<Notifications>,
) -> Result<JsonResponse<Notifications>, ApiError> {
    let id = token(&who)?;
    settings.check()?;
    let value = serde_json::to_value(&settings).map_err(|error| ApiError::invalid(error.to_string()))?;
    match app.inner.parts.tokens.set_notifications(id, value).await? {
        true => Ok(JsonResponse(settings)),
        false => Err(ApiError::not_found("the token no longer exists")),
    }
}
