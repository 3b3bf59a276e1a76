//! A caller's seat, held by everything that goes on over its connection.

use std::sync::Arc;

use tokio::sync::{Notify, watch};

/// A caller's seat. It is taken as long as anybody holds it: a connection that became a WebSocket leaves the server's own
/// loop, but not its seat, so it is waited for when the server stops.
#[derive(Clone)]
pub(crate) struct Seat(Arc<Taken>);

struct Taken {
    _here: watch::Receiver<()>,
    hang_up: Notify,
}

impl Seat {
    pub(super) fn new(here: watch::Receiver<()>) -> Seat {
        Seat(Arc::new(Taken { _here: here, hang_up: Notify::new() }))
    }

    /// Cuts the connection, whatever is being written to it.
    pub(crate) fn hang_up(&self) {
        self.0.hang_up.notify_one();
    }

    /// Ends when somebody hangs up.
    pub(super) async fn hung_up(&self) {
        self.0.hang_up.notified().await;
    }
}
