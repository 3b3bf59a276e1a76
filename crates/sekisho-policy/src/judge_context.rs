//! Everything outside the policy and the call, as a value: judging itself looks nothing up.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explanation::Detail;
use crate::reason::Reason;

pub use crate::repository::{Repository, RepositoryFinding, RepositoryProblem};

/// Everything a verdict depends on besides the policy and the call.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeContext {
    /// The current time, for the expiry of rules.
    pub now: Timestamp,
    /// The workspace root, absolute and resolved. If unknown, no path is inside it.
    pub root: Option<String>,
    /// The user's home directory, for `~/` in paths.
    pub home: Option<String>,
    /// Whether anyone can answer an approval. If not, confirm becomes deny.
    pub can_confirm: bool,
    /// The facts that were looked up because [`required_facts`](crate::required_facts) listed them.
    pub facts: Facts,
}

impl JudgeContext {
    /// A context at a given time, with no facts and with someone to answer.
    pub fn at(now: Timestamp) -> JudgeContext {
        JudgeContext { now, root: None, home: None, can_confirm: true, facts: Facts::default() }
    }
}

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

/// The files that a command would open: the expansion of a glob, and the files below.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FileSearch {
    /// Absolute, or begins with `~` for the home directory.
    pub directory: String,
    /// Start from the root of the git repository that contains the directory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub top: bool,
    /// A glob that bash expands in it, written as in [`FactQuery::GlobOption`]. Without one, the directory
    /// itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// How the files below are read, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<WalkOptions>,
    /// Report a name that begins with `-`, because the command would treat it as an option.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_options: bool,
    /// Report a name with blanks, quotes or wildcards, because it would become other names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_names: bool,
}

/// How a command reads the files below a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Below")]
pub struct WalkOptions {
    /// How it handles links.
    pub links: LinkHandling,
    /// Whether it enters subdirectories.
    pub deep: bool,
    /// Whether it opens names that begin with a dot.
    pub hidden: bool,
    /// Globs for names that begin with a dot and are opened although others are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unhidden: Vec<String>,
    /// Which files it opens, by their status in git.
    pub git: GitFileFilter,
    /// Names are split at blanks, and the pieces are opened in this directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Names are printed by git, which quotes unusual names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quoted: bool,
    /// Globs for names: only matching files are opened. Empty: all files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Globs for names: matching files are not opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Globs for names: matching directories are not entered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except_directories: Vec<String>,
    /// Globs for names: matching tracked files in the directory itself are not opened, even if the search
    /// starts at the repository root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except_here: Vec<String>,
    /// Of the tracked files, only those below these paths, which are absolute or begin with `~`. Empty: all
    /// files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

impl WalkOptions {
    /// All files; links are skipped.
    pub fn everything() -> WalkOptions {
        WalkOptions {
            links: LinkHandling::Skip,
            deep: true,
            hidden: true,
            unhidden: Vec::new(),
            git: GitFileFilter::All,
            cut: None,
            quoted: false,
            only: Vec::new(),
            except: Vec::new(),
            except_directories: Vec::new(),
            except_here: Vec::new(),
            within: Vec::new(),
        }
    }
}

/// How links are handled.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Links")]
pub enum LinkHandling {
    /// Skipped (`grep -r`).
    #[default]
    Skip,
    /// Files they lead to are opened, directories are not entered (`find -exec cat`).
    Open,
    /// Followed wherever they lead (`diff -r`).
    Follow,
}

/// Which files are opened, by their status in git.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "GitFiles")]
pub enum GitFileFilter {
    /// All files.
    #[default]
    All,
    /// Files that git does not ignore (`rg`).
    NotIgnored,
    /// Files that git tracks (`git ls-files`).
    Tracked,
    /// Tracked files that differ from the index (`git diff`).
    Changed,
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

/// The result of a file search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FilesFound")]
pub enum FileSearchOutcome {
    /// The first few protected files; empty if there are none.
    Protected(Vec<ProtectedFile>),
    /// There are more files than the limit, or the search took too long.
    TooMany,
    /// The path of a name that begins with `-`, if that was to be reported.
    MayBeOption(String),
    /// The path of a name with blanks, quotes or wildcards, if that was to be reported.
    Splits(String),
}

/// Stands for an entry of the list where a file lies outside the workspace and reading ends at it.
pub(crate) const OUTSIDE: &str = "outside the workspace";

impl FileSearchOutcome {
    /// Why the files need confirmation. Files that only control what runs may be read.
    pub(crate) fn reason(&self, search: &FileSearch, reads: bool) -> Option<Reason> {
        match self {
            FileSearchOutcome::Protected(found) => {
                let found = found.iter().find(|file| file.secret || !reads)?;
                if found.pattern == OUTSIDE {
                    return Some(Reason::OutsideWorkspace { path: found.path.clone() });
                }
                Some(Reason::ProtectedAmong { path: found.path.clone(), pattern: found.pattern.clone() })
            }
            FileSearchOutcome::TooMany => Some(Reason::TooManyFiles { path: search.directory.clone() }),
            FileSearchOutcome::MayBeOption(path) => Some(Reason::MayBeOption { word: path.clone() }),
            FileSearchOutcome::Splits(path) => {
                Some(Reason::Obstacle { word: path.clone(), why: Detail::NameSplits.into() })
            }
        }
    }
}

/// A protected file that a command would open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FoundFile")]
pub struct ProtectedFile {
    /// Its path as the command reaches it. A directory ends with a slash.
    pub path: String,
    /// The pattern on the list of protected paths.
    pub pattern: String,
    /// Whether reading it reveals a secret.
    pub secret: bool,
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<(FactQuery, Fact)>", into = "Vec<(FactQuery, Fact)>")]
#[schemars(with = "Vec<(FactQuery, Fact)>")]
pub struct Facts(BTreeMap<FactQuery, Fact>);

impl From<Vec<(FactQuery, Fact)>> for Facts {
    fn from(facts: Vec<(FactQuery, Fact)>) -> Facts {
        Facts(facts.into_iter().collect())
    }
}

impl From<Facts> for Vec<(FactQuery, Fact)> {
    fn from(facts: Facts) -> Vec<(FactQuery, Fact)> {
        facts.0.into_iter().collect()
    }
}

impl Facts {
    /// Adds a fact.
    pub fn insert(&mut self, query: FactQuery, fact: Fact) {
        self.0.insert(query, fact);
    }

