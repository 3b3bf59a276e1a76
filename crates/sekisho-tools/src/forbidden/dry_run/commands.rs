//! Follows a simple command: aliases, assignments, functions, builtins, programs.

use std::rc::Rc;

use super::super::resolved_arguments::Argument;
use super::super::shell_options::is_shell;
use super::super::unresolved_words::{is_dangerous, quoted};
use super::fields::{Field, UNKNOWN, command_text, is_known, unknown, unmarked, wildcard};
use super::filters;
use super::parser::words as words_of;
use super::shell::{Flow, Shell};
use super::syntax::Stage;
use super::variables::{Elements, is_name};

/// Programs that run the command behind them.
const WRAPPERS: [&str; 12] = [
    "command", "builtin", "exec", "nohup", "nice", "setsid", "sudo", "doas", "busybox", "toybox", "time",
    "stdbuf",
];
/// Builtins that may be forbidden by their options.
const SETTERS: [&str; 6] = ["set", "declare", "typeset", "local", "shopt", "setopt"];
/// Longer inputs are not shown to the search with the command that reads them.
const MAX_SHOWN_INPUT: usize = 16 << 10;

impl Shell<'_> {
    pub(super) fn simple(&mut self, assignments: &[String], words: &[String]) {
        if let Some(text) = self.with_alias(words) {
            return self.run_text(&format!("{} {text}", assignments.join(" ")));
        }
        let name = words.first().map(String::as_str).unwrap_or_default();
        if super::builtins::DECLARATIONS.contains(&name) {
            self.declare(words);
            return;
        }
        self.status = Some(true);
        let fields = self.fields(words);
        if fields.is_empty() {
            assignments.iter().for_each(|assignment| self.assign(assignment));
            return;
        }
        let mut before: Vec<(String, Option<Elements>)> = Vec::new();
        for assignment in assignments {
            let end = assignment.find(['=', '+', '[']).unwrap_or_default();
            let name = assignment.get(..end).unwrap_or_default();
            before.push((name.to_owned(), self.variables().get(name).cloned()));
            self.assign(assignment);
        }
        self.invoke(fields);
        for (name, elements) in before {
            self.variables_mut().restore(&name, elements);
        }
    }

    /// The command with its alias in place.
    fn with_alias(&self, words: &[String]) -> Option<String> {
        let aliases = &self.environment.aliases;
        let (first, rest) = words.split_first().filter(|_| !aliases.is_empty())?;
        let value = aliases.get(first)?;
        // An alias may begin with its own name.
        if value.split_whitespace().next() == Some(first.as_str()) {
            return None;
        }
        let mut text = value.clone();
        let mut goes_on = value.ends_with([' ', '\t']);
        for word in rest {
            let next = aliases.get(word).filter(|_| goes_on);
            goes_on = next.is_some_and(|value| value.ends_with([' ', '\t']));
            text.push(' ');
            text.push_str(next.unwrap_or(word));
        }
        Some(text)
    }

    /// Follows a command with its arguments.
    pub(super) fn invoke(&mut self, fields: Vec<Field>) {
        let size = fields.iter().map(|field| field.text.len()).sum::<usize>();
        let Some((program, rest)) = fields.split_first().filter(|_| self.spend(size / 4 + 2)) else {
            return;
        };
        if !is_known(&program.text) {
            // A file name may be that of any program.
            let is_wild = program.text.contains(|c: char| wildcard(c).is_some());
            match is_wild {
                true => (self.note)(&command_text(&fields)),
                false => self.note_command(&fields),
            }
            return self.end_unknown();
        }
        if let Some(body) = self.environment.functions.get(&program.text).cloned() {
            return self.call(&body, rest);
        }
        let is_wrapped = rest.first().is_some_and(|next| !next.text.starts_with('-'));
        if WRAPPERS.contains(&program.text.as_str()) && is_wrapped {
            // The search knows the wrapper; functions are no programs.
            self.note_command(&fields);
            let functions = std::mem::take(&mut self.environment_mut().functions);
            self.nested(|shell| shell.invoke(rest.to_vec()));
            self.environment_mut().functions = functions;
            return;
        }
        let arguments: Vec<String> = rest.iter().map(|field| field.text.clone()).collect();
        if SETTERS.contains(&program.text.as_str()) {
            (self.note)(&command_text(&fields));
        }
        if self.builtin(&program.text, &arguments) {
            return;
        }
        self.note_command(&fields);
        self.status = None;
        self.program(&program.text, rest, &arguments);
    }

    fn program(&mut self, program: &str, rest: &[Field], arguments: &[String]) {
        let name = program.rsplit('/').next().unwrap_or_default();
        if is_shell(&Argument::literal(program)) {
            return self.shell_program(arguments);
        }
        if matches!(name, "xargs" | "gxargs") {
            return self.xargs(arguments);
        }
        if let Some(text) = self.known_file(program).filter(|_| program.contains('/')) {
            return self.script_file(program, &text, rest);
        }
        if self.file_program(name, arguments) {
            return;
        }
        match filters::find(name) {
            Some(filter) => {
                let output = self.filtered(filter, arguments);
                self.print(&output);
            }
            None => self.end_unknown(),
        }
    }

    /// A program about which nothing is known has read its input and printed something.
    pub(super) fn end_unknown(&mut self) {
        self.status = None;
        if !self.input.is_empty() {
            self.input = unknown();
        }
        self.print(&unknown());
    }

    /// Follows a function.
    fn call(&mut self, body: &Rc<Stage>, arguments: &[Field]) {
        let outer = self.variables().positional();
        let arguments = arguments.iter().map(|field| field.text.clone()).collect();
        self.variables_mut().set_positional(arguments);
        let locals = self.locals.len();
        self.nested(|shell| shell.deeper(|shell| shell.stage(body)));
        for (name, elements) in self.locals.split_off(locals).into_iter().rev() {
            self.variables_mut().restore(&name, elements);
        }
        self.variables_mut().set_positional(outer);
        if self.flow == Flow::Return {
            self.flow = Flow::Next;
        }
    }

    /// Shows a command to the search, with its input, if it may be forbidden.
    fn note_command(&mut self, fields: &[Field]) {
        let mut text = command_text(fields);
        if !self.input.is_empty() && self.input.len() <= MAX_SHOWN_INPUT {
            text.push_str(" <<< ");
            text.push_str(&quoted(&unmarked(self.input.trim_end_matches('\n')).replace(UNKNOWN, "${_}")));
        }
        if self.spend(text.len() / 8) && is_dangerous(&text) {
            (self.note)(&text);
        }
    }

    /// `name=value`, `name+=value`, `name[0]=value`, `name=(…)` and `name+=(…)`.
    pub(super) fn assign(&mut self, word: &str) {
        let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
        let Some((name, after)) = word.split_at_checked(end).filter(|(name, _)| is_name(name)) else {
            return;
        };
        let (index, after) = match after.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((index, after)) => (Some(index), after),
            None => (None, after),
        };
        let (appends, value) = match after.strip_prefix("+=") {
            Some(value) => (true, value),
            None => (false, after.strip_prefix('=').unwrap_or_default()),
        };
        if let Some(list) = value.strip_prefix('(') {
            return self.assign_list(name, list.strip_suffix(')').unwrap_or(list), appends);
        }
        let new = self.text(value);
        let old = self.variables().get(name).cloned().unwrap_or_default();
        if self.variables().is_reference(name) && self.variables().referred(name).is_none() {
            return self.variables_mut().refer(name, &new);
        }
        if index.is_none() && !appends {
            return self.variables_mut().set(name, new);
        }
        let key = index.map_or(Some("0".to_owned()), |index| self.key(index, &old));
        let key = key.unwrap_or_else(unknown);
        let previous = old.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str());
        let previous = previous.filter(|_| appends).unwrap_or_default();
        if self.spend(previous.len() + new.len()) {
            let new = format!("{previous}{new}");
            self.variables_mut().set_element(name, &key, new);
        }
    }

    fn assign_list(&mut self, name: &str, list: &str, appends: bool) {
        let old = self.variables().get(name).cloned().filter(|_| appends);
        let mut elements = old.unwrap_or_default();
        for word in words_of(list) {
            let keyed = word.strip_prefix('[').and_then(|word| word.split_once("]="));
            if let Some((key, value)) = keyed {
                let (key, value) = (self.text(key), self.text(value));
                elements.retain(|(known, _)| *known != key);
                elements.push((key, value));
            } else {
                for field in self.fields(&[word]) {
                    elements.push((elements.len().to_string(), field.text));
                }
            }
            if !self.spend(elements.len()) {
                return;
            }
        }
        self.variables_mut().set_all(name, elements);
    }

    pub(super) fn all_known(arguments: &[String]) -> bool {
        arguments.iter().all(|argument| is_known(argument))
    }
}
