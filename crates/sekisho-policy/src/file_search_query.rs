//! What to look for in the file system: the files that a command would open, and what was found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::command_explanation::Detail;
use crate::reason::Reason;

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
    /// Report a name that leads out of the workspace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inside: bool,
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
    /// Report repositories of their own: git would run what their config names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<NestedRepositories>,
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
            repositories: None,
            within: Vec::new(),
        }
    }
}

/// Where a repository is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NestedRepositories {
    /// Below the directory.
    Below,
    /// Also the directory itself.
    Here,
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
/// Stands for an entry of the list where a directory is a repository of its own.
pub(crate) const REPOSITORY: &str = "a repository of its own";

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
