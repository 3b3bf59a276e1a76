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
pub struct ReadAllowance(Arc<AtomicU64>);

impl ReadAllowance {
    /// Allows this many bytes.
    pub fn new(bytes: u64) -> ReadAllowance {
        ReadAllowance(Arc::new(AtomicU64::new(bytes)))
    }

    /// Allows this many bytes from now on.
    pub fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Allows more bytes.
    pub fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Whether nothing more may be read.
    pub fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn take(&self, bytes: u64) {
        // Somebody may raise it at the same moment.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(bytes)));
    }
}

/// A stream that fails once its allowance is used up.
pub struct LimitedStream<S> {
    stream: S,
    allowance: ReadAllowance,
}

impl<S> LimitedStream<S> {
    /// A stream with an allowance.
    pub fn new(stream: S, allowance: ReadAllowance) -> LimitedStream<S> {
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
