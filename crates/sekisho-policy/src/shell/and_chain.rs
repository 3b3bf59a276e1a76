//! Which commands of a list run only if the one before them worked.

use sekisho_shell::script::{Script, ScriptItem};

use super::working_directories::WorkingDirectories;

/// The way through a script's own list of commands, for knowing which `cd` must have worked.
pub(super) struct AndChain {
    /// In a flat list: the operator after each command, by its position; none for one outside the list.
    after: Vec<Option<&'static str>>,
    /// Where the present chain of `&&` began.
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

    /// Whether what follows the command runs only if it worked.
    pub(super) fn next_requires_success(&self, command: usize) -> bool {
        self.operator_after(command) == Some("&&")
    }

    /// Comes to a command: where a chain of `&&` ends, every directory it passed through is possible again.
    pub(super) fn enter_command(&mut self, command: usize, directories: &mut WorkingDirectories) {
        if self.broken {
            if let Some(start) = &self.start {
                directories.merge(start);
            }
            self.start = Some(directories.clone());
        }
        // A command outside the list stands in a substitution and ends no chain.
        if let Some(operator) = self.operator_after(command) {
            self.broken = operator != "&&";
        }
    }
}
