//! The middleware that every request passes before its route.
//!
//! From the outside in: [`request_lifecycle`] adds headers to every response, catches panics and writes the
//! access log; [`host_and_origin`] checks the host name and the origin; [`body_limit`] limits the body;
//! [`authorization`] identifies the caller by its [`credentials`], and [`response_budget`] charges large
//! responses to the memory budget.

mod authorization;
mod credentials;
mod host_and_origin;
mod response_headers;
mod body_limit;
mod response_budget;
mod request_lifecycle;
mod rate_limits;
mod body_budget;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;

use crate::app::App;

pub(crate) use authorization::{authorize, failed_sign_in};
pub(crate) use body_limit::RequestReservation;
pub(crate) use response_budget::NothingChanged;
pub(crate) use rate_limits::RateLimits;
pub(crate) use body_budget::{BodyBudget, UNCHARGED_BYTES, BudgetReservation};

/// Bytes of a body that open routes accept: enough for a link.
pub(crate) const OPEN_BODY: usize = 4 << 10;

/// Wraps the routes in the middleware.
pub(crate) fn wrap(app: &App, router: Router<App>) -> Router<App> {
    router
        // `limit_body` limits the body of every route with our own errors. Open routes have a smaller limit
        // of their own.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(app.clone(), body_limit::limit_body))
        .layer(from_fn_with_state(app.clone(), host_and_origin::check_host_and_origin))
        .layer(from_fn_with_state(app.clone(), request_lifecycle::handle_request))
}
