//! The signals that stop a server.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::failure::Failure;

/// Counts SIGTERM and SIGINT. Needs a runtime.
pub(super) fn count_signals() -> Result<watch::Receiver<u8>, Failure> {
    let (count, counted) = watch::channel(0);
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
            if *count.borrow() == 0 {
                tracing::info!("stopping; a second signal stops at once");
            }
            count.send_modify(|count: &mut u8| *count = count.saturating_add(1));
        }
    });
    Ok(counted)
}
