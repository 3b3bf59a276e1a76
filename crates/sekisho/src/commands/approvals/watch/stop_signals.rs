//! The signals that end a command.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end a command which uses the terminal.
pub(super) struct StopSignals([Signal; 4]);

impl StopSignals {
    pub(super) fn new() -> io::Result<StopSignals> {
        let kinds =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [a, b, c, d] = kinds.map(signal);
        Ok(StopSignals([a?, b?, c?, d?]))
    }

    /// Waits for one of them.
    pub(super) async fn come(&mut self) {
        let [a, b, c, d] = &mut self.0;
        tokio::select! { _ = a.recv() => {}, _ = b.recv() => {}, _ = c.recv() => {}, _ = d.recv() => {} }
    }
}
