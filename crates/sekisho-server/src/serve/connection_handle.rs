//! A caller's seat, held by everything that goes on over its connection.

use std::sync::Arc;

use tokio::sync::{Notify, watch};

/// A caller's seat. It is taken as long as anybody holds it: a connection that became a WebSocket leaves the server's own
/// loop, but not its seat, so it is waited for when the server stops.
#[derive(Clone)]
pub(crate) struct ConnectionHandle(Arc<ConnectionState>);

struct ConnectionState {
    _here: watch::Receiver<()>,
    hang_up: Notify,
}

impl ConnectionHandle {
    pub(super) fn new(here: watch::Receiver<()>) -> ConnectionHandle {
        ConnectionHandle(Arc::new(ConnectionState { _here: here, hang_up: Notify::new() }))
    }

    /// Cuts the connection, whatever is being written to it.
    pub(crate) fn close(&self) {
        self.0.hang_up.notify_one();
    }

    /// Ends when somebody hangs up.
    pub(super) async fn closed(&self) {
        self.0.hang_up.notified().await;
    }
}
