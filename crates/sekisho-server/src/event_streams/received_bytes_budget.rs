//! Bytes received on a WebSocket are charged to the body budget until their message is handled.
//!
//! A socket keeps the pieces of a message until it is complete, for as long as the client likes. So bytes are
//! counted as they are read from the connection.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::memory_budget::{BudgetReservation, UNCHARGED_BYTES};

/// The least overhead of a frame besides its payload: two bytes and the mask.
const HEAD: usize = 6;

/// Yields to other tasks after this many reads that are discarded.
const DISCARDED_READS: usize = 16;

/// Counts the bytes of a message that is not handled yet. All clones share one count.
#[derive(Clone)]
pub(super) struct MessageBudget(Arc<Mutex<Reading>>);

struct Reading {
    bytes: usize,
    taken: BudgetReservation,
    no_room: bool,
}

impl MessageBudget {
    /// An empty count that charges to a reservation.
    pub(super) fn new(taken: BudgetReservation) -> MessageBudget {
        MessageBudget(Arc::new(Mutex::new(Reading { bytes: 0, taken, no_room: false })))
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts bytes read. Returns `false` if there is no memory for them. The first bytes are free, as for a
    /// small body.
    fn read(&self, bytes: usize) -> bool {
        let mut reading = self.reading();
        let before = reading.bytes.saturating_sub(UNCHARGED_BYTES);
        reading.bytes = reading.bytes.saturating_add(bytes);
        let counted = reading.bytes.saturating_sub(UNCHARGED_BYTES).saturating_sub(before);
        let fits = reading.taken.try_grow(counted);
        reading.no_room |= !fits;
        fits
    }

    /// Takes more bytes, for the values of the message. Returns `false` if there are too few.
    pub(super) fn try_grow(&self, bytes: usize) -> bool {
        self.reading().taken.try_grow(bytes)
    }

    /// Whether memory ran out.
    pub(super) fn is_full(&self) -> bool {
        self.reading().no_room
    }

    /// The message was handled, and nothing of it is kept.
    pub(super) fn message_handled(&self) {
        let mut reading = self.reading();
        reading.bytes = 0;
        reading.taken.shrink_to(0);
    }

    /// A frame in between, such as a ping, is not kept.
    pub(super) fn control_frame_skipped(&self, payload: usize) {
        let mut reading = self.reading();
        reading.bytes = reading.bytes.saturating_sub(payload.saturating_add(HEAD));
        let counted = reading.bytes.saturating_sub(UNCHARGED_BYTES);
        reading.taken.shrink_to(counted);
    }
}

/// A connection whose reads are counted.
pub(super) struct ChargedConnection<S> {
    pub(super) inner: S,
    pub(super) budget: MessageBudget,
}

impl<S: AsyncRead + Unpin> ChargedConnection<S> {
    /// Reads what still arrives and discards it, so that the client can receive the reason for the close.
    fn discard(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        for _ in 0..DISCARDED_READS {
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
        if self.budget.is_full() {
            return self.discard(context, buffer);
        }
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().len().saturating_sub(before);
        Poll::Ready(match self.budget.read(read) {
            true => Ok(()),
            false => Err(io::Error::other("the memory budget is used up")),
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
    use crate::memory_budget::{MemoryBudget, UNCHARGED_BYTES};

    #[test]
    fn bytes_read_are_charged_until_the_message_is_handled() {
        let budget = MemoryBudget::new(4 * UNCHARGED_BYTES);
        let left = |bytes| budget.reservation_for("a").try_grow(bytes);
        let message_budget = MessageBudget::new(budget.reservation_for("a"));
        // The first bytes are free, as for a small body.
        assert!(message_budget.read(UNCHARGED_BYTES - 10) && left(UNCHARGED_BYTES));
        assert!(message_budget.read(110) && left(UNCHARGED_BYTES - 100) && !left(UNCHARGED_BYTES - 99));
        // Control frames are not kept.
        assert!(message_budget.read(20 + HEAD));
        message_budget.control_frame_skipped(20);
        assert!(left(UNCHARGED_BYTES - 100) && !left(UNCHARGED_BYTES - 99));
        assert!(message_budget.try_grow(UNCHARGED_BYTES - 100) && !left(1) && !message_budget.is_full());
        assert!(!message_budget.read(1) && message_budget.is_full());
        message_budget.message_handled();
        assert!(left(UNCHARGED_BYTES));
    }
}
