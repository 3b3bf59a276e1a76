//! Answering before the agent stops waiting: most agents let a call run whose hook takes too long.

use std::time::{Duration, Instant};

/// Until when an answer is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerDeadline {
    /// When waiting for a human ends.
    pub(crate) wait_until: Instant,
}

/// What is left of an agent's patience for what we do not see: starting, and being read.
fn margin(limit_s: u32) -> u32 {
    (limit_s / 20).clamp(1, 5)
}

/// The budget of an agent that waits so many seconds. Whatever goes on when it is used up, a lock nobody lets go, a directory
/// without an end, the system ends this process then, and every agent was told to take such an end for a block.
pub(crate) fn arm(limit_s: u32) -> AnswerDeadline {
    let margin = margin(limit_s);
    nix::unistd::alarm::set(limit_s.saturating_sub(margin).max(1));
    let waiting = Duration::from_secs(u64::from(limit_s.saturating_sub(2 * margin)));
    AnswerDeadline { wait_until: Instant::now() + waiting }
}

/// Until the installation says how long its agent waits: long enough for anything that is well.
pub(crate) fn arm_default() {
    nix::unistd::alarm::set(5);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_ends_before_its_agent_gives_up() {
        for limit in [2, 4, 10, 19, 20, 60, 100, 600, 1200, u32::MAX] {
            assert!((1..=5).contains(&margin(limit)) && margin(limit) < limit, "{limit}");
        }
    }
}
