//! The one clock of a gate, so that tests can turn it.

use jiff::Timestamp;

use crate::ledger::BoxFuture;

/// Tells the time and wakes sleepers.
pub trait Clock: Send + Sync {
    /// The moment it is.
    fn now(&self) -> Timestamp;

    /// Ends when a moment has come.
    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'_, ()>;
}

/// The machine's clock. Sleeping needs a tokio runtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Slept by the steady clock and checked against the wall's, which may have been set in between.
            loop {
                let left = moment.duration_since(Timestamp::now());
                match std::time::Duration::try_from(left) {
                    Ok(left) if !left.is_zero() => tokio::time::sleep(left).await,
                    _ => return,
                }
            }
        })
    }
}
