//! A dry run of a shell text: what it would run, with the words, the input and the files that it computes itself.
//!
//! The text is parsed and followed step by step as a shell would, but nothing is run. Variables, functions, aliases,
//! loops, pipes, substitutions and files that the text writes are followed, and so are programs that only change text
//! (`base64 -d`, `rev`, `tr`, `sed`). Each command that is reached is shown to the search with its arguments and its
//! input. What other programs print, and what was in files before, is not known, and nothing is assumed about it.
//!
//! The work is limited. What a dry run does not reach is left to the other parts of the search.

mod arithmetic;
mod brace_lists;
mod builtins;
mod commands;
mod expansion;
mod fields;
mod files;
mod filters;
mod parser;
mod printf_format;
mod programs;
mod shell;
mod spans;
mod steps;
mod syntax;
mod variables;

use std::cell::Cell;

use super::budget::Budget;
use fields::is_known;
use shell::{Choice, Shell};

/// How much work all dry runs for one command may do: roughly the steps, and the characters divided by eight.
const WORK: usize = 1 << 18;

/// The work that is left.
#[derive(Debug)]
pub(super) struct DryRuns(Cell<usize>);

impl Default for DryRuns {
    fn default() -> DryRuns {
        DryRuns(Cell::new(WORK))
    }
}

impl DryRuns {
    /// Shows the commands that a text would run to `note`, if they may be forbidden.
    pub(super) fn follow(&self, text: &str, budget: &Budget, note: &mut dyn FnMut(&str)) {
        if !is_known(text) {
            return;
        }
        let mut seen = std::collections::BTreeSet::new();
        let mut note = |text: &str| {
            if seen.insert(text.to_owned()) {
                note(text);
            }
        };
        for choice in [Choice::First, Choice::Last] {
            Shell::new(choice, (&self.0, budget), &mut note).run_text(text);
        }
    }
}

#[cfg(test)]
mod tests;
