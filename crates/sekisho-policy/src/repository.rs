//! What is known of a git repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a git repository can do to whoever runs git in it.
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
    /// Something in it, or on the way to it, is not known to be harmless.
    Unproven {
        /// What was found, at least one.
        findings: Vec<RepositoryFinding>,
    },
}

/// One thing about a git repository that is not known to be harmless to a command that reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepositoryFinding {
    /// What is the matter with it.
    pub problem: RepositoryProblem,
    /// The file or directory, absolute.
    pub file: String,
    /// The setting, as `section.subsection.key`, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// It is in a submodule, which git reads in a process of its own: options of the command do not reach there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub submodule: bool,
}

/// What can be the matter with a git repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepositoryProblem {
    /// A setting, or its value, that is not on the list of harmless ones.
    Setting,
    /// A hook that commands run which only read.
    Hook,
    /// It cannot be read, or not as git would read it.
    Unreadable,
    /// A directory that git may take for a bare repository.
    LooksBare,
    /// A `.git` that git would pass over, since it is no repository.
    NotRepository,
    /// It leads to a repository or a work tree that does not lead back.
    Redirect,
    /// It is a symbolic link.
    Link,
    /// Objects are taken from a directory outside of the repository.
    Alternates,
    /// The index names a file outside of the work tree.
    Index,
    /// The user's own config includes it. That matters only where it lies in the workspace.
    UserInclude,
    /// A setting of the repository or of the user that holds a password or a token. That matters to commands that print it.
    Credential,
    /// There is none, or git may not take what is there for one. That matters to commands that then read directories.
    Absent,
    /// There is more than is looked at.
    TooMuch,
}
