//! What is known about a git repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a git repository can make git do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Repository {
    /// Nothing in it names a program.
    Plain,
    /// Its own config or attributes name a program that git would run.
    NamesPrograms {
        /// The setting.
        what: String,
    },
    /// Something in it, or on the path to it, is not known to be harmless.
    Unproven {
        /// The findings; at least one.
        findings: Vec<RepositoryFinding>,
    },
}

/// Something about a git repository that is not known to be harmless, even to a command that only reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepositoryFinding {
    /// The problem.
    pub problem: RepositoryProblem,
    /// The file or directory, absolute.
    pub file: String,
    /// The setting, as `section.subsection.key`, if the problem is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// It is in a submodule, which git reads in a separate process that command options do not reach.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub submodule: bool,
    /// It matters only to commands that change the repository.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub writes: bool,
}

/// Problems of a git repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepositoryProblem {
    /// A setting, or its value, that is not on the list of harmless ones.
    Setting,
    /// A hook that read-only commands run.
    Hook,
    /// It cannot be read, or not in the way git would read it.
    Unreadable,
    /// A directory that git may take for a bare repository.
    LooksBare,
    /// A `.git` that git would skip because it is not a repository.
    NotRepository,
    /// It points to a repository or a work tree that does not point back.
    Redirect,
    /// It is a symbolic link.
    Link,
    /// Objects come from a directory outside the repository.
    Alternates,
    /// The index names a file outside the work tree.
    Index,
    /// The user's own config includes it. This matters only if it is in the workspace.
    UserInclude,
    /// A setting of the repository or the user that contains a password or a token. This matters to commands
    /// that print it.
    Credential,
    /// There is no repository, or git may not accept it as one. This matters to commands that then read
    /// directories.
    Absent,
    /// There is more than the limit.
    TooMuch,
}
