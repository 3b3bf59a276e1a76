//! Large responses use the body budget until they are sent, as request bodies do.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::{Body as _, Frame, SizeHint};

use crate::error::ApiError;
use crate::memory_budget::BudgetReservation;

/// Responses up to this size are not charged.
const FREE: u64 = 64 << 10;
/// How much is passed to the connection at once, which bounds what it buffers.
const PIECE: usize = 64 << 10;

/// Marks the response to a request that could have changed something but did not, so the caller can try
/// again.
#[derive(Clone, Copy)]
pub(crate) struct NothingChanged;

/// Charges a response to the budget. If there is no memory, a response that only reads is replaced by an
/// error. A response that reports a change is sent anyway, because the caller could not ask for it again; its
/// credential is then overdrawn and can do nothing more until enough was sent.
pub(super) fn charge_response(
    mut reservation: BudgetReservation,
    is_read: bool,
    response: Response,
) -> Response {
    let size = response.body().size_hint().exact().filter(|size| *size > FREE);
    let Some(size) = size else { return response };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if !reservation.try_grow(size) {
        let is_read = is_read || response.extensions().get::<NothingChanged>().is_some();
        if is_read && response.status().is_success() {
            return ApiError::over_capacity().into_response();
        }
        reservation.overdraw(size);
    }
    response.map(|inner| Body::new(ChargedBody { inner, piece: Bytes::new(), _reservation: reservation }))
}

/// A body that is passed on in pieces, and its reservation until the last of them.
struct ChargedBody {
    inner: Body,
    piece: Bytes,
    _reservation: BudgetReservation,
}

impl hyper::body::Body for ChargedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.piece.is_empty() {
            match std::task::ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.piece = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                other => return Poll::Ready(other),
            }
        }
        let size = PIECE.min(self.piece.len());
        Poll::Ready(Some(Ok(Frame::data(self.piece.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.piece.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let here = self.piece.len() as u64;
        let inner = self.inner.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower().saturating_add(here));
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper.saturating_add(here));
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{HttpBody, to_bytes};
    use axum::http::StatusCode;
    use axum::response::{IntoResponse, Response};

    use super::{NothingChanged, charge_response};
    use crate::memory_budget::MemoryBudget;

    fn response_of(size: usize) -> Response {
        "x".repeat(size).into_response()
    }

    #[tokio::test]
    async fn large_response_is_charged_until_it_is_sent() {
        let budget = MemoryBudget::new(4_000_000);
        let respond = |credential, is_read, size| {
            charge_response(budget.reservation_for(credential), is_read, response_of(size))
        };
        let first = respond("a", true, 700_000);
        assert_eq!(first.body().size_hint().exact(), Some(700_000));
        let refused = respond("a", true, 700_000);
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.headers().contains_key("retry-after"));
        // Other credentials have their own part, small responses are free, and changes are always reported.
        assert_eq!(respond("b", true, 700_000).status(), StatusCode::OK);
        assert_eq!(respond("a", true, 60_000).status(), StatusCode::OK);
        assert_eq!(respond("a", false, 700_000).status(), StatusCode::OK);
        assert_eq!(to_bytes(first.into_body(), usize::MAX).await.unwrap(), "x".repeat(700_000));
        assert_eq!(respond("a", true, 700_000).status(), StatusCode::OK);
    }

    #[test]
    fn response_to_a_change_overdraws_the_budget() {
        let budget = MemoryBudget::new(4_000_000);
        let respond = |is_read| charge_response(budget.reservation_for("a"), is_read, response_of(700_000));
        let (first, second) = (respond(false), respond(false));
        assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::OK));
        assert!(budget.is_overdrawn("a") && !budget.is_overdrawn("b"));
        drop(first);
        assert!(!budget.is_overdrawn("a"));
        assert_eq!(respond(true).status(), StatusCode::SERVICE_UNAVAILABLE);
        let mut again = response_of(700_000);
        again.extensions_mut().insert(NothingChanged);
        assert_eq!(
            charge_response(budget.reservation_for("a"), false, again).status(),
            StatusCode::SERVICE_UNAVAILABLE
        );
        drop(second);
        assert_eq!(respond(true).status(), StatusCode::OK);
    }
}
