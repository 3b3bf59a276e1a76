//! What a request has to pass before any route sees it.

mod admit;
mod rates;

use axum::Router;
use axum::extract::DefaultBodyLimit;

use crate::app::App;

pub(crate) use admit::admit;
pub(crate) use rates::Rates;

/// Puts the checks of the edge around the routes.
pub(crate) fn around(app: &App, router: Router<App>) -> Router<App> {
    router.layer(DefaultBodyLimit::max(app.settings().limits.body))
}
