//! A handle that everything on one connection shares.

use std::sync::Arc;

use tokio::sync::{Notify, watch};

/// A handle to a connection. The server waits at shutdown until the last clone is dropped: a connection that
/// became a WebSocket leaves the server's own loop, but keeps its handle.
#[derive(Clone)]
pub(crate) struct ConnectionHandle(Arc<ConnectionState>);

struct ConnectionState {
    _open: watch::Receiver<()>,
    close_requested: Notify,
}

impl ConnectionHandle {
    pub(super) fn new(open: watch::Receiver<()>) -> ConnectionHandle {
        ConnectionHandle(Arc::new(ConnectionState { _open: open, close_requested: Notify::new() }))
    }

    /// Closes the connection, whatever is being written to it.
    pub(crate) fn close(&self) {
        self.0.close_requested.notify_one();
    }

    /// Resolves when [`close`](Self::close) is called.
    pub(super) async fn closed(&self) {
        self.0.close_requested.notified().await;
    }
}
