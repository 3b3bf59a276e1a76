//! Follows a simple command: aliases, assignments, functions, builtins, programs.

use std::rc::Rc;

use super::super::resolved_arguments::Argument;
use super::super::shell_options::is_shell;
use super::super::unresolved_words::{is_dangerous, quoted};
use super::fields::{Field, command_text, is_known, readable, unknown, wildcard};
use super::filters;
use super::parser::words as words_of;
use super::shell::{Flow, Shell};
use super::syntax::Stage;
use super::variables::{Elements, POSITIONAL, is_name, numbered};
use super::wrappers;

/// Builtins that may be forbidden by their options.
const SETTERS: [&str; 6] = ["set", "declare", "typeset", "local", "shopt", "setopt"];
/// The functions around a step, from the inside.
const FUNCTION_NAMES: &str = "FUNCNAME";
/// What each character of an expression costs.
const COMPILE_COST: usize = 48;
/// Longer inputs are not shown to the search with the command that reads them.
const MAX_SHOWN_INPUT: usize = 16 << 10;

/// How often a function is followed inside itself if that may not be reached.
const MAX_ACTIVE_IN_DOUBT: usize = 6;

/// Whether the dry run knows what a builtin or a program of this name does.
fn is_followed(name: &str) -> bool {
    let is_builtin = |names: &[&str]| names.contains(&name);
    is_builtin(&EVALUATORS)
        || is_builtin(&SETTERS)
        || filters::find(name).is_some()
        || wrappers::is_wrapper(name)
        || is_shell(&Argument::literal(name))
}

/// Other builtins and programs that the dry run follows.
const EVALUATORS: [&str; 22] = [
    ".", "alias", "break", "cat", "cd", "continue", "cp", "eval", "exit", "hash", "make", "mapfile", "mv",
    "read", "return", "sed", "shift", "source", "tee", "trap", "unset", "xargs",
];

