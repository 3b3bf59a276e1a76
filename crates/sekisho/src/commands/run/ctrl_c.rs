//! What Ctrl-C does: once it interrupts a tool, twice it leaves.

use std::time::{Duration, Instant};

/// A second Ctrl-C within this time leaves.
const TWICE: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CtrlCAction {
    /// End the tools that run.
    InterruptTools,
    /// Nothing can be interrupted: say what a second Ctrl-C does.
    Explain,
    Leave,
}

/// Counts Ctrl-C.
#[derive(Debug, Default)]
pub(super) struct CtrlC {
    last: Option<Instant>,
}

impl CtrlC {
    pub(super) fn press(&mut self, at: Instant, is_tool_running: bool) -> CtrlCAction {
        let before = self.last.replace(at);
        if before.is_some_and(|before| at.saturating_duration_since(before) < TWICE) {
            return CtrlCAction::Leave;
        }
        match is_tool_running {
            true => CtrlCAction::InterruptTools,
            false => CtrlCAction::Explain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_press_leaves_unless_it_comes_much_later() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut ctrl_c = CtrlC::default();
        assert_eq!(ctrl_c.press(at(0), true), CtrlCAction::InterruptTools);
        assert_eq!(ctrl_c.press(at(10), true), CtrlCAction::InterruptTools);
        assert_eq!(ctrl_c.press(at(11), true), CtrlCAction::Leave);
        let mut ctrl_c = CtrlC::default();
        assert_eq!(ctrl_c.press(at(0), false), CtrlCAction::Explain);
        assert_eq!(ctrl_c.press(at(1), false), CtrlCAction::Leave);
    }
}
