//! Reads a makefile: variables, rules and their recipes.

use std::collections::BTreeMap;

use super::super::fields::unknown;
use super::super::shell::Shell;
use super::goals::{self, Goals, Rule};

/// Expansions inside expansions that are followed.
const MAX_DEPTH: usize = 16;
/// Longer values are not followed.
const MAX_LENGTH: usize = 16 << 10;
/// Words before an assignment.
const MODIFIERS: [&str; 4] = ["export", "override", "private", "unexport"];
const ASSIGNMENTS: [&str; 7] = [":::=", "::=", ":=", "?=", "+=", "!=", "="];
/// Words that begin a line of another kind. All branches of conditions are read.
const DIRECTIVES: [&str; 8] = ["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "vpath", "undefine"];

pub(super) struct Makefile<'m, 's> {
    pub(super) shell: &'m mut Shell<'s>,
    /// Values as they are written, by name.
    variables: BTreeMap<String, String>,
    /// Variables of the command line, which the file does not change.
    given: Vec<String>,
    rules: Vec<Rule>,
    /// It reads what is not known, or what it reads depends on a condition.
    pub(super) is_open: bool,
    prefix: char,
    depth: usize,
}

impl<'m, 's> Makefile<'m, 's> {
    pub(super) fn new(given: Vec<(String, String)>, shell: &'m mut Shell<'s>) -> Makefile<'m, 's> {
        let names = given.iter().map(|(name, _)| name.clone()).collect();
        let mut variables = BTreeMap::from(
            [("RM", "rm -f"), ("MAKE", "make")].map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
        variables.extend(given);
        Makefile { shell, variables, given: names, rules: Vec::new(), is_open: false, prefix: '\t', depth: 0 }
    }

    /// The value of a variable that the file or the command line sets.
    pub(super) fn set_value(&mut self, name: &str) -> Option<String> {
        let value = self.variables.get(name)?.clone();
        Some(self.expanded(&value))
    }

    /// The commands that run for some goals, with their variables in place.
    pub(super) fn recipes(&mut self, goals: &Goals) -> Vec<String> {
        let rules = std::mem::take(&mut self.rules);
        let recipes = match self.is_open {
            true => rules.into_iter().flat_map(|rule| rule.recipe).collect(),
            false => goals::recipes(&rules, goals),
        };
        let expanded = recipes.iter().map(|recipe| {
            let text = self.expanded(recipe);
            text.trim_start().trim_start_matches(['@', '-', '+', ' ', '\t']).to_owned()
        });
        expanded.collect()
    }

    pub(super) fn read(&mut self, text: &str) {
        let mut lines = text.lines();
        let mut has_rule = false;
        while let Some(first) = lines.next() {
            let mut line = first.to_owned();
            while line.ends_with('\\')
                && let Some(next) = lines.next()
            {
                line.push('\n');
                line.push_str(next);
            }
            if let Some(recipe) = line.strip_prefix(self.prefix).filter(|_| has_rule) {
                let rule = self.rules.last_mut().into_iter();
                rule.for_each(|rule| rule.recipe.push(recipe.to_owned()));
                continue;
            }
            let line = line.replace("\\\n", " ");
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some(name) = line.strip_prefix("define ") {
                let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "endef").collect();
                let name = name.trim_end_matches(['=', ':', '?', '+', ' ']).trim();
                self.set(name, body.join("\n"));
                continue;
            }
            has_rule |= self.line(line);
        }
    }

    /// Reads a line that is no recipe. True if it begins a rule.
    fn line(&mut self, line: &str) -> bool {
        if !self.shell.spend(line.len() / 4) {
            return false;
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        if DIRECTIVES.contains(&first) {
            self.is_open = true;
            self.expanded(line);
            return false;
        }
        if let Some(paths) = line.trim_start_matches(['-', 's']).strip_prefix("include ") {
            // It makes what it includes.
            self.is_open = true;
            let paths = self.expanded(paths);
            for path in paths.split_whitespace() {
                let text = self.shell.known_file(path).filter(|_| self.depth < MAX_DEPTH);
                self.depth += 1;
                text.into_iter().for_each(|text| self.read(&text));
                self.depth -= 1;
            }
            return false;
        }
        let mut rest = line;
        while let Some(word) = MODIFIERS.iter().find(|word| rest.split_whitespace().next() == Some(word)) {
            rest = rest.get(word.len()..).unwrap_or_default().trim_start();
        }
        if self.assignment(rest) {
            return false;
        }
        let Some((targets, after)) = split_outside(line, ':') else {
            self.expanded(line);
            return false;
        };
        let targets = self.expanded(targets);
        let after = after.trim_start_matches(':');
        // `target: name = value`
        if self.assignment(after.trim()) {
            return false;
        }
        let (needed, recipe) = split_outside(after, ';').unwrap_or((after, ""));
        let needed = self.expanded(needed);
        let recipe = Some(recipe.to_owned()).filter(|recipe| !recipe.trim().is_empty());
        self.rules.push(Rule { targets, needed, recipe: recipe.into_iter().collect() });
        true
    }

    /// `name = value` and its like.
    fn assignment(&mut self, line: &str) -> bool {
        let Some(at) = ASSIGNMENTS
            .iter()
            .filter_map(|sign| outside(line, sign).map(|at| (at, *sign)))
            .min_by_key(|(at, sign)| (*at, usize::MAX - sign.len()))
        else {
            return false;
        };
        let (at, sign) = at;
        let name = line.get(..at).unwrap_or_default().trim();
        let value = line.get(at + sign.len()..).unwrap_or_default().trim_start().to_owned();
        if name.contains([':', ' ', ';']) && !name.starts_with("$(") || name.is_empty() {
            return false;
        }
        let name = self.expanded(name);
        if self.given.contains(&name) {
            return true;
        }
        let value = match sign {
            "!=" => self.shell_output(&value),
            ":=" | "::=" | ":::=" => self.expanded(&value).replace('$', "$$"),
            "+=" => format!("{} {value}", self.variables.get(&name).map_or("", String::as_str)),
            "?=" => self.variables.get(&name).cloned().unwrap_or(value),
            _ => value,
        };
        // `VPATH` finds targets elsewhere.
        self.is_open |= matches!(name.as_str(), "VPATH" | ".DEFAULT_GOAL" | "GPATH");
        if name == ".RECIPEPREFIX" {
            self.prefix = value.chars().next().unwrap_or('\t');
        }
        self.set(&name, value);
        true
    }

    pub(super) fn set(&mut self, name: &str, value: String) {
        if !self.given.iter().any(|given| given == name) && value.len() <= MAX_LENGTH {
            self.variables.insert(name.to_owned(), value);
        }
    }

    /// The value of a variable as it is written: of the file, or of the shell that runs `make`.
    pub(super) fn raw(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned().or_else(|| self.shell.variables().text(name).map(str::to_owned))
    }

    pub(super) fn with_value<T>(&mut self, name: &str, value: String, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.variables.insert(name.to_owned(), value);
        let found = run(self);
        match before {
            Some(before) => drop(self.variables.insert(name.to_owned(), before)),
            None => drop(self.variables.remove(name)),
        }
        found
    }

    pub(super) fn shell_output(&mut self, command: &str) -> String {
        let command = self.expanded(command);
        let output = self.shell.captured(|shell| shell.in_subshell(|shell| shell.run_text(&command)));
        output.trim_end_matches('\n').replace('\n', " ")
    }

    /// The text with its references in place.
    pub(super) fn expanded(&mut self, text: &str) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH || text.len() > MAX_LENGTH || !self.shell.spend(text.len() / 4 + 4) {
            self.depth -= 1;
            return unknown();
        }
        let mut done = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            done.push_str(before);
            let Some(first) = after.chars().next() else { break };
            let closing = match first {
                '(' => Some(')'),
                '{' => Some('}'),
                _ => None,
            };
            let inner = after.get(first.len_utf8()..).unwrap_or_default();
            rest = inner;
            match closing.map(|closing| reference_length(inner, first, closing)) {
                _ if first == '$' => done.push('$'),
                None => done.push_str(&self.reference(&first.to_string())),
                Some(length) => {
                    let whole = inner.get(..length).unwrap_or_default();
                    done.push_str(&self.reference(whole));
                    rest = inner.get(length + 1..).unwrap_or_default();
                }
            }
        }
        done.push_str(rest);
        self.depth -= 1;
        if done.len() > MAX_LENGTH { unknown() } else { done }
    }

    fn reference(&mut self, whole: &str) -> String {
        if let Some((name, arguments)) = whole.split_once([' ', '\t'])
            && let Some(value) = self.function(name, arguments.trim_start())
        {
            return value;
        }
        let whole = self.expanded(whole);
        if let Some((name, change)) = whole.split_once(':')
            && let Some((from, to)) = change.split_once('=')
        {
            let value = self.value(name.trim());
            let (from, to) = match from.contains('%') {
                true => (from.to_owned(), to.to_owned()),
                false => (format!("%{from}"), format!("%{to}")),
            };
            return super::text_functions::each_word(&value, |word| {
                super::text_functions::substituted(word, &from, &to)
            });
        }
        self.value(whole.trim())
    }

    pub(super) fn value(&mut self, name: &str) -> String {
        match self.raw(name) {
            Some(value) => self.expanded(&value),
            // `$@`, `$<` and their like; others are empty.
            None if name.starts_with(|c: char| "@<^?*+%|".contains(c)) => unknown(),
            None => String::new(),
        }
    }
}

/// The length up to the bracket that closes a reference.
fn reference_length(text: &str, opening: char, closing: char) -> usize {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            c if c == opening => open += 1,
            c if c == closing && open == 0 => return at,
            c if c == closing => open -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Where a sign stands outside references.
fn outside(text: &str, sign: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => open += 1,
            ')' | '}' => open = open.saturating_sub(1),
            _ if open == 0 && text.get(at..).is_some_and(|rest| rest.starts_with(sign)) => return Some(at),
            _ => {}
        }
    }
    None
}

fn split_outside(text: &str, sign: char) -> Option<(&str, &str)> {
    let at = outside(text, sign.encode_utf8(&mut [0; 4]))?;
    Some((text.get(..at)?, text.get(at + sign.len_utf8()..)?))
}
