//! How much of a body is taken, and how long it may take to arrive.

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

use super::body_budget::{BudgetReservation, UNCHARGED_BYTES};
use crate::app::App;
use crate::error::ApiError;

const FINE: u8 = 0;
const TOO_LARGE: u8 = 1;
const TOO_SLOW: u8 = 2;
const NO_ROOM: u8 = 3;

/// What a body takes of the room. It travels with the request, so that it is charged to whoever turns out to send it.
#[derive(Clone)]
pub(crate) struct RequestReservation(Arc<Mutex<BudgetReservation>>);

impl RequestReservation {
    /// From now on it is this credential's. Nothing of a body is read before that.
    pub(super) fn assign_to(&self, app: &App, credential: &str) {
        self.replace(app.inner.body_budget.reservation_for(credential));
    }

    /// Takes so much more; `false`: there is none left.
    pub(crate) fn try_grow(&self, bytes: usize) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).try_grow(bytes)
    }

    /// What was taken, to be held by whoever works on the body.
    pub(crate) fn take(&self, app: &App) -> BudgetReservation {
        self.replace(app.inner.body_budget.reservation_for(UNKNOWN))
    }

    fn replace(&self, taken: BudgetReservation) -> BudgetReservation {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), taken)
    }
}

/// Those who send bodies to routes that are open to anyone: all of them together are one.
const UNKNOWN: &str = "";

/// Hands a request on with its body bounded. What became of the body counts, whatever the route made of that.
pub(super) async fn limit_body(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let limits = &app.settings().limits;
    if request.body().size_hint().lower() > u64::try_from(limits.body).unwrap_or(u64::MAX) {
        return too_large(limits.body);
    }
    let fate = Arc::new(AtomicU8::new(FINE));
    let charge = RequestReservation(Arc::new(Mutex::new(app.inner.body_budget.reservation_for(UNKNOWN))));
    request.extensions_mut().insert(charge.clone());
    let intake = |inner| LimitedBody {
        inner,
        left: limits.body,
        small: UNCHARGED_BYTES,
        time: limits.body_timeout,
        late: None,
        charge: charge.clone(),
        failure: Arc::clone(&fate),
    };
    let response = next.run(request.map(|body| Body::new(intake(body)))).await;
    match fate.load(Ordering::Relaxed) {
        TOO_LARGE => too_large(limits.body),
        TOO_SLOW => too_slow(limits.body_timeout),
        NO_ROOM => error_and_close(ApiError::over_capacity()),
        _ => response,
    }
}

fn too_large(limit: usize) -> Response {
    let message = format!("the body is larger than the {limit} bytes that are taken");
    error_and_close(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", message))
}

fn too_slow(time: Duration) -> Response {
    let message = format!("the body did not arrive within {} s", time.as_secs_f32());
    error_and_close(ApiError::new(StatusCode::REQUEST_TIMEOUT, "TooSlow", message))
}

/// Nothing more is read from the connection, the rest of the body included.
pub(super) fn error_and_close(fault: ApiError) -> Response {
    let mut response = fault.into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A body that ends badly when there is too much of it or of all together, or it takes too long.
struct LimitedBody {
    inner: Body,
    left: usize,
    /// How much of it is still not counted: whoever fills the room with large bodies keeps out no small one.
    small: usize,
    time: Duration,
    late: Option<Pin<Box<Sleep>>>,
    charge: RequestReservation,
    failure: Arc<AtomicU8>,
}

impl LimitedBody {
    fn fails(&self, fate: u8, why: &'static str) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.failure.store(fate, Ordering::Relaxed);
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
            return self.fails(TOO_SLOW, "the body takes too long");
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
        if !this.charge.try_grow(counted) {
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
