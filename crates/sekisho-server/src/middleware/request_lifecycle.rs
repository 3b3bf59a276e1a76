//! Around everything: a handler that falls over costs one answer, every answer is dressed, and a line goes to the log.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::{FutureExt, StreamExt};

use super::response_headers;
use crate::app::App;
use crate::error::ApiError;

/// Who an answer was for, for the log.
#[derive(Clone)]
pub(super) struct LoggedIdentity(pub(super) String);

/// How long those who only look are still worked for when the server stops.
const READ_SHUTDOWN_GRACE: Duration = Duration::from_millis(250);

/// Runs everything else.
pub(super) async fn handle_request(State(app): State<App>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let handled = AssertUnwindSafe(next.run(request)).catch_unwind();
    let handled = match is_read_only(&method) {
        // What only looks may wait for long, and can be let go without a trace.
        true => tokio::select! {
            handled = handled => handled,
            () = read_grace_over(&app) => Ok(closing().into_response()),
        },
        false => handled.await,
    };
    let response = handled.unwrap_or_else(|panic| panic_response(&method, &path, &*panic));
    let mut response = until_closing(&app, response_headers::normalize_error(response).await);
    response_headers::add_security_headers(app.settings(), &path, response.headers_mut());
    let by = response.extensions().get::<LoggedIdentity>().map_or("-", |by| by.0.as_str());
    let (status, micros) = (response.status().as_u16(), begun.elapsed().as_micros());
    tracing::debug!(%method, path, status, micros, by, "request");
    response
}

fn is_read_only(method: &Method) -> bool {
    [Method::GET, Method::HEAD].contains(method)
}

async fn read_grace_over(app: &App) {
    app.shutdown_started().await;
    tokio::time::sleep(READ_SHUTDOWN_GRACE).await;
}

fn closing() -> ApiError {
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "Closing", "the server is stopping")
        .with_hint("ask again in a moment")
}

fn panic_response(method: &Method, path: &str, panic: &(dyn Any + Send)) -> Response {
    let said = panic.downcast_ref::<&str>().copied();
    let said =
        said.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it did not say why");
    tracing::error!(%method, path, said, "a handler fell over");
    let message = "something went wrong here; the server's log says what";
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", message).into_response()
}

/// A stream of events has no end of its own: it ends when the server stops.
fn until_closing(app: &App, response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if !kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) || response.body().is_end_stream() {
        return response;
    }
    let app = app.clone();
    let until = async move { app.shutdown_started().await };
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(until))))
}
