//! Limits the bytes that are read from a connection, whatever they mean to HTTP.
//!
//! Interim responses, chunk extensions and trailers cost no body bytes, so a limit on the body alone would let
//! a server send them without end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How many bytes may still be read. Shared with whoever raises it.
#[derive(Clone, Debug)]
pub(super) struct ReadAllowance(Arc<AtomicU64>);

impl ReadAllowance {
    pub(super) fn new(bytes: u64) -> ReadAllowance {
        ReadAllowance(Arc::new(AtomicU64::new(bytes)))
    }

    /// Allows more bytes.
    pub(super) fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Whether nothing more may be read.
    pub(super) fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn take(&self, bytes: u64) {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(bytes), Ordering::Relaxed);
    }
}

/// A stream that fails once its allowance is used up.
pub(super) struct LimitedStream<S> {
    stream: S,
    allowance: ReadAllowance,
}

impl<S> LimitedStream<S> {
    pub(super) fn new(stream: S, allowance: ReadAllowance) -> LimitedStream<S> {
        LimitedStream { stream, allowance }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LimitedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.allowance.is_used_up() {
            return Poll::Ready(Err(io::Error::other("the response is too large")));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let bytes = buf.filled().len().saturating_sub(before);
        self.allowance.take(bytes as u64);
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for LimitedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
