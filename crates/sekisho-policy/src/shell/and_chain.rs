//! Which commands of a list run only if the previous one succeeded.

use sekisho_shell::script::{Script, ScriptItem};

use super::working_directories::WorkingDirectories;

/// Follows a script's own command list, to know which `cd` must have succeeded.
pub(super) struct AndChain {
    /// In a flat list: each command by its position; `None` for a command outside the list.
    places: Vec<Option<ListPlace>>,
    /// The directories passed through since the last end of an `&&` chain.
    passed: Option<WorkingDirectories>,
    broken: bool,
}

/// Where a command is in its list.
#[derive(Clone, Copy)]
struct ListPlace {
    /// The operator after it.
    after: &'static str,
    /// It may be skipped while the list goes on (`a || b && c`), or runs in a shell of its own (`a | b`).
    may_be_skipped: bool,
}

impl AndChain {
    pub(super) fn new(script: &Script) -> AndChain {
        let flat = script.items.iter().all(|item| match item {
            ScriptItem::Operator(operator) => matches!(*operator, "&&" | "||" | ";" | "|" | "|&" | "&"),
            _ => true,
        });
        let mut places: Vec<Option<ListPlace>> = vec![None; if flat { script.commands.len() } else { 0 }];
        let (mut last, mut ended, mut may_be_skipped) = (usize::MAX, false, false);
        for item in &script.items {
            match item {
                ScriptItem::Command(index) => {
                    (last, ended) = (*index, false);
                    if let Some(place) = places.get_mut(*index) {
                        *place = Some(ListPlace { after: ";", may_be_skipped });
                    }
                }
                ScriptItem::Operator(operator) => {
                    // A redirect or an assignment can be a command of its own: after `a; >x &&` the last
                    // operator says nothing about `a`.
                    if let Some(Some(place)) = places.get_mut(last).filter(|_| !ended || *operator != "&&") {
                        place.after = if ended && place.after != "&&" { place.after } else { operator };
                    }
                    ended = true;
                    may_be_skipped = match *operator {
                        ";" | "&" => false,
                        "&&" => may_be_skipped,
                        _ => true,
                    };
                }
                _ => {}
            }
        }
        AndChain { places, passed: None, broken: true }
    }

    fn place(&self, command: usize) -> Option<ListPlace> {
        self.places.get(command).copied().flatten()
    }

    /// Whether the next command runs only if this one ran and succeeded.
    pub(super) fn next_requires_success(&self, command: usize) -> bool {
        self.place(command).is_some_and(|place| place.after == "&&" && !place.may_be_skipped)
    }

    /// Moves on to a command. At the end of an `&&` chain, every directory it passed through is possible
    /// again.
    pub(super) fn enter_command(&mut self, command: usize, directories: &mut WorkingDirectories) {
        match &mut self.passed {
            Some(passed) => passed.merge(directories),
            None => self.passed = Some(directories.clone()),
        }
        if let Some(passed) = self.passed.as_ref().filter(|_| self.broken) {
            directories.merge(passed);
        }
        // A command outside the list is in a substitution and ends no chain.
        if let Some(place) = self.place(command) {
            self.broken = place.after != "&&";
        }
    }
}
