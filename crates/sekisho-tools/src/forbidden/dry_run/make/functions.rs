//! The functions of `make`.

use super::super::fields::unknown;
use super::makefile::Makefile;
use super::text_functions::{is_text_function, text_function};

/// Functions that are not followed. What is in their arguments is.
const OTHERS: [&str; 12] = [
    "wildcard",
    "realpath",
    "abspath",
    "origin",
    "flavor",
    "file",
    "guile",
    "filter",
    "filter-out",
    "sort",
    "findstring",
    "wordlist",
];

impl Makefile<'_, '_> {
    /// What a function becomes. `None` if there is none of this name.
    pub(super) fn function(&mut self, name: &str, text: &str) -> Option<String> {
        let arguments = arguments(text);
        let raw = |at: usize| arguments.get(at).copied().unwrap_or_default();
        Some(match name {
            "shell" => self.shell_output(text),
            "eval" => {
                self.is_open = true;
                let text = self.expanded(text);
                self.read(&text);
                String::new()
            }
            "foreach" => {
                let (name, list) = (self.expanded(raw(0)), self.expanded(raw(1)));
                let words = list.split_whitespace().map(|word| {
                    self.with_value(name.trim(), word.replace('$', "$$"), |makefile| {
                        makefile.expanded(raw(2))
                    })
                });
                words.collect::<Vec<_>>().join(" ")
            }
            "if" => {
                let is_true = !self.expanded(raw(0).trim()).is_empty();
                self.expanded(raw(if is_true { 1 } else { 2 }))
            }
            "or" | "and" => {
                let values: Vec<String> = arguments.iter().map(|text| self.expanded(text.trim())).collect();
                let mut values = values.into_iter();
                let found = if name == "or" {
                    values.find(|value| !value.is_empty())
                } else if values.clone().all(|value| !value.is_empty()) {
                    values.next_back()
                } else {
                    None
                };
                found.unwrap_or_default()
            }
            "value" => {
                let name = self.expanded(text);
                self.raw(name.trim()).unwrap_or_default()
            }
            "call" => self.called(&arguments),
            "info" | "warning" | "error" => {
                let text = self.expanded(text);
                self.shell.print(&format!("{text}\n"));
                String::new()
            }
            _ => {
                let values: Vec<String> = match is_text_function(name) || OTHERS.contains(&name) {
                    true => arguments.iter().map(|text| self.expanded(text)).collect(),
                    false => return None,
                };
                text_function(name, &values).unwrap_or_else(unknown)
            }
        })
    }

    /// `$(call name,first,second)`
    fn called(&mut self, arguments: &[&str]) -> String {
        let values: Vec<String> = arguments.iter().map(|text| self.expanded(text)).collect();
        let name = values.first().map(|name| name.trim().to_owned()).unwrap_or_default();
        let body = self.raw(&name).unwrap_or_default();
        let before: Vec<(String, Option<String>)> =
            (0..values.len()).map(|at| (at.to_string(), self.raw(&at.to_string()))).collect();
        for (at, value) in values.iter().enumerate() {
            self.set(&at.to_string(), value.replace('$', "$$"));
        }
        let value = self.expanded(&body);
        for (name, value) in before {
            self.set(&name, value.unwrap_or_default());
        }
        value
    }
}

/// The arguments of a function, between commas that are in no brackets.
fn arguments(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut open, mut start) = (0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => open += 1,
            ')' | '}' => open = open.saturating_sub(1),
            ',' if open == 0 => {
                found.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.extend(text.get(start..));
    found
}
