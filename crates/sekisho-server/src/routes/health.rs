//! Health check and metrics.

use axum::extract::State;
use axum::http::{HeaderName, Method, StatusCode, header};

use crate::access::Access;
use crate::app::App;
use crate::metrics::PrometheusText;
use crate::route::Route;

/// The media type of the Prometheus text format.
const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/healthz", Access::Open, "health", health)
            .summary("`ok` while calls can be recorded")
            .media_response(200, "text/plain"),
        Route::new(Method::GET, "/metrics", Access::READ, "metrics", metrics)
            .summary("Metrics for Prometheus")
            .media_response(200, "text/plain"),
    ]
}

async fn health(State(app): State<App>) -> (StatusCode, &'static str) {
    let reads = app.gate().ledger().pending(None, 1).await.is_ok();
    match reads && app.inner.recording_health.is_healthy(app.gate()).await {
        true => (StatusCode::OK, "ok"),
        false if reads => (StatusCode::SERVICE_UNAVAILABLE, "calls cannot be recorded"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "the ledger cannot be read"),
    }
}

async fn metrics(State(app): State<App>) -> ([(HeaderName, &'static str); 1], String) {
    let mut page = PrometheusText::default();
    app.inner.metrics.write(&mut page);
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let open = number(app.inner.open_approvals.len());
    page.gauge("sekisho_questions_open", "Open approvals.", open);
    let generation = app.gate().rulebook().generation();
    page.gauge("sekisho_rules_generation", "Grows whenever rules change.", generation);
    let faults = number(app.gate().rulebook().problems().len());
    page.gauge("sekisho_rules_faults", "Stored rules that are invalid or cannot be read.", faults);
    let rows = app.inner.parts.audit.count().await;
    page.gauge("sekisho_ledger_up", "1 while the ledger can be read.", u64::from(rows.is_ok()));
    if let Ok(rows) = rows {
        page.gauge("sekisho_ledger_rows", "Records in the audit log.", rows);
    }
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    page.labelled("sekisho_build_info", "gauge", "The version of sekisho.", &[(&version, 1)]);
    ([(header::CONTENT_TYPE, EXPOSITION)], page.finish())
}
