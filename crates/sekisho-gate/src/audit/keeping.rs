//! Writes checkpoints while something happens.

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use super::port::Audit;
use crate::clock::Clock;

/// At most one checkpoint in this time. It is also how long a failed one waits for its next try.
const EVERY: SignedDuration = SignedDuration::from_secs(1);

/// Has a checkpoint written at once, so that the chains of those who ran before are vouched for, and then at most one a
/// second, only after something happened. Ends when nobody can say any more that something did.
pub async fn keep_checkpoints(audit: &dyn Audit, clock: &dyn Clock, mut head: watch::Receiver<u64>) {
    loop {
        // Seen before it is written: what happens meanwhile is for the next one.
        head.borrow_and_update();
        let now = clock.now();
        let failed = audit.checkpoint(now).await.is_err();
        clock.sleep_until(now.checked_add(EVERY).unwrap_or(Timestamp::MAX)).await;
        let over = if failed { head.has_changed().is_err() } else { head.changed().await.is_err() };
        if over {
            return;
        }
    }
}