impl Shell<'_> {
    pub(super) fn simple(&mut self, assignments: &[String], words: &[String]) {
        if let Some(text) = self.with_alias(words) {
            self.run_text(&format!("{} {text}", assignments.join(" ")));
            // Only some shells expand aliases, and not on the line that defines them.
            return self.aside(|shell| shell.without_alias(assignments, words));
        }
        self.without_alias(assignments, words);
    }

    fn without_alias(&mut self, assignments: &[String], words: &[String]) {
        let name = words.first().map(String::as_str).unwrap_or_default();
        if super::builtins::DECLARATIONS.contains(&name) {
            self.declare(words);
            return;
        }
        let has_substitution =
            |words: &[String]| words.iter().any(|word| word.contains("$(") || word.contains('`'));
        // `$?` in them is the status before.
        let fields = self.fields(words);
        if fields.is_empty() {
            assignments.iter().for_each(|assignment| self.assign(assignment));
            let is_plain = !has_substitution(assignments) && !has_substitution(words);
            self.status = is_plain.then_some(true);
            return;
        }
        let mut before: Vec<(String, Option<Elements>)> = Vec::new();
        for assignment in assignments {
            let end = assignment.find(['=', '+', '[']).unwrap_or_default();
            let name = assignment.get(..end).unwrap_or_default();
            before.push((name.to_owned(), self.variables().get(name).cloned()));
            self.assign(assignment);
        }
        let last = fields.last().map(|field| field.text.clone()).unwrap_or_default();
        self.invoke(fields);
        self.last_argument = last;
        for (name, elements) in before.into_iter().filter(|(name, _)| !name.is_empty()) {
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
        self.note_filled(&fields);
        // `/proc/self/exe` is this shell.
        let is_own = program.text.starts_with("/proc/") && program.text.ends_with("/exe");
        if !is_known(&program.text) && !is_own {
            // A file name may be that of any program.
            let is_wild = program.text.contains(|c: char| wildcard(c).is_some());
            match is_wild {
                true => (self.note)(&command_text(&fields)),
                false => self.note_command(&fields),
            }
            return self.end_unknown();
        }
        let body = self.environment.functions.get(&program.text).cloned();
        self.other_bodies(&program.text, body.as_ref(), rest);
        if let Some(body) = body {
            self.call(&program.text, &body, rest);
            // It may be defined where that is not reached, and special builtins are found first in some modes.
            if is_followed(&program.text) {
                self.aside(|shell| {
                    shell.environment_mut().functions.remove(&program.text);
                    shell.invoke(fields.clone());
                });
            }
            return;
        }
        let arguments: Vec<String> = rest.iter().map(|field| field.text.clone()).collect();
        if let Some(inner) = wrappers::command_at(&program.text, &arguments).and_then(|at| rest.get(at..)) {
            // The search knows the wrapper; functions are no programs.
            self.note_command(&fields);
            let functions = std::mem::take(&mut self.environment_mut().functions);
            self.nested(|shell| shell.invoke(inner.to_vec()));
            self.environment_mut().functions = functions;
            return;
        }
        if SETTERS.contains(&program.text.as_str()) {
            (self.note)(&command_text(&fields));
        }
        let name = program.text.rsplit('/').next().unwrap_or_default();
        let is_printer = matches!(name, "echo" | "printf" | "true" | "false" | "test" | "[");
        if self.builtin(if is_printer { name } else { &program.text }, &arguments) {
            return;
        }
        self.note_command(&fields);
        self.status = None;
        self.program(&program.text, rest, &arguments);
    }

    fn program(&mut self, program: &str, rest: &[Field], arguments: &[String]) {
        let name = program.rsplit('/').next().unwrap_or_default();
        if is_shell(&Argument::literal(program)) || program.starts_with("/proc/") && name == "exe" {
            return self.shell_program(arguments);
        }
        match name {
            "xargs" | "gxargs" => return self.xargs(arguments),
            "sed" | "gsed" => return self.sed(arguments),
            "make" | "gmake" => return self.make(arguments),
            "find" => self.find_commands(arguments),
            "npm" | "pnpm" | "yarn" | "bun" => self.package_scripts(arguments),
            "git" if self.git(arguments) => return self.end_unknown(),
            _ => {}
        }
        if let Some((path, text)) = self.found_script(program) {
            self.follow_others(&path, |shell, text| shell.script_file(&path, text, rest));
            return self.script_file(&path, &text, rest);
        }
        self.keep_printable(name, arguments);
        self.created_names(name, arguments);
        self.run_input(name);
        self.inner_commands(name, rest, arguments);
        if self.file_program(name, arguments) {
            return;
        }
        match filters::find(name) {
            Some(filter) => {
                let compares = || arguments.iter().any(|word| matches!(word.as_str(), ":" | "match"));
                if name == "expr" && compares() {
                    // Reading an expression costs more than using it.
                    self.spend(COMPILE_COST * arguments.last().map_or(0, String::len));
                }
                let output = self.filtered(name, filter, arguments);
                self.print(&output);
            }
            None => {
                self.copy_program(arguments);
                self.end_unknown();
            }
        }
    }

    /// A program about which nothing is known has read its input and printed something.
    pub(super) fn end_unknown(&mut self) {
        self.status = None;
        if !self.input.is_empty() {
            // It may print what it has read.
            let input = std::mem::replace(&mut self.input, unknown());
            self.keep_text(input.trim_end_matches('\n').to_owned());
        }
        self.print(&unknown());
    }

    /// Follows the bodies that a function has elsewhere in the text.
    fn other_bodies(&mut self, name: &str, body: Option<&Rc<Stage>>, arguments: &[Field]) {
        if self.asides > 0 || !self.former_functions.contains_key(name) {
            return;
        }
        let former = self.former_functions.get(name).into_iter().flatten();
        let is_other = |other: &&Rc<Stage>| !body.is_some_and(|body| Rc::ptr_eq(body, other));
        let others: Vec<Rc<Stage>> = former.filter(is_other).cloned().collect();
        for other in others {
            self.aside(|shell| shell.call(name, &other, arguments));
        }
    }

    /// Follows a function.
    fn call(&mut self, name: &str, body: &Rc<Stage>, arguments: &[Field]) {
        let arguments = arguments.iter().map(|field| field.text.clone()).collect();
        let outer = self.variables_mut().set_positional(arguments);
        let callers = self.variables().get(FUNCTION_NAMES).cloned();
        let outer_names = callers.iter().flatten().map(|(_, name)| name.clone());
        let names = std::iter::once(name.to_owned()).chain(outer_names).collect();
        self.variables_mut().set_all(FUNCTION_NAMES, numbered(names));
        let locals = self.locals.len();
        let loops = std::mem::take(&mut self.loops);
        self.callers += 1;
        let active = self.active.entry(name.to_owned()).or_default();
        *active += 1;
        // A function that calls itself twice would be followed a million times where no condition ends it.
        match self.doubts > 0 && *active > MAX_ACTIVE_IN_DOUBT {
            true => self.end_unknown(),
            false => self.nested(|shell| shell.deeper(|shell| shell.stage(body))),
        }
        self.active.entry(name.to_owned()).and_modify(|active| *active -= 1);
        self.callers -= 1;
        self.loops = loops;
        for (name, elements) in self.locals.split_off(locals).into_iter().rev() {
            self.variables_mut().restore(&name, elements);
        }
        self.variables_mut().set_all(POSITIONAL, outer);
        self.variables_mut().restore(FUNCTION_NAMES, callers);
        if self.flow == Flow::Return {
            self.flow = Flow::Next;
        }
    }

    /// Shows a command to the search, with its input, if it may be forbidden.
    fn note_command(&mut self, fields: &[Field]) {
        let mut text = command_text(fields);
        if !self.input.is_empty() && self.input.len() <= MAX_SHOWN_INPUT {
            text.push_str(" <<< ");
            text.push_str(&quoted(&readable(self.input.trim_end_matches('\n'))));
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
        let mut new = self.text(value);
        self.see_text(&new);
        if self.variables().has_attribute(name, 'i') {
            let sum = if appends { format!("{name} + {new}") } else { new };
            new = self.arithmetic(&sum).map_or_else(unknown, |value| value.to_string());
            return self.variables_mut().set(name, new);
        }
        if self.variables().is_reference(name) && self.variables().referred(name).is_none() {
            return self.variables_mut().refer(name, &new);
        }
        // `a=x` sets the first element of an array.
        let is_array = self.variables().get(name).is_some_and(|elements| elements.len() > 1);
        if index.is_none() && !appends && !is_array {
            self.variables_mut().set(name, new);
            if name == "PS4" {
                self.follow_trace();
            }
            return;
        }
        let key = index.map_or(Some("0".to_owned()), |index| self.key(index, name));
        let key = key.unwrap_or_else(unknown);
        let old = self.variables().get(name).map(Vec::as_slice).unwrap_or_default();
        let previous = old.iter().find(|(known, _)| *known == key && appends);
        let previous = previous.map(|(_, value)| value.as_str()).unwrap_or_default();
        if self.spend(previous.len() + new.len() + old.len() / 8) {
            let new = format!("{previous}{new}");
            self.variables_mut().set_element(name, &key, new);
        }
    }

    fn assign_list(&mut self, name: &str, list: &str, appends: bool) {
        if !self.variables().has_attribute(name, 'A') {
            self.variables_mut().add_attribute(name, 'a');
        }
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
                    // It follows the element before it.
                    let last = elements.last().map(|(key, _)| key.parse::<usize>());
                    let at = last.map_or(0, |key| key.map_or(elements.len(), |key| key.saturating_add(1)));
                    elements.push((at.to_string(), field.text));
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
