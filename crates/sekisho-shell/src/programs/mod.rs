//! What is known about programs: which options and operands are harmless, what a command would run, how
//! rules name it, what it does to the world. The knowledge is data, in `programs/*.toml`, which the build script
//! checks and compiles.
//!
//! [`read`] judges one simple command. What the command itself would run comes back as [`Inner`]; the caller
//! judges those in turn. A caller that knows more of a word than its pieces say (that `$(pwd)` begins with
//! `/`, say) can put that knowledge into the word before asking.

mod build;
mod check;
mod codes;
mod danger_code;
mod detail;
mod embedded;
mod entry;
mod expression;
mod find;
mod inner;
mod kinds;
mod leading;
mod marker;
mod operands;
mod reading;
mod scan;
mod schema;
mod sed;
mod table;
mod values;

pub use danger_code::DangerCode;
pub use detail::Detail;
pub use kinds::{BuiltinList, DangerLevel, ShellKind};
pub use reading::{Access, Danger, Inner, Located, Obstacle, ObstacleCode, OptionUse, PathUse, Reading};
pub use table::{Error, Table};

use crate::budget::Budget;
use crate::word::Word;

/// Reads one simple command by the embedded table; the first word is the program.
pub fn read(words: &[Word]) -> Reading {
    read_within(words, &Budget::new(usize::MAX))
}

/// The same with bounded work. Where the budget runs out, some of what the command runs is left out, and the budget says so.
pub fn read_within(words: &[Word], budget: &Budget) -> Reading {
    build::reading(&embedded::Embedded, words, budget)
}

impl build::Programs for Table {
    fn program(&self, name: &str) -> Option<&entry::Entry> {
        self.numbered(0, name)
    }

    fn subcommand<'t>(&'t self, of: &'t entry::Entry, name: &str) -> Option<&'t entry::Entry> {
        self.numbered(of.number, name)
    }
}

impl Table {
    fn numbered(&self, of: u16, name: &str) -> Option<&entry::Entry> {
        let number = self.numbers.get(&(of, name.to_owned()))?;
        self.entries.get(usize::from(number.checked_sub(1)?))
    }

    /// Reads one simple command by this table; the first word is the program.
    pub fn read(&self, words: &[Word]) -> Reading {
        build::reading(self, words, &Budget::new(usize::MAX))
    }
}

/// The names of all programs in the embedded table.
pub fn names() -> impl Iterator<Item = &'static str> {
    embedded::names()
}

/// The files the embedded table was made from, as (file name, text).
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    embedded::files()
}
