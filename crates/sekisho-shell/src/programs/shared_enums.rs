//! Enums shared by the table files and the command profile.

use serde::{Deserialize, Serialize};

/// The built-in allow lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuiltinList {
    /// The short list.
    Seed,
    /// The longer list, which includes the short one.
    Full,
}

/// The opt-in lists of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PresetList {
    /// Commands that build, test, check and format a project, which run its own code.
    Dev,
    /// Commands that create directories, or record changes in the local repository.
    LocalWork,
    /// Commands that read from services on the network.
    NetworkRead,
}

/// The shell that reads a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellKind {
    /// Bash.
    Bash,
    /// A POSIX shell.
    Sh,
    /// Any other shell: its text cannot be analysed.
    Other,
}

/// Levels of [`ProgramDanger`](super::ProgramDanger).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramDangerLevel {
    /// Deserves a second look.
    Caution,
    /// Hard or impossible to undo.
    Danger,
}
