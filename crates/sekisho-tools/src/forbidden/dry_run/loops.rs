//! Follows loops. Each gets a part of the work that is left; what a loop sets that is not followed to its end is unknown.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::fields::unknown;
use super::shell::{Flow, SHARES, Shell};
use super::syntax::{Command, List, Stage};
use super::variables::is_name;

/// How often the body of one loop is followed.
const MAX_ROUNDS: usize = 256;
/// Builtins that set the variables they name.
const SETTERS: [&str; 11] = [
    "read",
    "mapfile",
    "readarray",
    "printf",
    "getopts",
    "let",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
];

impl Shell<'_> {
    pub(super) fn for_loop(&mut self, name: &str, words: Option<&Vec<String>>, body: &List) {
        let values: Vec<String> = match words {
            Some(words) => self.fields(words).into_iter().map(|field| field.text).collect(),
            None => self.variables().positional(),
        };
        self.status = Some(true);
        let last = values.last().cloned();
        let is_cut = values.len() > MAX_ROUNDS;
        if values.is_empty() {
            self.unreached(body);
        }
        let is_ended = self.each_round(&[body], |shell| {
            for value in values.into_iter().take(MAX_ROUNDS) {
                shell.variables_mut().set(name, value);
                if !shell.round(body) {
                    return true;
                }
            }
            !is_cut
        });
        if !is_ended {
            // A loop that does not break ends with its last value.
            let value = last.filter(|_| !Assigned::of(&[body]).has_break);
            self.variables_mut().set(name, value.unwrap_or_else(unknown));
        }
    }

    /// `for ((start; condition; step))`
    pub(super) fn counted_loop(&mut self, [start, condition, step]: &[String; 3], body: &List) {
        self.arithmetic(start);
        let names = [start, condition, step].map(|sum| names_in(sum));
        let is_ended = self.each_round(&[body], |shell| {
            for _ in 0..MAX_ROUNDS {
                let is_going = condition.trim().is_empty() || shell.arithmetic(condition) != Some(0);
                if !is_going {
                    shell.unreached(body);
                }
                if !is_going || !shell.round(body) {
                    return true;
                }
                shell.arithmetic(step);
            }
            false
        });
        if !is_ended {
            names.into_iter().flatten().for_each(|name| self.variables_mut().set(&name, unknown()));
        }
        self.status = None;
    }

    pub(super) fn while_loop(&mut self, condition: &List, is_until: bool, body: &List) {
        self.each_round(&[condition, body], |shell| {
            for _ in 0..MAX_ROUNDS {
                shell.list(condition);
                match shell.status.map(|succeeded| succeeded != is_until) {
                    Some(true) if shell.round(body) => {}
                    Some(holds) => {
                        if !holds {
                            shell.unreached(body);
                        }
                        return true;
                    }
                    // It is followed once.
                    None => {
                        shell.doubtful(true, |shell| _ = shell.round(body));
                        return true;
                    }
                }
            }
            false
        });
        self.status = None;
    }

    /// Follows the rounds of a loop. False if they were not all followed: what they set is unknown then.
    fn each_round(&mut self, lists: &[&List], rounds: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = Rc::clone(&self.environment);
        let mut is_ended = false;
        self.loops += 1;
        let is_left = self.with_share(SHARES, |shell| is_ended = rounds(shell));
        self.loops -= 1;
        if is_left && is_ended {
            return true;
        }
        let mut names = Assigned::of(lists).names;
        names.extend(self.variables().changed_since(&before.variables));
        self.is_open = true;
        // How texts are split is kept: nothing would be known any more.
        names.remove("IFS");
        if self.spend(names.len()) {
            names.iter().for_each(|name| self.variables_mut().set(name, unknown()));
        }
        false
    }

    /// Follows the body of a loop. False if the loop ends there.
    fn round(&mut self, body: &List) -> bool {
        self.list(body);
        match self.flow {
            Flow::Break(count) | Flow::Continue(count) if count > 1 => {
                let is_break = matches!(self.flow, Flow::Break(_));
                self.flow = if is_break { Flow::Break(count - 1) } else { Flow::Continue(count - 1) };
                false
            }
            Flow::Break(_) => {
                self.flow = Flow::Next;
                false
            }
            Flow::Continue(_) => {
                self.flow = Flow::Next;
                self.spend(1)
            }
            flow => flow == Flow::Next && self.spend(1),
        }
    }
}

/// What the steps of a loop may set, as far as they name it.
#[derive(Default)]
struct Assigned {
    names: BTreeSet<String>,
    has_break: bool,
}

impl Assigned {
    fn of(lists: &[&List]) -> Assigned {
        let mut found = Assigned::default();
        lists.iter().for_each(|list| found.list(list));
        found
    }

    fn list(&mut self, list: &List) {
        list.iter().flat_map(|step| &step.stages).for_each(|stage| self.stage(stage));
    }

    fn stage(&mut self, stage: &Stage) {
        match &stage.command {
            Command::Simple { assignments, words } => self.simple(assignments, words),
            Command::Group(list) | Command::Subshell(list) | Command::Background(list) => self.list(list),
            Command::If(branches, otherwise) => {
                for (condition, branch) in branches {
                    self.list(condition);
                    self.list(branch);
                }
                self.list(otherwise);
            }
            Command::While { condition, body, .. } => {
                self.list(condition);
                self.list(body);
            }
            Command::For { name, body, .. } => {
                self.names.insert(name.clone());
                self.list(body);
            }
            Command::CountedFor { header, body } => {
                self.names.extend(header.iter().flat_map(|sum| names_in(sum)));
                self.list(body);
            }
            Command::Case { branches, .. } => branches.iter().for_each(|branch| self.list(&branch.body)),
            Command::Function { body, .. } | Command::Coprocess { body, .. } => self.stage(body),
            Command::Arithmetic(sum) => self.names.extend(names_in(sum)),
            Command::Condition(_) => {}
        }
    }

    fn simple(&mut self, assignments: &[String], words: &[String]) {
        for word in assignments {
            self.names.extend(names_in(word).into_iter().take(1));
        }
        let name = words.first().map(String::as_str).unwrap_or_default();
        self.has_break |= matches!(name, "break" | "return" | "exit" | "eval" | "." | "source");
        if SETTERS.contains(&name) {
            let given = words.iter().skip(1).filter(|word| !word.starts_with('-'));
            self.names.extend(given.flat_map(|word| names_in(word).into_iter().take(1)));
        }
    }
}

/// The names in a text.
fn names_in(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    parts.filter(|part| is_name(part)).map(str::to_owned).collect()
}
