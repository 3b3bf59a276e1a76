//! The middleware that every request passes before its route.
//!
//! From the outside in: [`request_lifecycle`] adds headers to every response, catches panics and writes the
//! access log; [`host_and_origin`] checks the host name and the origin; [`body_limit`] limits the body;
//! [`authorization`] identifies the caller by its [`credentials`], and [`response_budget`] charges large
//! responses to the memory budget.

mod authorization;
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
pub(crate) use body_limit::RequestReservation;
pub(crate) use rate_limits::RateLimits;
pub(crate) use response_budget::NothingChanged;

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
