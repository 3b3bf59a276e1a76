//! Limits the size of a request body and the time it may take to arrive.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::{Body as _, Frame, SizeHint};
use tokio::time::Sleep;

use crate::app::App;
use crate::error::ApiError;
use crate::memory_budget::{BudgetReservation, UNCHARGED_BYTES};

const FINE: u8 = 0;
const TOO_LARGE: u8 = 1;
const TOO_SLOW: u8 = 2;
const NO_ROOM: u8 = 3;

/// The memory a body uses. It travels with the request, so that it can be charged to the sender once known.
#[derive(Clone)]
pub(crate) struct RequestReservation(Arc<Mutex<BudgetReservation>>);

impl RequestReservation {
    /// Charges it to a credential from now on. Nothing of the body has been read before that.
    pub(super) fn assign_to(&self, app: &App, credential: &str) {
        self.replace(app.inner.memory_budget.reservation_for(credential));
    }

    /// Takes more bytes. Returns `false` if too few are left.
    pub(crate) fn try_grow(&self, bytes: usize) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).try_grow(bytes)
    }

    /// Hands the reservation over to the code that processes the body.
    pub(crate) fn take(&self, app: &App) -> BudgetReservation {
        self.replace(app.inner.memory_budget.reservation_for(UNKNOWN))
    }

    fn replace(&self, taken: BudgetReservation) -> BudgetReservation {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), taken)
    }
}

/// The shared credential of everyone who sends bodies to open routes.
const UNKNOWN: &str = "";

/// Limits the body of a request. If the body failed, that decides the response, whatever the route returned.
pub(super) async fn limit_body(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let limits = &app.settings().limits;
    if request.body().size_hint().lower() > u64::try_from(limits.body).unwrap_or(u64::MAX) {
        return too_large(limits.body);
    }
    let failure = Arc::new(AtomicU8::new(FINE));
    let reservation =
        RequestReservation(Arc::new(Mutex::new(app.inner.memory_budget.reservation_for(UNKNOWN))));
    request.extensions_mut().insert(reservation.clone());
    let limited = |inner| LimitedBody {
        inner,
        left: limits.body,
        small: UNCHARGED_BYTES,
        time: limits.body_timeout,
        late: None,
        reservation: reservation.clone(),
        failure: Arc::clone(&failure),
    };
    let response = next.run(request.map(|body| Body::new(limited(body)))).await;
    match failure.load(Ordering::Relaxed) {
        TOO_LARGE => too_large(limits.body),
        TOO_SLOW => too_slow(limits.body_timeout),
        NO_ROOM => error_and_close(ApiError::over_capacity()),
        _ => response,
    }
}

fn too_large(limit: usize) -> Response {
    let message = format!("the body is larger than {limit} bytes");
    error_and_close(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", message))
}

fn too_slow(time: Duration) -> Response {
    let message = format!("the body did not arrive within {} s", time.as_secs_f32());
    error_and_close(ApiError::new(StatusCode::REQUEST_TIMEOUT, "TooSlow", message))
}

/// An error response that closes the connection: nothing more is read from it, not even the rest of the body.
pub(super) fn error_and_close(error: ApiError) -> Response {
    let mut response = error.into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A body that fails if it is too large, if all bodies together are, or if it takes too long.
struct LimitedBody {
    inner: Body,
    left: usize,
    /// Bytes of it that are still not counted: large bodies that fill the budget do not keep small ones out.
    small: usize,
    time: Duration,
    late: Option<Pin<Box<Sleep>>>,
    reservation: RequestReservation,
    failure: Arc<AtomicU8>,
}

impl LimitedBody {
    fn fails(&self, failure: u8, why: &'static str) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.failure.store(failure, Ordering::Relaxed);
        Poll::Ready(Some(Err(why.into())))
    }
}

impl hyper::body::Body for LimitedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) else {
            let time = self.time;
            // The time counts from the first wait: the body is read in one go.
            let late = self.late.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
            ready!(late.as_mut().poll(context));
            return self.fails(TOO_SLOW, "the body took too long");
        };
        let Some(frame) = frame.transpose()? else { return Poll::Ready(None) };
        let size = frame.data_ref().map_or(0, Bytes::len);
        let this = &mut *self;
        match this.left.checked_sub(size) {
            Some(left) => this.left = left,
            None => return this.fails(TOO_LARGE, "the body is too large"),
        }
        let counted = size.saturating_sub(this.small);
        this.small = this.small.saturating_sub(size);
        if !this.reservation.try_grow(counted) {
            return this.fails(NO_ROOM, "too many bodies at once");
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
