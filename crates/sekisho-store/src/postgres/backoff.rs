//! Exponential back-off with jitter.

use std::time::Duration;

use uuid::Uuid;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// The delay before the next attempt.
#[derive(Debug)]
pub(super) struct BackOff(Duration);

impl Default for BackOff {
    fn default() -> BackOff {
        BackOff(FIRST)
    }
}

impl BackOff {
    /// Waits, and doubles the next delay up to a limit.
    pub(super) async fn wait(&mut self) {
        tokio::time::sleep(self.next()).await;
    }

    fn next(&mut self) -> Duration {
        let now = self.0;
        self.0 = (now * 2).min(LONGEST);
        BackOff::jitter(now)
    }

    /// A random duration between half of `whole` and all of it.
    pub(super) fn jitter(whole: Duration) -> Duration {
        let (_, random) = Uuid::now_v7().as_u64_pair();
        let part = u32::try_from(random % 512).unwrap_or(0);
        whole / 2 + whole / 1024 * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_grows_and_stays_bounded() {
        let mut back_off = BackOff::default();
        let waits: Vec<Duration> = (0..12).map(|_| back_off.next()).collect();
        assert!(waits[0] >= FIRST / 2 && waits[0] <= FIRST, "{waits:?}");
        assert!(waits.iter().all(|wait| *wait <= LONGEST), "{waits:?}");
        assert!(waits[11] >= LONGEST / 2, "{waits:?}");
    }
}
