//! Writes checkpoints while something happens.

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use super::audit_log::AuditLog;
use crate::clock::Clock;

/// At most one checkpoint in this time. It is also how long a failed one waits for its next try.
const EVERY: SignedDuration = SignedDuration::from_secs(1);

/// Some rows come without an event. They are vouched for this soon.
const AT_LATEST: SignedDuration = SignedDuration::from_secs(15);

/// Has a checkpoint written at once, so that the chains of those who ran before are vouched for, and then at most one a
/// second after something happened, and one now and then for what nobody was told of. Ends when nobody can say any more
/// that something happened.
pub async fn run_checkpoint_loop(audit: &dyn AuditLog, clock: &dyn Clock, mut head: watch::Receiver<u64>) {
    loop {
        // Seen before it is written: what happens meanwhile is for the next one.
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
