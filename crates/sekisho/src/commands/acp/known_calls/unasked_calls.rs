//! Calls that the agent has begun, about which nobody was asked, and that have not ended: they may run meanwhile.

use std::collections::VecDeque;

use crate::commands::acp::shell_directories::{ShellCommand, ShellDirectories};

/// How many are remembered.
const MOST: usize = 32;
/// The longest command that is remembered, in bytes. Of a longer one it is only known where it led when it began.
const LONGEST: usize = 256 << 10;

/// A tool call: its session, and its id there.
pub(in crate::commands::acp) type CallKey = (String, String);

/// A call that may move the shell.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::commands::acp) struct UnaskedCall {
    pub(in crate::commands::acp) command: ShellCommand,
    /// Where the shell may be besides.
    pub(in crate::commands::acp) leads_to: ShellDirectories,
}

/// The newest of these calls, the oldest first.
#[derive(Default)]
pub(super) struct UnaskedCalls(VecDeque<(CallKey, UnaskedCall)>);

impl UnaskedCalls {
    /// Adds a call. One of this key that was something else before may have run: where that led is kept. Returns the call
    /// for which there is no more room.
    pub(super) fn add(&mut self, key: CallKey, mut call: UnaskedCall) -> Option<(CallKey, UnaskedCall)> {
        if let Some(before) = self.take(&key) {
            call.leads_to.include(&before.leads_to);
        }
        if matches!(&call.command, ShellCommand::Text(text) if text.len() > LONGEST) {
            call.command = ShellCommand::Nothing;
        }
        if call.leads_to != ShellDirectories::default() {
            self.0.push_back((key, call));
        }
        if self.0.len() > MOST { self.0.pop_front() } else { None }
    }

    pub(super) fn contains(&self, key: &CallKey) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    pub(super) fn take(&mut self, key: &CallKey) -> Option<UnaskedCall> {
        let at = self.0.iter().position(|(known, _)| known == key)?;
        self.0.remove(at).map(|(_, call)| call)
    }

    /// The calls of a session, with their ids.
    pub(super) fn of_session(&self, session: &str) -> impl Iterator<Item = (&str, &UnaskedCall)> {
        self.0.iter().filter(move |((of, _), _)| of == session).map(|((_, id), call)| (id.as_str(), call))
    }
}

/// The shell may also be where these calls lead it, one after the other.
pub(in crate::commands::acp) fn include_running(
    shell: &mut ShellDirectories,
    cwd: &str,
    running: &[UnaskedCall],
) {
    running.iter().for_each(|call| shell.include(&call.leads_to));
    for call in running {
        let added = shell.added_by(cwd, &call.command);
        shell.include(&added);
    }
}
