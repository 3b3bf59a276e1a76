//! Answering before the agent stops waiting: most agents let a call run whose hook takes too long.

use std::io::Write;
use std::time::{Duration, Instant};

use sekisho_adapters::{Agent, block};

/// Text up to this length is judged in no time, and a thread is not worth its start.
const SHORT: usize = 16 << 10;

/// Until when an answer is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// When waiting for a human ends.
    pub(crate) waiting: Instant,
    /// When everything ends.
    pub(crate) all: Instant,
}

/// The budget of an agent that waits so many seconds, with a margin for what we do not see: starting, and being read.
pub(crate) fn budget(limit_s: u32) -> Budget {
    let limit = Duration::from_secs(u64::from(limit_s));
    let margin = (limit / 10).clamp(Duration::from_secs(1), Duration::from_secs(10));
    let now = Instant::now();
    Budget { waiting: now + limit.saturating_sub(margin), all: now + limit.saturating_sub(margin / 2) }
}

/// Blocks when the budget is used up, whatever else goes on. Only for texts that could take long.
pub(crate) fn set(agent: Agent, budget: Budget, length: usize) {
    if length <= SHORT {
        return;
    }
    std::thread::spawn(move || {
        std::thread::sleep(budget.all.saturating_duration_since(Instant::now()));
        let said = block(agent, "sekisho: judging the call took too long; the call is blocked");
        let _ = std::io::stdout().write_all(said.stdout.as_bytes());
        let _ = std::io::stderr().write_all(said.stderr.as_bytes());
        std::process::exit(i32::from(said.exit));
    });
}
