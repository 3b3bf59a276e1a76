//! What the world looks like, as a value: judging looks nothing up itself.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reason::Reason;
use crate::why::Detail;

pub use crate::repository::{Repository, RepositoryFinding, RepositoryProblem};

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
    /// Which protected files are among those that a command would open.
    Files(FileSearch),
    /// Whether a file holds a secret, for names that alone do not tell (`*.pem`). Absolute, or begins with `~`.
    Contents(String),
}

/// The files that a command would open: what a glob expands to, and what lies below.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FileSearch {
    /// Absolute, or begins with `~` for the home directory.
    pub directory: String,
    /// From the top of the git repository around the directory on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub top: bool,
    /// A glob that bash expands in it, written as for [`Need::GlobOption`]. Without one, the directory itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// How what lies below is read, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Below>,
    /// A name that begins with `-` counts: the command would take it for an option.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_options: bool,
    /// A name with blanks, quotes or wildcards in it counts: it would become other names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_names: bool,
}

/// How a command reads what lies below a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Below {
    /// What it does about links.
    pub links: Links,
    /// It enters the directories it finds.
    pub deep: bool,
    /// It opens names that begin with a dot.
    pub hidden: bool,
    /// Globs over names that begin with a dot: those are opened although others are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unhidden: Vec<String>,
    /// Which files it opens by what git says of them.
    pub git: GitFiles,
    /// Names are cut at blanks, and the pieces opened in this directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Names are printed by git, which writes others than plain ones in quotes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quoted: bool,
    /// Globs over names: it opens files that one of them matches. Empty: all files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Globs over names: it opens no file that one of them matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Globs over names: it enters no directory that one of them matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except_directories: Vec<String>,
    /// Globs over names: of the files that git tracks it opens none in the directory itself that one of them matches, also
    /// where it begins at the top.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except_here: Vec<String>,
    /// Of the files that git tracks, those in these places; they are absolute, or begin with `~`. Empty: all files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

impl Below {
    /// All files, links left alone.
    pub fn everything() -> Below {
        Below {
            links: Links::Skip,
            deep: true,
            hidden: true,
            unhidden: Vec::new(),
            git: GitFiles::All,
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

/// What is done about links that are found.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Links {
    /// They are left alone (`grep -r`).
    #[default]
    Skip,
    /// Files they lead to are opened, directories not entered (`find -exec cat`).
    Open,
    /// They are followed wherever they lead (`diff -r`).
    Follow,
}

/// Which files are opened by what git says of them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum GitFiles {
    /// All.
    #[default]
    All,
    /// Those that git does not ignore (`rg`).
    NotIgnored,
    /// Those that git tracks (`git ls-files`).
    Tracked,
    /// Those that git tracks and that are not as its index has them (`git diff`).
    Changed,
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
    /// The protected files.
    Files(FilesFound),
    /// What the file holds.
    Contents(Holds),
}

/// The protected files among those that a command would open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FilesFound {
    /// The first few; none if there are none.
    Protected(Vec<FoundFile>),
    /// There are more files than are looked through, or looking took too long.
    TooMany,
    /// A name begins with `-`, where that counts: its path.
    MayBeOption(String),
    /// A name has blanks, quotes or wildcards in it, where that counts: its path.
    Splits(String),
}

/// Stands for an entry of the list where a file lies outside the workspace and reading ends at it.
pub(crate) const OUTSIDE: &str = "outside the workspace";

impl FilesFound {
    /// Why the files are not opened without a question. What only steers programs may be read.
    pub(crate) fn reason(&self, search: &FileSearch, reads: bool) -> Option<Reason> {
        match self {
            FilesFound::Protected(found) => {
                let found = found.iter().find(|file| file.secret || !reads)?;
                if found.pattern == OUTSIDE {
                    return Some(Reason::OutsideWorkspace { path: found.path.clone() });
                }
                Some(Reason::ProtectedAmong { path: found.path.clone(), pattern: found.pattern.clone() })
            }
            FilesFound::TooMany => Some(Reason::TooManyFiles { path: search.directory.clone() }),
            FilesFound::MayBeOption(path) => Some(Reason::MayBeOption { word: path.clone() }),
            FilesFound::Splits(path) => {
                Some(Reason::Obstacle { word: path.clone(), why: Detail::NameSplits.into() })
            }
        }
    }
}

/// A protected file that a command would open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundFile {
    /// Its path as the command comes by it; a directory ends with a slash.
    pub path: String,
    /// The entry of the list of protected paths.
    pub pattern: String,
    /// Reading it gives something away.
    pub secret: bool,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// Certificates, public keys or settings: nothing secret.
    NoSecret,
    /// A private key, a password or a token, or something that cannot be told.
    Secret,
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
        // Most maps are small: then finding by comparison beats building a key.
        if self.0.len() > 16 {
            return match self.0.get(&Need::Resolve(path.to_owned())) {
                Some(Fact::Resolved(found)) => Some(found),
                _ => None,
            };
        }
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

    /// The answer to a need. Below the home directory it may have been asked for by `~`.
    pub(crate) fn answer(&self, need: &Need, home: Option<&str>) -> Option<&Fact> {
        self.0.get(need).or_else(|| {
            let (mut need, mut changed) = (need.clone(), false);
            for path in need.paths_mut() {
                if let Some(written) = from_home(path, home?) {
                    (*path, changed) = (written, true);
                }
            }
            self.0.get(&need).filter(|_| changed)
        })
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

impl Need {
    /// The paths it is about that may be written with `~`.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let (path, below) = match self {
            Need::Resolve(path) | Need::Contents(path) => (Some(path), None),
            Need::Files(search) => (Some(&mut search.directory), search.below.as_mut()),
            Need::Repository(_) | Need::TrackedLinks(_) | Need::GlobOption { .. } => (None, None),
        };
        let of_below = below.into_iter().flat_map(|below| below.cut.iter_mut().chain(&mut below.within));
        path.into_iter().chain(of_below)
    }
}

/// A path below the home directory, written with `~`.
pub(crate) fn from_home(path: &str, home: &str) -> Option<String> {
    let rest = crate::paths::below(path, home)?;
    Some(if rest.is_empty() { "~".into() } else { format!("~/{rest}") })
}
