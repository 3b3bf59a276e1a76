//! Answers before the agent stops waiting: most agents run a call whose hook takes too long.

use std::time::{Duration, Instant};

/// When an answer is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerDeadline {
    /// When to stop waiting for a human.
    pub(crate) wait_until: Instant,
}

/// Seconds of the agent's limit reserved for what the hook cannot see: being started, and being read.
fn margin(limit_s: u32) -> u32 {
    (limit_s / 20).clamp(1, 5)
}

/// Starts the timer for an agent that waits `limit_s` seconds. If it runs out, for example on a lock that is
/// never released or an endless directory, the system kills this process, and every agent is configured to
/// treat that as a block.
pub(crate) fn arm(limit_s: u32) -> AnswerDeadline {
    let margin = margin(limit_s);
    nix::unistd::alarm::set(limit_s.saturating_sub(margin).max(1));
    let waiting = Duration::from_secs(u64::from(limit_s.saturating_sub(2 * margin)));
    AnswerDeadline { wait_until: Instant::now() + waiting }
}

/// The timer until the installation says how long its agent waits: long enough for any healthy run.
pub(crate) fn arm_default() {
    nix::unistd::alarm::set(5);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_ends_before_its_agent_times_out() {
        for limit in [2, 4, 10, 19, 20, 60, 100, 600, 1200, u32::MAX] {
            assert!((1..=5).contains(&margin(limit)) && margin(limit) < limit, "{limit}");
        }
    }
}
