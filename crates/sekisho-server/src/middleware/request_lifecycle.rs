//! The outermost middleware: a panic costs one response, every response gets its headers, and the access log
//! a line.

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

/// The name of the caller, for the access log.
#[derive(Clone)]
pub(super) struct LoggedIdentity(pub(super) String);

/// How long reads may go on when the server stops.
const READ_SHUTDOWN_GRACE: Duration = Duration::from_millis(250);

/// Runs everything else.
pub(super) async fn handle_request(State(app): State<App>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let handled = AssertUnwindSafe(next.run(request)).catch_unwind();
    let handled = match is_read_only(&method) {
        // A read may take long, and can be dropped without a trace.
        true => tokio::select! {
            handled = handled => handled,
            () = read_grace_over(&app) => Ok(closing().into_response()),
        },
        false => handled.await,
    };
    let response = handled.unwrap_or_else(|panic| panic_response(&method, &path, &*panic));
    let mut response = until_closing(&app, response_headers::normalize_error(response).await);
    response_headers::add_security_headers(app.settings(), &path, response.headers_mut());
    let name = response.extensions().get::<LoggedIdentity>().map_or("-", |name| name.0.as_str());
    let (status, micros) = (response.status().as_u16(), started.elapsed().as_micros());
    tracing::debug!(%method, path, status, micros, by = name, "request");
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
        .with_hint("try again in a moment")
}

fn panic_response(method: &Method, path: &str, panic: &(dyn Any + Send)) -> Response {
    let reason = panic.downcast_ref::<&str>().copied();
    let reason =
        reason.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown reason");
    tracing::error!(%method, path, reason, "a handler panicked");
    let message = "internal error; see the server's log";
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", message).into_response()
}

/// An event stream has no end of its own, so it ends when the server stops.
fn until_closing(app: &App, response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if !kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) || response.body().is_end_stream() {
        return response;
    }
    let app = app.clone();
    let until = async move { app.shutdown_started().await };
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(until))))
}
