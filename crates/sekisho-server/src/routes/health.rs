//! Whether it works, and how much.

use axum::extract::State;
use axum::http::{Method, StatusCode};

use crate::app::App;
use crate::route::{Access, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/healthz", Access::Open, "health", health)
            .says("`ok` while the ledger can be read")
            .gives_other(200, "text/plain"),
    ]
}

async fn health(State(app): State<App>) -> (StatusCode, &'static str) {
    match app.gate().ledger().pending(None, 1).await {
        Ok(_) => (StatusCode::OK, "ok"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the ledger cannot be read"),
    }
}
