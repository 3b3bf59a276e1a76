//! Answers that are large take room, as bodies do, until they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::{Body as _, Frame, SizeHint};

use super::body_budget::BudgetReservation;
use crate::error::ApiError;

/// What is no larger is given in any case.
const FREE: u64 = 64 << 10;
/// How much is handed to the connection at once: what it holds besides is as little.
const PIECE: usize = 64 << 10;

/// Marks the response to a request that could have changed something and changed nothing: it can be asked for again.
#[derive(Clone, Copy)]
pub(crate) struct NothingChanged;

/// Has an answer take room. Where there is none, an answer that only tells something is refused. What happened is told in
/// any case, because nobody could ask for it again, and takes more room than there is: then its credential does nothing
/// more until enough of it is sent.
pub(super) fn charge_response(
    mut taken: BudgetReservation,
    only_looks: bool,
    response: Response,
) -> Response {
    let size = response.body().size_hint().exact().filter(|size| *size > FREE);
    let Some(size) = size else { return response };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if !taken.try_grow(size) {
        let only_looks = only_looks || response.extensions().get::<NothingChanged>().is_some();
        if only_looks && response.status().is_success() {
            return ApiError::over_capacity().into_response();
        }
        taken.overdraw(size);
    }
    response.map(|inner| Body::new(ChargedBody { inner, piece: Bytes::new(), _taken: taken }))
}

/// A body that is handed on piece by piece, and what it takes until the last of them.
struct ChargedBody {
    inner: Body,
    piece: Bytes,
    _taken: BudgetReservation,
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
    use crate::middleware::BodyBudget;

    fn answer(size: usize) -> Response {
        "x".repeat(size).into_response()
    }

    #[tokio::test]
    async fn a_large_answer_takes_room_until_it_is_sent() {
        let room = BodyBudget::new(4_000_000);
        let given = |credential, only_looks, size| {
            charge_response(room.reservation_for(credential), only_looks, answer(size))
        };
        let first = given("a", true, 700_000);
        assert_eq!(first.body().size_hint().exact(), Some(700_000));
        let refused = given("a", true, 700_000);
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.headers().contains_key("retry-after"));
        // Others have their own, small answers are free, and what happened is told.
        assert_eq!(given("b", true, 700_000).status(), StatusCode::OK);
        assert_eq!(given("a", true, 60_000).status(), StatusCode::OK);
        assert_eq!(given("a", false, 700_000).status(), StatusCode::OK);
        assert_eq!(to_bytes(first.into_body(), usize::MAX).await.unwrap(), "x".repeat(700_000));
        assert_eq!(given("a", true, 700_000).status(), StatusCode::OK);
    }

    #[test]
    fn what_happened_takes_room_that_is_not_there() {
        let room = BodyBudget::new(4_000_000);
        let given = |only_looks| charge_response(room.reservation_for("a"), only_looks, answer(700_000));
        let (first, second) = (given(false), given(false));
        assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::OK));
        assert!(room.is_overdrawn("a") && !room.is_overdrawn("b"));
        drop(first);
        assert!(!room.is_overdrawn("a"));
        assert_eq!(given(true).status(), StatusCode::SERVICE_UNAVAILABLE);
        let mut again = answer(700_000);
        again.extensions_mut().insert(NothingChanged);
        assert_eq!(
            charge_response(room.reservation_for("a"), false, again).status(),
            StatusCode::SERVICE_UNAVAILABLE
        );
        drop(second);
        assert_eq!(given(true).status(), StatusCode::OK);
    }
}
