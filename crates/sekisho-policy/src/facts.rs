//! Facts about the machine that a verdict depends on: queries, and what was found. Looked up before judging.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::file_search_query::{FileSearch, FileSearchOutcome};
use crate::repository::Repository;

/// A fact that judging a call depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Need")]
pub enum FactQuery {
    /// The path with links followed. For a path that does not exist: its nearest existing ancestor, resolved,
    /// with the rest appended. The path is absolute, or begins with `~` for the home directory.
    Resolve(String),
    /// Whether the git repository of a directory can name programs for git to run.
    Repository(String),
    /// Whether git would read files outside a work tree because the index names files in a directory that is
    /// a symbolic link. The directory is in the work tree.
    TrackedLinks(String),
    /// Whether a glob, expanded in a directory, gives a name that begins with `-`.
    GlobOption {
        /// Absolute path of the directory.
        directory: String,
        /// The glob as written, without quotes. Wildcard characters that were quoted have a `\` before them.
        pattern: String,
    },
    /// Which of the files that a command would open are protected.
    Files(FileSearch),
    /// Whether a file contains a secret, for names that do not decide this alone (`*.pem`). The path is
    /// absolute, or begins with `~`.
    Contents(String),
}

/// The answer to a [`FactQuery`].
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
    /// The protected files.
    Files(FileSearchOutcome),
    /// Whether the file contains a secret.
    Contents(FileSecrecy),
}

/// Whether a file contains a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Holds")]
pub enum FileSecrecy {
    /// Certificates, public keys or settings: nothing secret.
    NoSecret,
    /// A private key, a password or a token, or contents that cannot be determined.
    Secret,
}

/// Facts by query. A fact that is not present is unknown, and unknown never allows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(from = "Vec<(FactQuery, Fact)>")]
#[schemars(with = "Vec<(FactQuery, Fact)>")]
pub struct Facts(
    /// `None` if there are none: every verdict has facts, and few have any.
    Option<BTreeMap<FactQuery, Fact>>,
);

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl From<Vec<(FactQuery, Fact)>> for Facts {
    fn from(facts: Vec<(FactQuery, Fact)>) -> Facts {
        Facts((!facts.is_empty()).then(|| facts.into_iter().collect()))
    }
}

impl Facts {
    /// Adds a fact.
    pub fn insert(&mut self, query: FactQuery, fact: Fact) {
        self.0.get_or_insert_default().insert(query, fact);
    }

    /// The resolved path, if it was looked up.
    pub fn resolved(&self, path: &str) -> Option<&str> {
        // Most maps are small: then comparing is faster than building a key.
        if self.0.as_ref().is_some_and(|facts| facts.len() > 16) {
            return match self.get(&FactQuery::Resolve(path.to_owned())) {
                Some(Fact::Resolved(found)) => Some(found),
                _ => None,
            };
        }
        self.iter().find_map(|(query, fact)| match (query, fact) {
            (FactQuery::Resolve(asked), Fact::Resolved(found)) if asked == path => Some(found.as_str()),
            _ => None,
        })
    }

    /// The repository of a directory, if it was looked up.
    pub fn repository(&self, directory: &str) -> Option<&Repository> {
        self.iter().find_map(|(query, fact)| match (query, fact) {
            (FactQuery::Repository(asked), Fact::Repository(found)) if asked == directory => Some(found),
            _ => None,
        })
    }

    /// Whether the index of a directory's repository is known to contain no file behind a symbolic link.
    pub(crate) fn tracks_no_link(&self, directory: &str) -> bool {
        self.get(&FactQuery::TrackedLinks(directory.into())) == Some(&Fact::TrackedLinks(false))
    }

    /// Whether a glob is known to give no name that begins with `-`.
    pub(crate) fn glob_is_plain(&self, query: &FactQuery) -> bool {
        self.get(query) == Some(&Fact::GlobOption(false))
    }

    /// The answer to a query. Below the home directory the query may have been written with `~`.
    pub(crate) fn answer(&self, query: &FactQuery, home: Option<&str>) -> Option<&Fact> {
        self.get(query).or_else(|| {
            let (mut query, mut changed) = (query.clone(), false);
            for path in query.paths_mut() {
                if let Some(written) = from_home(path, home?) {
                    (*path, changed) = (written, true);
                }
            }
            self.get(&query).filter(|_| changed)
        })
    }

    /// Whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// All facts.
    pub fn iter(&self) -> impl Iterator<Item = (&FactQuery, &Fact)> {
        self.0.iter().flat_map(|facts| facts.iter())
    }

    fn get(&self, query: &FactQuery) -> Option<&Fact> {
        self.0.as_ref()?.get(query)
    }
}

impl FactQuery {
    /// Its paths that may be written with `~`.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let (path, below) = match self {
            FactQuery::Resolve(path) | FactQuery::Contents(path) => (Some(path), None),
            FactQuery::Files(search) => (Some(&mut search.directory), search.below.as_mut()),
            FactQuery::Repository(_) | FactQuery::TrackedLinks(_) | FactQuery::GlobOption { .. } => {
                (None, None)
            }
        };
        let of_below = below.into_iter().flat_map(|below| below.cut.iter_mut().chain(&mut below.within));
        path.into_iter().chain(of_below)
    }
}

/// A path below the home directory, written with `~`.
pub(crate) fn from_home(path: &str, home: &str) -> Option<String> {
    let rest = crate::paths::relative_to(path, home)?;
    Some(if rest.is_empty() { "~".into() } else { format!("~/{rest}") })
}
