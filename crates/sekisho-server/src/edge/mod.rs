//! What a request has to pass before any route sees it, and what every answer carries away.
//!
//! From the outside in: [`outer`] dresses every answer, catches what falls over and writes the line for the log; [`doors`]
//! looks at which name was called and which page calls; [`intake`] bounds the body; [`admit`] knows who it is by what was
//! [`carried`], and has [`large`] answers take room.

mod admit;
mod carried;
mod doors;
mod dress;
mod intake;
mod large;
mod outer;
mod rates;
mod room;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;

use crate::app::App;

pub(crate) use admit::{admit, failed};
pub(crate) use intake::Charge;
pub(crate) use large::Unchanged;
pub(crate) use rates::Rates;
pub(crate) use room::{Room, SMALL, Taken};

/// Bytes of a body that are taken from anyone: enough for a link.
pub(crate) const OPEN_BODY: usize = 4 << 10;

/// Puts the checks of the edge around the routes.
pub(crate) fn around(app: &App, router: Router<App>) -> Router<App> {
    router
        // The intake counts, for every route and in our own words. Open routes have a smaller limit of their own.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(app.clone(), intake::take_in))
        .layer(from_fn_with_state(app.clone(), doors::check))
        .layer(from_fn_with_state(app.clone(), outer::around))
}
