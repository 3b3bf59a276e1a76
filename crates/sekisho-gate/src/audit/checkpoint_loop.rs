//! The loop that writes checkpoints.

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use super::audit_log::AuditLog;
use crate::clock::Clock;

/// The minimum time between checkpoints, and the delay before a failed one is retried.
const EVERY: SignedDuration = SignedDuration::from_secs(1);

/// The maximum time between checkpoints. Some rows come without an event, so the loop also runs without
/// one.
const AT_LATEST: SignedDuration = SignedDuration::from_secs(15);

/// Writes a checkpoint at once, which covers the chains of earlier processes. Then writes at most one a
/// second after events, and one now and then for rows without an event. Ends when the sender of `head`
/// is dropped.
pub async fn run_checkpoint_loop(audit: &dyn AuditLog, clock: &dyn Clock, mut head: watch::Receiver<u64>) {
    loop {
        // Marked as seen before writing: an event that arrives meanwhile is for the next checkpoint.
        head.borrow_and_update();
        let now = clock.now();
        let failed = audit.checkpoint(now).await.is_err();
        let after = |span| now.checked_add(span).unwrap_or(Timestamp::MAX);
        clock.sleep_until(after(EVERY)).await;
        let over = match failed {
            true => head.has_changed().is_err(),
            false => tokio::select! {
                changed = head.changed() => changed.is_err(),
                () = clock.sleep_until(after(AT_LATEST)) => false,
            },
        };
        if over {
            return;
        }
    }
}