    /// The resolved path, if it was looked up.
    pub fn resolved(&self, path: &str) -> Option<&str> {
        // Most maps are small: then comparing is faster than building a key.
        if self.0.len() > 16 {
            return match self.0.get(&FactQuery::Resolve(path.to_owned())) {
                Some(Fact::Resolved(found)) => Some(found),
                _ => None,
            };
        }
        self.0.iter().find_map(|(query, fact)| match (query, fact) {
            (FactQuery::Resolve(asked), Fact::Resolved(found)) if asked == path => Some(found.as_str()),
            _ => None,
        })
    }

    /// The repository of a directory, if it was looked up.
    pub fn repository(&self, directory: &str) -> Option<&Repository> {
        self.0.iter().find_map(|(query, fact)| match (query, fact) {
            (FactQuery::Repository(asked), Fact::Repository(found)) if asked == directory => Some(found),
            _ => None,
        })
    }

    /// Whether the index of a directory's repository is known to contain no file behind a symbolic link.
    pub(crate) fn tracks_no_link(&self, directory: &str) -> bool {
        self.0.get(&FactQuery::TrackedLinks(directory.into())) == Some(&Fact::TrackedLinks(false))
    }

    /// Whether a glob is known to give no name that begins with `-`.
    pub(crate) fn glob_is_plain(&self, query: &FactQuery) -> bool {
        self.0.get(query) == Some(&Fact::GlobOption(false))
    }

    /// The answer to a query. Below the home directory the query may have been written with `~`.
    pub(crate) fn answer(&self, query: &FactQuery, home: Option<&str>) -> Option<&Fact> {
        self.0.get(query).or_else(|| {
            let (mut query, mut changed) = (query.clone(), false);
            for path in query.paths_mut() {
                if let Some(written) = from_home(path, home?) {
                    (*path, changed) = (written, true);
                }
            }
            self.0.get(&query).filter(|_| changed)
        })
    }

    /// Whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All facts.
    pub fn iter(&self) -> impl Iterator<Item = (&FactQuery, &Fact)> {
        self.0.iter()
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
