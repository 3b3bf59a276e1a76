//! What a request has to pass before any route sees it, and what every answer carries away.
//!
//! From the outside in: [`outer`] dresses every answer, catches what falls over and writes the line for the log; [`doors`]
//! looks at which name was called and which page calls; [`intake`] bounds the body; [`admit`] knows who it is by what was
//! [`carried`], and has [`large`] answers take room.

mod authorization;
mod body_budget;
mod body_limit;
mod credentials;
mod host_and_origin;
mod rate_limits;
mod request_lifecycle;
mod response_budget;
mod response_headers;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;

use crate::app::App;

pub(crate) use authorization::{authorize, failed_sign_in};
pub(crate) use body_budget::{BodyBudget, BudgetReservation, UNCHARGED_BYTES};
pub(crate) use body_limit::RequestReservation;
pub(crate) use rate_limits::RateLimits;
pub(crate) use response_budget::NothingChanged;

/// Bytes of a body that are taken from anyone: enough for a link.
pub(crate) const OPEN_BODY: usize = 4 << 10;

/// Puts the checks of the edge around the routes.
pub(crate) fn wrap(app: &App, router: Router<App>) -> Router<App> {
    router
        // The intake counts, for every route and in our own words. Open routes have a smaller limit of their own.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(app.clone(), body_limit::limit_body))
        .layer(from_fn_with_state(app.clone(), host_and_origin::check_host_and_origin))
        .layer(from_fn_with_state(app.clone(), request_lifecycle::handle_request))
}
