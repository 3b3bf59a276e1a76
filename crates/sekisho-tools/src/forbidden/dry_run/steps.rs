//! Follows lists, pipelines, branches, loops and redirects.

use std::rc::Rc;

use super::super::expansion_operators::matches;
use super::fields::{UNKNOWN, is_known, unknown};
use super::shell::{Choice, Flow, Shell};
use super::syntax::{Command, Link, List, Redirect, Stage, Step};

/// How often the body of one loop is followed.
const MAX_ROUNDS: usize = 64;

impl Shell<'_> {
    pub(super) fn list(&mut self, list: &List) {
        self.deeper(|shell| shell.each_step(list));
    }

    fn each_step(&mut self, list: &List) {
        for step in list {
            if self.flow != Flow::Next || !self.spend(1) {
                return;
            }
            match (step.link, self.status) {
                (Link::And, Some(false)) | (Link::Or, Some(true)) => {}
                (Link::And | Link::Or, None) => {
                    self.doubtful(self.choice == Choice::First, |shell| shell.step(step));
                }
                _ => self.step(step),
            }
        }
    }

    /// Follows steps that may not be reached. What they set is kept or forgotten.
    fn doubtful(&mut self, is_kept: bool, run: impl FnOnce(&mut Self)) {
        let environment = Rc::clone(&self.environment);
        run(self);
        if !is_kept {
            self.environment = environment;
        }
        self.flow = Flow::Next;
        self.status = None;
    }

    fn step(&mut self, step: &Step) {
        match step.stages.as_slice() {
            [only] => self.stage(only),
            stages => self.pipeline(stages),
        }
        if step.is_negated {
            self.status = self.status.map(|succeeded| !succeeded);
        }
    }

    fn pipeline(&mut self, stages: &[Stage]) {
        let outer = std::mem::take(&mut self.input);
        let mut left = None;
        let mut passed = outer;
        for stage in stages {
            self.input = std::mem::take(&mut passed);
            passed = self.captured(|shell| shell.in_subshell(|shell| shell.stage(stage)));
            let rest = std::mem::take(&mut self.input);
            left.get_or_insert(rest);
        }
        self.input = left.unwrap_or_default();
        self.print(&passed);
    }

    pub(super) fn stage(&mut self, stage: &Stage) {
        if stage.redirects.is_empty() {
            return self.command(&stage.command);
        }
        let is_exec = matches!(&stage.command, Command::Simple { words, .. } if words == &["exec"]);
        let mut redirected = None;
        let mut target = None;
        for redirect in &stage.redirects {
            match redirect.operator {
                "<" | "<<<" | "<<" | "<<-" | "<&" | "<>" => {
                    let text = self.redirected_input(redirect);
                    match redirect.descriptor {
                        None | Some(0) => redirected = text,
                        Some(number) => {
                            text.into_iter().for_each(|text| drop(self.descriptors.insert(number, text)));
                        }
                    }
                }
                _ => target = self.redirected_output(redirect).or(target),
            }
        }
        let replaced = redirected.map(|text| std::mem::replace(&mut self.input, text));
        match target {
            Some((path, appends)) => {
                let output = self.captured(|shell| shell.command(&stage.command));
                path.into_iter().for_each(|path| self.write_file(&path, &output, appends));
            }
            None => self.command(&stage.command),
        }
        if let Some(before) = replaced
            && !is_exec
        {
            self.input = before;
        }
    }

    fn redirected_input(&mut self, redirect: &Redirect) -> Option<String> {
        Some(match redirect.operator {
            "<<<" => self.text(&redirect.target) + "\n",
            "<<" | "<<-" => {
                let lines = redirect.document.borrow().clone();
                let is_quoted = redirect.target.contains(['\'', '"', '\\']);
                if is_quoted { lines } else { self.document(&lines) }
            }
            "<&" => self.descriptors.get(&redirect.target.parse::<u32>().ok()?)?.clone(),
            _ => {
                let path = self.text(&redirect.target);
                self.read_file(&path)
            }
        })
    }

    /// Where the output goes: a file, or nowhere that is followed. `None` if it stays.
    fn redirected_output(&mut self, redirect: &Redirect) -> Option<(Option<String>, bool)> {
        let target = self.text(&redirect.target);
        let is_descriptor = redirect.operator == ">&" && (target == "-" || target.parse::<u32>().is_ok());
        if redirect.descriptor.is_some_and(|number| number != 1) {
            // Errors are not followed; the file exists then.
            if !is_descriptor {
                self.write_file(&target, "", true);
            }
            return None;
        }
        match target.as_str() {
            "/dev/stdout" | "/dev/fd/1" => None,
            "1" if is_descriptor => None,
            _ if is_descriptor => Some((None, false)),
            _ => Some((Some(target), redirect.operator.contains(">>"))),
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple { assignments, words } => self.simple(assignments, words),
            Command::Group(list) => self.list(list),
            Command::Subshell(list) => self.in_subshell(|shell| shell.list(list)),
            Command::If(branches, otherwise) => self.branches(branches, otherwise),
            Command::While { condition, is_until, body } => self.while_loop(condition, *is_until, body),
            Command::For { name, words, body } => {
                let values: Vec<String> = match words {
                    Some(words) => self.fields(words).into_iter().map(|field| field.text).collect(),
                    None => self.variables().positional(),
                };
                for value in values.into_iter().take(MAX_ROUNDS) {
                    self.variables_mut().set(name, value);
                    if !self.round(body) {
                        break;
                    }
                }
            }
            Command::CountedFor { header: [start, condition, step], body } => {
                self.arithmetic(start);
                for _ in 0..MAX_ROUNDS {
                    let is_going = condition.trim().is_empty() || self.arithmetic(condition) != Some(0);
                    if !is_going || !self.round(body) {
                        break;
                    }
                    self.arithmetic(step);
                }
            }
            Command::Case { subject, branches } => self.case(subject, branches),
            Command::Function { name, body } => {
                self.environment_mut().functions.insert(name.clone(), Rc::clone(body));
                self.status = Some(true);
            }
            Command::Arithmetic(sum) => self.status = self.arithmetic(sum).map(|value| value != 0),
            Command::Condition(condition) => self.status = self.condition(condition),
        }
    }

    fn branches(&mut self, branches: &[(List, List)], otherwise: &List) {
        let mut is_kept = false;
        for (condition, branch) in branches {
            self.list(condition);
            match self.status {
                Some(true) if !is_kept => return self.list(branch),
                Some(true) => return self.doubtful(false, |shell| shell.list(branch)),
                Some(false) => {}
                None => {
                    let keeps = self.choice == Choice::First && !is_kept;
                    self.doubtful(keeps, |shell| shell.list(branch));
                    is_kept |= keeps;
                }
            }
        }
        if is_kept {
            self.doubtful(false, |shell| shell.list(otherwise));
        } else {
            self.list(otherwise);
        }
    }

    fn while_loop(&mut self, condition: &List, is_until: bool, body: &List) {
        for _ in 0..MAX_ROUNDS {
            self.list(condition);
            match self.status.map(|succeeded| succeeded != is_until) {
                Some(true) if self.round(body) => {}
                Some(_) => break,
                // It is followed once.
                None => {
                    self.doubtful(true, |shell| {
                        shell.round(body);
                    });
                    break;
                }
            }
        }
        self.status = None;
    }

    /// Follows the body of a loop. False if the loop ends there.
    fn round(&mut self, body: &List) -> bool {
        self.list(body);
        if matches!(self.flow, Flow::Break | Flow::Continue) {
            let is_break = self.flow == Flow::Break;
            self.flow = Flow::Next;
            return !is_break;
        }
        self.flow == Flow::Next && self.spend(1)
    }

    fn case(&mut self, subject: &str, branches: &[(Vec<String>, List)]) {
        let subject = self.text(subject);
        if !is_known(&subject) {
            let count = branches.len();
            for (at, (_, branch)) in branches.iter().enumerate() {
                let is_kept = if self.choice == Choice::First { at == 0 } else { at + 1 == count };
                self.doubtful(is_kept, |shell| shell.list(branch));
            }
            return;
        }
        let letters: Vec<char> = subject.chars().take(MAX_SUBJECT).collect();
        for (patterns, branch) in branches {
            for pattern in patterns {
                let pattern: Vec<char> = self.text(pattern).chars().take(MAX_SUBJECT).collect();
                if self.spend(pattern.len() + letters.len()) && matches(&pattern, &letters) {
                    return self.list(branch);
                }
            }
        }
    }

    /// Takes a line of the input. `None` at its end.
    pub(super) fn line(&mut self, end: char) -> Option<String> {
        if self.input.is_empty() {
            return None;
        }
        let at = self.input.find(end).map_or(self.input.len(), |at| at + end.len_utf8());
        let rest = self.input.split_off(at);
        let line = std::mem::replace(&mut self.input, rest);
        if line.starts_with(UNKNOWN) && line.len() == 1 {
            // It may have any number of lines.
            return Some(unknown());
        }
        Some(line.strip_suffix(end).unwrap_or(&line).to_owned())
    }
}

/// Longer subjects of `case` are cut.
const MAX_SUBJECT: usize = 512;
