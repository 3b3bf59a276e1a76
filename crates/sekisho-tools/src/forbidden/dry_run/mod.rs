//! A dry run of a shell text: what it would run, with the words, the input and the files that it computes itself.
//!
//! The text is parsed and followed step by step as a shell would, but nothing is run. Variables, functions, aliases,
//! loops, pipes, substitutions and files that the text writes are followed, and so are programs that only change text
//! (`base64 -d`, `rev`, `tr`, `sed`). Each command that is reached is shown to the search with its arguments and its
//! input. What other programs print, and what was in files before, is not known, and nothing is assumed about it.
//!
//! Where a condition is not known, the text is followed once as if it held and once as if it did not; what the other
//! way sets is forgotten. A value that is not known exactly is unknown, never guessed.
//!
//! What is known only adds to what may run, and rules nothing out ([`unreached`]): steps that are not reached and values that
//! were forgotten are followed aside, and filters are tried with all texts ([`changed_texts`]).
//!
//! The work is limited. A loop gets a part of what is left; if that is spent, what the loop sets is unknown, and the dry
//! run goes on behind it. A text that is nested too deep, or whose other work is too much, is not followed to its end.

mod arithmetic;
mod basic_expressions;
mod brace_lists;
mod builtins;
mod changed_texts;
mod commands;
mod completion;
mod coprocesses;
mod expansion;
mod fields;
mod files;
mod filters;
mod find_program;
mod git_program;
mod history;
mod history_builtins;
mod input_builtins;
mod loops;
mod make;
mod package_scripts;
mod parser;
mod patterns;
mod plain_scripts;
mod printed_arguments;
mod printf_format;
mod programs;
mod sed;
mod seen_texts;
mod shell;
mod sinks;
mod spans;
mod steps;
mod subscripts;
mod syntax;
mod transformations;
mod unreached;
mod variables;
mod wrappers;
mod xargs;

use std::cell::{Cell, RefCell};

use super::budget::Budget;
use fields::without_marks;
pub(super) use sed::commands_in as commands_in_sed;
use seen_texts::SeenTexts;
use shell::{Shell, WORK};

/// The work that is left, and that for what is followed aside.
#[derive(Debug)]
pub(super) struct DryRuns(Cell<usize>, Cell<usize>);

impl Default for DryRuns {
    fn default() -> DryRuns {
        DryRuns(Cell::new(WORK), Cell::new(WORK / 2))
    }
}

impl DryRuns {
    /// Shows the commands that a text would run to `note`, if they may be forbidden. False if the text was not followed
    /// to its end.
    pub(super) fn follow(&self, text: &str, budget: &Budget, note: &mut dyn FnMut(&str)) -> bool {
        let text = &without_marks(text);
        let mut seen = std::collections::BTreeSet::new();
        let mut note = |text: &str| {
            if seen.insert(text.to_owned()) {
                note(text);
            }
        };
        let texts = RefCell::new(SeenTexts::default());
        let mut is_followed = true;
        for holds in [true, false] {
            let mut shell = Shell::new(holds, (&self.0, &self.1, budget), &texts, &mut note);
            shell.run_text(text);
            shell.run_traps();
            shell.follow_changes();
            is_followed &= !shell.is_cut && self.0.get() > 0;
        }
        is_followed || plain_scripts::is_plain(text)
    }
}

#[cfg(test)]
mod tests;
