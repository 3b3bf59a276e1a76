//! What a WebSocket is sent takes room, as bodies do, from its arrival until it was heard.
//!
//! A socket keeps the pieces of a message until it is whole, for as long as its owner likes. So they are counted as they are
//! read from the connection.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::middleware::{BudgetReservation, UNCHARGED_BYTES};

/// What a piece takes besides its payload, at least: two bytes and the mask.
const HEAD: usize = 6;

/// After so many readings that are not kept others get a turn.
const PASSED_OVER: usize = 16;

/// Counts what was read of a message that is not heard yet. All clones are one.
#[derive(Clone)]
pub(super) struct MessageBudget(Arc<Mutex<Reading>>);

struct Reading {
    bytes: usize,
    taken: BudgetReservation,
    no_room: bool,
}

impl MessageBudget {
    /// Takes room of what is given; nothing yet.
    pub(super) fn new(taken: BudgetReservation) -> MessageBudget {
        MessageBudget(Arc::new(Mutex::new(Reading { bytes: 0, taken, no_room: false })))
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many bytes were read; `false`: there is no room for them. As much as a small body is free.
    fn read(&self, bytes: usize) -> bool {
        let mut reading = self.reading();
        let before = reading.bytes.saturating_sub(UNCHARGED_BYTES);
        reading.bytes = reading.bytes.saturating_add(bytes);
        let counted = reading.bytes.saturating_sub(UNCHARGED_BYTES).saturating_sub(before);
        let fits = reading.taken.try_grow(counted);
        reading.no_room |= !fits;
        fits
    }

    /// Takes so much more, for what the message becomes; `false`: there is no room for it.
    pub(super) fn try_grow(&self, bytes: usize) -> bool {
        self.reading().taken.try_grow(bytes)
    }

    /// Whether there was no room for something.
    pub(super) fn is_full(&self) -> bool {
        self.reading().no_room
    }

    /// The message was heard. Nothing of it is kept.
    pub(super) fn message_handled(&self) {
        let mut reading = self.reading();
        reading.bytes = 0;
        reading.taken.shrink_to(0);
    }

    /// Something came in between that is not kept, such as a ping.
    pub(super) fn control_frame_skipped(&self, payload: usize) {
        let mut reading = self.reading();
        reading.bytes = reading.bytes.saturating_sub(payload.saturating_add(HEAD));
        let counted = reading.bytes.saturating_sub(UNCHARGED_BYTES);
        reading.taken.shrink_to(counted);
    }
}

/// A connection whose reading is counted.
pub(super) struct ChargedConnection<S> {
    pub(super) inner: S,
    pub(super) meter: MessageBudget,
}

impl<S: AsyncRead + Unpin> ChargedConnection<S> {
    /// Reads what still comes and keeps nothing of it, so that the other end hears why this ends.
    fn pass_over(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        for _ in 0..PASSED_OVER {
            ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
            if buffer.filled().len() == before {
                return Poll::Ready(Ok(()));
            }
            buffer.set_filled(before);
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ChargedConnection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if self.meter.is_full() {
            return self.pass_over(context, buffer);
        }
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().len().saturating_sub(before);
        Poll::Ready(match self.meter.read(read) {
            true => Ok(()),
            false => Err(io::Error::other("there is no room for more")),
        })
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ChargedConnection<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::{HEAD, MessageBudget};
    use crate::middleware::{BodyBudget, UNCHARGED_BYTES};

    #[test]
    fn what_is_read_takes_room_until_it_is_heard() {
        let room = BodyBudget::new(4 * UNCHARGED_BYTES);
        let left = |bytes| room.reservation_for("a").try_grow(bytes);
        let meter = MessageBudget::new(room.reservation_for("a"));
        // As much as a small body is free.
        assert!(meter.read(UNCHARGED_BYTES - 10) && left(UNCHARGED_BYTES));
        assert!(meter.read(110) && left(UNCHARGED_BYTES - 100) && !left(UNCHARGED_BYTES - 99));
        // What came in between is not kept.
        assert!(meter.read(20 + HEAD));
        meter.control_frame_skipped(20);
        assert!(left(UNCHARGED_BYTES - 100) && !left(UNCHARGED_BYTES - 99));
        assert!(meter.try_grow(UNCHARGED_BYTES - 100) && !left(1) && !meter.is_full());
        assert!(!meter.read(1) && meter.is_full());
        meter.message_handled();
        assert!(left(UNCHARGED_BYTES));
    }
}
