//! A dry run of a shell text: what it would run, with the words, the input and the files that it computes itself.
//!
//! The text is parsed and followed step by step as a shell would, but nothing is run. Variables, functions, aliases,
//! loops, pipes, substitutions and files that the text writes are followed, and so are programs that only change text
//! (`base64 -d`, `rev`, `tr`, `sed`). Each command that is reached is shown to the search with its arguments and its
//! input. What other programs print, and what was in files before, is not known, and nothing is assumed about it.
//!
//! Where a condition is not known, the text is followed once as if it held and once as if it did not; what the other
//! way sets is forgotten. A text of little work is also followed in ways in which some conditions hold and others do not.
//! A value that is not known exactly is unknown, never guessed.
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
use changed_texts::SeenTexts;
use fields::without_marks;
pub(super) use sed::commands_in as commands_in_sed;
use shell::{Choice, Shell};

/// How much work all dry runs for one command may do: roughly the steps, and the characters divided by eight.
const WORK: usize = 1 << 18;

/// How many bits of the numbers of conditions are tried both ways.
const MAX_BITS: u32 = 3;
/// A text is followed in these ways too if that takes no more than this part of the work that is left.
const EXTRA_SHARE: usize = 64;

/// Ways in which some conditions hold and others do not: any two of the first ones differ in some way, both ways round.
fn mixed_choices(conditions: usize) -> impl Iterator<Item = Choice> {
    let bits = (0..MAX_BITS).filter(move |bit| conditions > 1 << bit);
    bits.flat_map(|bit| [true, false].map(|holds| Choice::Numbered { bit, holds }))
}

/// The work that is left.
#[derive(Debug)]
pub(super) struct DryRuns(Cell<usize>);

impl Default for DryRuns {
    fn default() -> DryRuns {
        DryRuns(Cell::new(WORK))
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
        let mut choices = vec![Choice::Every, Choice::Failure, Choice::Success];
        while let Some(choice) = choices.pop() {
            let before = self.0.get();
            let mut shell = Shell::new(choice, (&self.0, budget), &texts, &mut note);
            shell.run_text(text);
            shell.run_traps();
            shell.follow_changes();
            let is_extra = matches!(choice, Choice::Numbered { .. });
            is_followed &= is_extra || !shell.is_cut && self.0.get() > 0;
            if choice == Choice::Success {
                if !shell.met_both {
                    choices.retain(|choice| *choice != Choice::Every);
                }
                let cost = before.saturating_sub(self.0.get());
                if cost < self.0.get() / EXTRA_SHARE {
                    choices.splice(0..0, mixed_choices(shell.conditions));
                }
            }
        }
        is_followed || plain_scripts::is_plain(text)
    }
}

#[cfg(test)]
mod tests;
