//! Steps that are not reached, and values that variables do not have any more, as far as is known.
//!
//! What is known comes from an imitation of bash, and each difference would be a way past the search. So nothing that is
//! known rules anything out: it decides only whose changes are kept. A step that a condition skips, that stands behind
//! `exit`, or that a function or an alias replaces is followed aside, and so is each step with the values that its
//! variables had elsewhere in the text. What is aside changes nothing. Each step is followed so a few times, with a part of
//! the work that is left.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::shell::{Flow, Shell};
use super::syntax::{Command, List, Stage, Step};
use super::variables::Elements;

/// What is aside gets this part of the work that is left.
const SHARES: usize = 16;
const INNER_SHARES: usize = 2;
/// How often a step is followed although it is not reached.
const MAX_FOLLOWED: u8 = 4;
/// With how many other values a step is followed.
const MAX_VARIED: u8 = 24;
/// How many variables of a step are given other values.
const MAX_NAMES: usize = 8;

impl Shell<'_> {
    /// Follows steps that change nothing, neither variables nor what is printed.
    pub(super) fn aside(&mut self, run: impl FnOnce(&mut Self)) {
        let size = self.input.len() / 8 + self.descriptors.len() + self.outputs.len();
        if !self.spend(size) {
            return;
        }
        let environment = Rc::clone(&self.environment);
        let (input, descriptors) = (self.input.clone(), self.descriptors.clone());
        let (outputs, last) = (self.outputs.clone(), self.last_argument.clone());
        let flags = (self.status, self.flow, self.is_open, self.traces, self.expands_history);
        let options = (self.keeps_ampersands, self.ignores_case, self.locals.len(), self.events.len());
        self.flow = Flow::Next;
        self.asides += 1;
        self.doubts += 1;
        // What is aside of something else gets more of what that has.
        let shares = if self.asides > 1 { INNER_SHARES } else { SHARES };
        self.captured(|shell| shell.with_work_aside(shares, run));
        self.doubts -= 1;
        self.asides -= 1;
        (self.status, self.flow, self.is_open, self.traces, self.expands_history) = flags;
        (self.keeps_ampersands, self.ignores_case) = (options.0, options.1);
        self.locals.truncate(options.2);
        self.events.truncate(options.3);
        (self.outputs, self.last_argument) = (outputs, last);
        (self.input, self.descriptors) = (input, descriptors);
        self.environment = environment;
    }

    /// Follows a list that is not reached.
    pub(super) fn unreached(&mut self, list: &[Step]) {
        if let Some((first, rest)) = list.split_first()
            && first.followed.count(MAX_FOLLOWED)
        {
            self.aside(|shell| {
                shell.deeper(|shell| {
                    shell.step(first);
                    shell.each_step(rest);
                });
            });
        }
    }

    /// Follows a step with other values of its variables, which it may have where the dry run lost its way.
    pub(super) fn vary(&mut self, step: &Step) {
        if self.is_varied || !self.variables().has_former() || !self.has_work_aside() {
            return;
        }
        let mut names = BTreeSet::new();
        step.stages.iter().for_each(|stage| names_in_stage(stage, step.stages.len() > 1, &mut names));
        if names.is_empty() || !self.spend(names.len()) {
            return;
        }
        let others = |name: &String| {
            let others = self.variables().former(name);
            Some((name.clone(), others)).filter(|(_, others)| !others.is_empty())
        };
        let others: Vec<(String, Vec<Elements>)> = names.iter().filter_map(others).take(MAX_NAMES).collect();
        for values in combinations(&others) {
            if !step.varied.count(MAX_VARIED) {
                return;
            }
            self.aside(|shell| {
                for (name, elements) in values {
                    shell.variables_mut().replace(name.clone(), elements.clone());
                }
                shell.is_varied = true;
                shell.step(step);
                shell.is_varied = false;
            });
        }
    }
}

/// The values to try: for one variable, then for two at a time.
fn combinations(others: &[(String, Vec<Elements>)]) -> Vec<Vec<(&String, &Elements)>> {
    let each = others.iter().map(|(name, values)| values.iter().map(|value| (name, value)).collect());
    let single: Vec<Vec<(&String, &Elements)>> = each.collect();
    let mut found: Vec<Vec<(&String, &Elements)>> = single.iter().flatten().map(|pair| vec![*pair]).collect();
    for (at, one) in single.iter().enumerate() {
        for other in single.iter().skip(at + 1) {
            found.extend(one.iter().flat_map(|first| other.iter().map(|second| vec![*first, *second])));
        }
    }
    found
}

/// The variables that a stage names. Those of a list are named by its own steps.
fn names_in_stage(stage: &Stage, is_piped: bool, names: &mut BTreeSet<String>) {
    for redirect in &stage.redirects {
        names_in(&redirect.target, names);
        names_in(&redirect.document.borrow(), names);
    }
    let in_list = |list: &List, names: &mut BTreeSet<String>| {
        if is_piped {
            list.iter().flat_map(|step| &step.stages).for_each(|stage| names_in_stage(stage, true, names));
        }
    };
    match &stage.command {
        Command::Simple { assignments, words } => {
            assignments.iter().chain(words).for_each(|word| names_in(word, names));
        }
        Command::For { words, body, .. } => {
            words.iter().flatten().for_each(|word| names_in(word, names));
            in_list(body, names);
        }
        Command::Group(list) | Command::Subshell(list) | Command::While { body: list, .. } => {
            in_list(list, names);
        }
        _ => {}
    }
}

/// The names behind `$` and brackets.
fn names_in(text: &str, names: &mut BTreeSet<String>) {
    if !text.contains('$') {
        return;
    }
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (at, _) in text.match_indices(['$', '{', '!', '#', '[', '(']) {
        let rest = text.get(at + 1..).unwrap_or_default();
        let end = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| super::variables::is_name(name));
        names.extend(name.map(str::to_owned));
    }
}
