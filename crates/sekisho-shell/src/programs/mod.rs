//! What is known about programs: which options and operands are harmless, what a command would run, how
//! rules name it, what it does to the world. The knowledge is data, in `programs/*.toml`.
//!
//! [`read`] judges one simple command. What the command itself would run comes back as [`Inner`]; the caller
//! judges those in turn. A caller that knows more of a word than its pieces say (that `$(pwd)` begins with
//! `/`, say) can put that knowledge into the word before asking.

mod build;
mod embedded;
mod expression;
mod find;
mod inner;
mod leading;
mod operands;
mod reading;
mod scan;
mod schema;
mod sed;
mod table;
mod values;

pub use reading::{
    Access, BuiltinList, Danger, DangerLevel, Inner, Located, Obstacle, ObstacleCode, PathUse, Reading,
    ShellKind,
};
pub use table::{Error, Table};

use crate::word::Word;

/// Reads one simple command by the embedded table; the first word is the program.
pub fn read(words: &[Word]) -> Reading {
    build::reading(&embedded::Embedded, words)
}

impl Table {
    /// Reads one simple command by this table; the first word is the program.
    pub fn read(&self, words: &[Word]) -> Reading {
        build::reading(self, words)
    }
}

/// The names of all programs in the embedded table.
pub fn names() -> impl Iterator<Item = &'static str> {
    embedded::names()
}

/// The files of the embedded table, as (file name, text).
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    embedded::files()
}
