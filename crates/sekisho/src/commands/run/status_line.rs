//! The line at the bottom while no question is shown: what the run waits for.

use std::time::Duration;

use super::active_calls::ActiveCalls;
use crate::commands::approvals::Prompt;
use crate::terminal::visible;

/// The line. `skipped` is how many questions the user skipped.
pub(super) fn status(calls: &ActiveCalls, skipped: usize, since: Duration) -> Prompt {
    let seconds = match since.as_secs() {
        0 => String::new(),
        seconds => format!(", {seconds} s"),
    };
    let (text, rest) = match (skipped, calls.running()) {
        (1.., _) => ("waiting for an answer".to_owned(), "(s shows the question, q leaves)"),
        (0, Some(tools)) => (format!("running {}{seconds}", visible(&tools)), "(Ctrl-C interrupts)"),
        (0, None) if calls.waiting() > 0 => ("waiting for an answer".to_owned(), "(Ctrl-C twice leaves)"),
        (0, None) => (format!("waiting for the model{seconds}"), "(Ctrl-C twice leaves)"),
    };
    Prompt { short: text.clone(), text, typed: None, rest: rest.into(), brief: rest.into(), danger: false }
}
