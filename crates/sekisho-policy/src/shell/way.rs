//! Which commands of a list run only if the one before them worked.

use sekisho_shell::script::{Script, Shape};

use super::directories::Directories;

/// The way through a script's own list of commands, for knowing which `cd` must have worked.
pub(super) struct Way {
    /// In a flat list: the operator after each command, by its position; none for one outside the list.
    after: Vec<Option<&'static str>>,
    /// Where the present chain of `&&` began.
    start: Option<Directories>,
    broken: bool,
}

impl Way {
    pub(super) fn new(script: &Script) -> Way {
        let flat = script.shape.iter().all(|item| match item {
            Shape::Operator(operator) => matches!(*operator, "&&" | "||" | ";" | "|" | "|&" | "&"),
            _ => true,
        });
        let mut after: Vec<Option<&'static str>> = vec![None; if flat { script.commands.len() } else { 0 }];
        let mut last = usize::MAX;
        for item in &script.shape {
            let (index, operator) = match item {
                Shape::Command(index) => (*index, ";"),
                Shape::Operator(operator) => (last, *operator),
                _ => continue,
            };
            last = index;
            if let Some(slot) = after.get_mut(index) {
                *slot = Some(operator);
            }
        }
        Way { after, start: None, broken: true }
    }

    fn operator_after(&self, command: usize) -> Option<&'static str> {
        self.after.get(command).copied().flatten()
    }

    /// Whether what follows the command runs only if it worked.
    pub(super) fn is_certain(&self, command: usize) -> bool {
        self.operator_after(command) == Some("&&")
    }

    /// Comes to a command: where a chain of `&&` ends, every directory it passed through is possible again.
    pub(super) fn arrive(&mut self, command: usize, directories: &mut Directories) {
        if self.broken {
            if let Some(start) = &self.start {
                directories.unite(start);
            }
            self.start = Some(directories.clone());
        }
        // A command outside the list stands in a substitution and ends no chain.
        if let Some(operator) = self.operator_after(command) {
            self.broken = operator != "&&";
        }
    }
}
