//! Which commands of a list run only if the previous one succeeded.

use sekisho_shell::script::{Script, ScriptItem};

use super::working_directories::WorkingDirectories;

/// Follows a script's own command list, to know which `cd` must have succeeded.
pub(super) struct AndChain {
    /// In a flat list: the operator after each command, by its position; `None` for a command outside the
    /// list.
    after: Vec<Option<&'static str>>,
    /// The directories at the start of the current `&&` chain.
    start: Option<WorkingDirectories>,
    broken: bool,
}

impl AndChain {
    pub(super) fn new(script: &Script) -> AndChain {
        let flat = script.items.iter().all(|item| match item {
            ScriptItem::Operator(operator) => matches!(*operator, "&&" | "||" | ";" | "|" | "|&" | "&"),
            _ => true,
        });
        let mut after: Vec<Option<&'static str>> = vec![None; if flat { script.commands.len() } else { 0 }];
        let mut last = usize::MAX;
        for item in &script.items {
            let (index, operator) = match item {
                ScriptItem::Command(index) => (*index, ";"),
                ScriptItem::Operator(operator) => (last, *operator),
                _ => continue,
            };
            last = index;
            if let Some(slot) = after.get_mut(index) {
                *slot = Some(operator);
            }
        }
        AndChain { after, start: None, broken: true }
    }

    fn operator_after(&self, command: usize) -> Option<&'static str> {
        self.after.get(command).copied().flatten()
    }

    /// Whether the next command runs only if this one succeeded.
    pub(super) fn next_requires_success(&self, command: usize) -> bool {
        self.operator_after(command) == Some("&&")
    }

    /// Moves on to a command. At the end of an `&&` chain, every directory it passed through is possible
    /// again.
    pub(super) fn enter_command(&mut self, command: usize, directories: &mut WorkingDirectories) {
        if self.broken {
            if let Some(start) = &self.start {
                directories.merge(start);
            }
            self.start = Some(directories.clone());
        }
        // A command outside the list is in a substitution and ends no chain.
        if let Some(operator) = self.operator_after(command) {
            self.broken = operator != "&&";
        }
    }
}
