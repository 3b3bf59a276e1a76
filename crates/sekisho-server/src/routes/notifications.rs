//! What the holder of a token wants to be notified of. Everyone has their own.

use axum::Extension;
use axum::extract::State;
use axum::http::Method;
use sekisho_gate::TokenId;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::body::{Body, Json};
use crate::error::Fault;
use crate::route::Route;
use crate::wire::notification::Notifications;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/notifications", Access::READ, "getNotifications", show)
            .says("What you want to be notified of")
            .gives::<Notifications>(200)
            .faults(&[404]),
        Route::new(Method::PUT, "/api/notifications", Access::READ, "setNotifications", set)
            .says("Says what you want to be notified of")
            .takes::<Notifications>()
            .gives::<Notifications>(200)
            .faults(&[404]),
    ]
}

/// Settings belong to a token.
fn token(who: &Identity) -> Result<TokenId, Fault> {
    who.token_id().ok_or_else(|| {
        Fault::not_found(format!("`{}` has no token, and settings belong to one", who.name))
            .hint("send `Authorization: Bearer sks_…`; `sekisho token create` makes one")
    })
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
) -> Result<Json<Notifications>, Fault> {
    let kept = app.inner.parts.tokens.notifications(token(&who)?).await?;
    let read = kept.map(serde_json::from_value::<Notifications>).transpose();
    Ok(Json(
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
    Body(wanted, _memory): Body<Notifications>,
) -> Result<Json<Notifications>, Fault> {
    let id = token(&who)?;
    wanted.check()?;
    let value = serde_json::to_value(&wanted).map_err(|error| Fault::invalid(error.to_string()))?;
    match app.inner.parts.tokens.set_notifications(id, value).await? {
        true => Ok(Json(wanted)),
        false => Err(Fault::not_found("the token is gone")),
    }
}
