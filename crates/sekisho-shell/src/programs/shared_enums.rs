//! Kinds of things that both the written table and what is read by it speak of.

use serde::{Deserialize, Serialize};

/// The built-in allow lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuiltinList {
    /// The short list.
    Seed,
    /// The longer list, which contains the short one.
    Full,
}

/// Which shell reads a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellKind {
    /// bash
    Bash,
    /// A POSIX shell.
    Sh,
    /// Any other: its text cannot be analysed.
    Other,
}

/// Levels of [`Danger`](super::Danger).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramDangerLevel {
    /// Look twice.
    Caution,
    /// Hard or impossible to undo.
    Danger,
}
