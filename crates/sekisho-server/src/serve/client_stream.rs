//! A client's byte stream together with its connection slot. They stay together: a connection that became a
//! WebSocket still counts.
//!
//! A client that never reads its responses would keep its slot for ever, so writing has a timeout too.
//! [`Framing`] follows what is read and stops at a request that could be parsed in two ways.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Sleep;

use super::framing::{Ambiguous, Framing};

/// Whether a connection has become a WebSocket.
#[derive(Clone, Default)]
pub(super) struct UpgradedFlag(Arc<AtomicBool>);

impl UpgradedFlag {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A stream that holds a connection slot.
pub(super) struct ClientStream<S> {
    stream: S,
    /// `None`: nothing more is read.
    framing: Option<Framing>,
    upgraded: UpgradedFlag,
    /// How long the client may read nothing of what is written.
    write_timeout: Duration,
    stuck: Option<Pin<Box<Sleep>>>,
    _slot: OwnedSemaphorePermit,
}

impl<S> ClientStream<S> {
    pub(super) fn new(
        stream: S,
        write_timeout: Duration,
        slot: OwnedSemaphorePermit,
        upgraded: UpgradedFlag,
    ) -> ClientStream<S> {
        let framing = Some(Framing::default());
        ClientStream { stream, framing, upgraded, write_timeout, stuck: None, _slot: slot }
    }

    /// The result of a write, or an error if writing has made no progress for too long.
    fn with_write_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let timeout = self.write_timeout;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        ready!(stuck.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.upgraded.get() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let this = &mut *self;
        let Some(framing) = &mut this.framing else { return Poll::Ready(Ok(())) };
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
        let read = buffer.filled_mut().get_mut(before..).unwrap_or_default();
        if let Err(Ambiguous { at, why }) = framing.follow(read) {
            tracing::debug!(why, "a request can be parsed in two ways");
            this.framing = None;
            // hyper rejects whatever contains this byte.
            if let Some(byte) = read.get_mut(at) {
                *byte = 0;
            }
            buffer.set_filled(before + at + 1);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.with_write_timeout(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.with_write_timeout(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_flush(context);
        self.with_write_timeout(context, written)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_shutdown(context);
        self.with_write_timeout(context, written)
    }
}
