//! Follows lists, pipelines, branches and redirects.

use std::rc::Rc;

use super::fields::{UNKNOWN, unknown};
use super::shell::{Flow, Shell};
use super::sinks::Sink;
use super::syntax::{Command, Link, List, Redirect, Stage, Step};

/// How many bodies of a function are kept.
const MAX_BODIES: usize = 8;

impl Shell<'_> {
    pub(super) fn list(&mut self, list: &List) {
        self.deeper(|shell| shell.each_step(list));
    }

    pub(super) fn each_step(&mut self, list: &[Step]) {
        for (at, step) in list.iter().enumerate() {
            if self.flow != Flow::Next {
                // What ends the list may fail: `exit > /none`, `enable -n exit`.
                return self.unreached(list.get(at..).unwrap_or_default());
            }
            if !self.spend(1) {
                return;
            }
            match (step.link, self.status) {
                (Link::And, Some(false)) | (Link::Or, Some(true)) => {
                    self.unreached(std::slice::from_ref(step));
                }
                (Link::And | Link::Or, None) => {
                    let is_and = step.link == Link::And;
                    let is_kept = self.holds == is_and;
                    self.doubtful(is_kept, |shell| shell.step(step));
                }
                _ => self.step(step),
            }
            self.vary(step);
        }
    }

    /// Follows steps that may not be reached. What they set is kept or forgotten.
    pub(super) fn doubtful(&mut self, is_kept: bool, run: impl FnOnce(&mut Self)) {
        let environment = Rc::clone(&self.environment);
        self.doubts += 1;
        run(self);
        self.doubts -= 1;
        if !is_kept {
            self.environment = environment;
        }
        self.flow = Flow::Next;
        self.status = None;
    }

    pub(super) fn step(&mut self, step: &Step) {
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
        // With `pipefail`, an earlier one may have failed.
        self.status = None;
    }

    pub(super) fn stage(&mut self, stage: &Stage) {
        if stage.redirects.is_empty() {
            return self.command(&stage.command);
        }
        let is_exec = matches!(&stage.command, Command::Simple { words, .. } if words == &["exec"]);
        let mut redirected = None;
        let mut target = None;
        if !self.spend(self.outputs.len() / 4) {
            return;
        }
        let outputs = self.outputs.clone();
        for redirect in &stage.redirects {
            match redirect.operator {
                "<" | "<<<" | "<<" | "<<-" | "<&" | "<>" => {
                    let text = self.redirected_input(redirect);
                    let number = redirect.variable.as_ref().map(|_| self.next_descriptor());
                    if let (Some(name), Some(number)) = (&redirect.variable, number) {
                        self.variables_mut().set(name, number.to_string());
                    }
                    match number.or(redirect.descriptor) {
                        None | Some(0) => redirected = text,
                        Some(number) => {
                            text.into_iter().for_each(|text| drop(self.descriptors.insert(number, text)));
                        }
                    }
                }
                _ => target = self.redirected_output(redirect).or(target),
            }
        }
        redirected.iter().for_each(|text| self.see_text(text));
        let replaced = redirected.map(|text| std::mem::replace(&mut self.input, text));
        match target {
            Some((path, appends)) if is_exec => {
                path.iter().filter(|_| !appends).for_each(|path| self.write_file(path, "", false));
                self.output_file = path;
            }
            Some((path, appends)) => {
                let output = self.captured(|shell| shell.command(&stage.command));
                path.into_iter().for_each(|path| self.write_file(&path, &output, appends));
            }
            None => self.command(&stage.command),
        }
        if !is_exec {
            replaced.into_iter().for_each(|before| self.input = before);
            // What the command itself has opened stays open.
            let is_own = |(number, _): &(u32, Sink)| {
                let is_both = |redirect: &Redirect| *number == 2 && redirect.operator.contains('&');
                let of = |redirect: &Redirect| redirect.descriptor == Some(*number) || is_both(redirect);
                stage.redirects.iter().any(of)
            };
            let opened = std::mem::take(&mut self.outputs).into_iter().filter(|sink| !is_own(sink));
            let opened: Vec<(u32, Sink)> = opened.collect();
            self.outputs = outputs.into_iter().filter(is_own).chain(opened).collect();
        }
        // A file may be missing, or not be writable.
        let needs_file = |redirect: &Redirect| !matches!(redirect.operator, "<<<" | "<<" | "<<-");
        if stage.redirects.iter().any(needs_file) && self.status == Some(true) {
            self.status = None;
        }
    }

    /// A number for `{name}<file`.
    pub(super) fn next_descriptor(&self) -> u32 {
        let read = self.descriptors.keys().next_back().copied().unwrap_or_default();
        let written = self.outputs.keys().next_back().copied().unwrap_or_default();
        read.max(written).max(9).saturating_add(1)
    }

    fn redirected_input(&mut self, redirect: &Redirect) -> Option<String> {
        Some(match redirect.operator {
            "<<<" => self.text(&redirect.target) + "\n",
            "<<" | "<<-" => {
                let lines = redirect.document.borrow();
                if !self.spend(lines.len() / 8) {
                    return Some(unknown());
                }
                let is_quoted = redirect.target.contains(['\'', '"', '\\']);
                if is_quoted { lines.clone() } else { self.document(&lines) }
            }
            "<&" => {
                let target = self.text(&redirect.target);
                let opened = self.descriptors.get(&target.trim_end_matches('-').parse::<u32>().ok()?)?;
                if self.spend(opened.len() / 8) { opened.clone() } else { unknown() }
            }
            _ => {
                let path = self.text(&redirect.target);
                self.read_file(&path)
            }
        })
    }

    /// Where the output goes: a file, or nowhere that is followed. `None` if it stays.
    fn redirected_output(&mut self, redirect: &Redirect) -> Option<(Option<String>, bool)> {
        let target = self.text(&redirect.target);
        let given = target.trim_end_matches('-').parse::<u32>().ok().filter(|_| redirect.operator == ">&");
        let is_descriptor = given.is_some() || redirect.operator == ">&" && target == "-";
        let opened = redirect.variable.as_ref().map(|_| self.next_descriptor());
        if let (Some(name), Some(number)) = (&redirect.variable, opened.filter(|_| target != "-")) {
            self.variables_mut().set(name, number.to_string());
        }
        // `&>file` and `>&file` are also for errors.
        if redirect.operator.starts_with("&>") || redirect.operator == ">&" && !is_descriptor {
            self.outputs.insert(2, Sink::Standard);
        }
        if let Some(number) = opened.or(redirect.descriptor).filter(|number| *number != 1) {
            let sink = match given {
                Some(1) => Some(Sink::Standard),
                Some(given) => self.outputs.get(&given).cloned(),
                None if is_descriptor => None,
                None => {
                    self.write_file(&target, "", redirect.operator.contains(">>") || number == 2);
                    Some(Sink::File(target))
                }
            };
            match sink {
                Some(sink) => drop(self.outputs.insert(number, sink)),
                None => drop(self.outputs.remove(&number)),
            }
            return None;
        }
        match (given, target.as_str()) {
            (None, "/dev/stdout" | "/dev/fd/1") | (Some(1), _) => None,
            (Some(number), _) => match self.outputs.get(&number) {
                Some(Sink::Standard) => None,
                Some(_) => Some((Some(format!("/dev/fd/{number}")), true)),
                None => Some((None, false)),
            },
            (None, "/dev/stderr") | (None, "/dev/fd/2")
                if matches!(self.outputs.get(&2), Some(Sink::Standard)) =>
            {
                None
            }
            _ if is_descriptor => Some((None, false)),
            _ => Some((Some(target), redirect.operator.contains(">>"))),
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple { assignments, words } => self.simple(assignments, words),
            Command::Group(list) => self.list(list),
            Command::Subshell(list) => self.in_subshell(|shell| shell.list(list)),
            Command::Background(list) => {
                self.in_subshell(|shell| shell.list(list));
                self.status = Some(true);
            }
            Command::If(branches, otherwise) => self.branches(branches, otherwise),
            Command::While { condition, is_until, body } => self.while_loop(condition, *is_until, body),
            Command::For { name, words, body } => self.for_loop(name, words.as_ref(), body),
            Command::CountedFor { header, body } => self.counted_loop(header, body),
            Command::Case { subject, branches } => self.case(subject, branches),
            Command::Coprocess { name, body } => self.coprocess(name, body),
            Command::Function { name, body } => {
                self.environment_mut().functions.insert(name.clone(), Rc::clone(body));
                let former = self.former_functions.entry(name.clone()).or_default();
                if former.len() < MAX_BODIES && !former.iter().any(|known| Rc::ptr_eq(known, body)) {
                    former.push(Rc::clone(body));
                }
                self.status = Some(true);
            }
            Command::Arithmetic(sum) => self.status = self.arithmetic(sum).map(|value| value != 0),
            Command::Condition(condition) => self.status = self.condition(condition),
        }
    }

    fn branches(&mut self, branches: &[(List, List)], otherwise: &List) {
        let mut is_kept = false;
        for (at, (condition, branch)) in branches.iter().enumerate() {
            self.list(condition);
            match self.status {
                Some(true) => {
                    match is_kept {
                        false => self.list(branch),
                        true => self.doubtful(false, |shell| shell.list(branch)),
                    }
                    for (condition, branch) in branches.get(at + 1..).unwrap_or_default() {
                        self.unreached(condition);
                        self.unreached(branch);
                    }
                    return self.unreached(otherwise);
                }
                Some(false) => self.unreached(branch),
                None => {
                    let keeps = self.holds && !is_kept;
                    self.doubtful(keeps, |shell| shell.list(branch));
                    is_kept |= keeps;
                }
            }
        }
        if is_kept {
            return self.doubtful(false, |shell| shell.list(otherwise));
        }
        // Without a branch that is taken, it succeeds.
        self.status = Some(true);
        self.list(otherwise);
    }

    /// Takes some letters of the input, up to the end of a line. `None` at its end.
    pub(super) fn letters(&mut self, count: usize, end: char) -> Option<String> {
        let first = self.input.chars().next()?;
        if first == UNKNOWN {
            return Some(unknown());
        }
        self.spend(self.input.len() / 64 + count.min(self.input.len()));
        let taken = self.input.chars().take(count).position(|c| c == end);
        let count = taken.unwrap_or(count);
        let at = self.input.char_indices().nth(count).map_or(self.input.len(), |(at, _)| at);
        let rest = self.input.split_off(at);
        let letters = std::mem::replace(&mut self.input, rest);
        if taken.is_some() {
            self.input.drain(..end.len_utf8());
        }
        Some(letters)
    }

    /// Takes a line of the input. `None` at its end.
    pub(super) fn line(&mut self, end: char) -> Option<String> {
        if self.input.is_empty() {
            return None;
        }
        let at = self.input.find(end).map_or(self.input.len(), |at| at + end.len_utf8());
        self.spend(self.input.len() / 64);
        let rest = self.input.split_off(at);
        let line = std::mem::replace(&mut self.input, rest);
        if line.starts_with(UNKNOWN) && line.len() == 1 {
            // It may have any number of lines.
            return Some(unknown());
        }
        Some(line.strip_suffix(end).unwrap_or(&line).to_owned())
    }
}
