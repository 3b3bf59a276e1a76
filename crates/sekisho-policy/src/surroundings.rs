//! What the world looks like, as a value: judging looks nothing up itself.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything a judgement depends on besides the policy and the call.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// The moment of judging; rules expire against it.
    pub now: Timestamp,
    /// The workspace root, absolute and resolved. Unknown: nothing is inside it.
    pub root: Option<String>,
    /// The home directory of the user whose machine it is, for `~/` in paths.
    pub home: Option<String>,
    /// Whether anyone can answer a question. If not, confirm is deny.
    pub can_confirm: bool,
    /// Facts looked up because [`needs`](crate::needs) asked for them.
    pub facts: Facts,
}

impl Surroundings {
    /// Surroundings at a moment, with nothing else known and somebody there to answer.
    pub fn at(now: Timestamp) -> Surroundings {
        Surroundings { now, root: None, home: None, can_confirm: true, facts: Facts::default() }
    }
}

/// A fact that judging a call depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Where a path leads once links are followed; for a path that does not exist, its nearest existing ancestor
    /// resolved and the rest appended. The path is absolute, or begins with `~` for the home directory.
    Resolve(String),
    /// Whether the git repository that a directory belongs to can name programs for git to run.
    Repository(String),
    /// Whether git would read files outside of a work tree because the index names files in a directory that is a
    /// symbolic link. The directory is one of the work tree.
    TrackedLinks(String),
    /// Whether a glob, expanded in a directory, gives a name that begins with `-`.
    GlobOption {
        /// Absolute.
        directory: String,
        /// The glob as written, quotes removed; what was quoted and would be a wildcard has a `\` before it.
        pattern: String,
    },
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The resolved path.
    Resolved(String),
    /// What the repository's config and attributes can do.
    Repository(Repository),
    /// Whether the index names files in a directory that is a symbolic link.
    TrackedLinks(bool),
    /// Whether a name begins with `-`.
    GlobOption(bool),
}

/// What a git repository can do to whoever runs git in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Repository {
    /// Nothing in it names a program; or there is no repository.
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
    /// There is more than is looked at.
    TooMuch,
}

/// Facts by what they answer. What is not in here is unknown, and unknown never allows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<(Need, Fact)>", into = "Vec<(Need, Fact)>")]
#[schemars(with = "Vec<(Need, Fact)>")]
pub struct Facts(BTreeMap<Need, Fact>);

impl From<Vec<(Need, Fact)>> for Facts {
    fn from(facts: Vec<(Need, Fact)>) -> Facts {
        Facts(facts.into_iter().collect())
    }
}

impl From<Facts> for Vec<(Need, Fact)> {
    fn from(facts: Facts) -> Vec<(Need, Fact)> {
        facts.0.into_iter().collect()
    }
}

impl Facts {
    /// Records an answer.
    pub fn insert(&mut self, need: Need, fact: Fact) {
        self.0.insert(need, fact);
    }

    /// Where a path leads, if that was looked up.
    pub fn resolved(&self, path: &str) -> Option<&str> {
        // The map is small (one entry a path of the call), so finding by comparison beats building a key.
        self.0.iter().find_map(|(need, fact)| match (need, fact) {
            (Need::Resolve(asked), Fact::Resolved(found)) if asked == path => Some(found.as_str()),
            _ => None,
        })
    }

    /// What the repository of a directory can do, if that was looked up.
    pub fn repository(&self, directory: &str) -> Option<&Repository> {
        self.0.iter().find_map(|(need, fact)| match (need, fact) {
            (Need::Repository(asked), Fact::Repository(found)) if asked == directory => Some(found),
            _ => None,
        })
    }

    /// Whether the index of a directory's repository is known to name no file behind a symbolic link.
    pub(crate) fn tracks_no_link(&self, directory: &str) -> bool {
        self.0.get(&Need::TrackedLinks(directory.into())) == Some(&Fact::TrackedLinks(false))
    }

    /// Whether a glob is known to give nothing that begins with `-`.
    pub(crate) fn glob_is_plain(&self, need: &Need) -> bool {
        self.0.get(need) == Some(&Fact::GlobOption(false))
    }

    /// Whether nothing was looked up.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every fact.
    pub fn iter(&self) -> impl Iterator<Item = (&Need, &Fact)> {
        self.0.iter()
    }
}
