//! The clock of a gate. Tests use a manual one.

use jiff::Timestamp;

use crate::ledger::BoxFuture;

/// Gives the time and sleeps.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// Completes when the given time has come.
    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'_, ()>;
}

/// The system clock. Sleeping needs a tokio runtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Sleeps by the monotonic clock, then checks the wall clock, which may have been set
            // meanwhile.
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
