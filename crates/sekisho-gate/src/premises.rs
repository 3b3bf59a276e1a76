//! What the machine's files say: the ports a host fills.

use jiff::Timestamp;
use sekisho_policy::{Effect, Facts, Layers, Need, Policy, Rule};

use crate::answer::Scope;
use crate::note::FileNote;

/// The layers that are files.
pub trait Files: Send + Sync {
    /// The layers that count for a caller in a directory of a workspace, and a number that grows whenever they change.
    fn layers(&self, root: Option<&str>, cwd: Option<&str>) -> FileLayers;

    /// A number that tells one state of the layers of a place from another. Cheap: it is asked for at every judgement, and
    /// so it is also where a change is found that nobody was told of.
    fn generation_at(&self, _root: Option<&str>, _cwd: Option<&str>) -> u64 {
        *self.generation().borrow()
    }

    /// A number that grows with every change of any file.
    fn generation(&self) -> tokio::sync::watch::Receiver<u64>;

    /// Writes rules to the project's or the user's file, keeping its comments and order. They count when it returns.
    fn remember(&self, keep: Keep) -> Result<(), KeepError>;

    /// Changes or removes one rule of the user's own file, keeping the comments and order of the rest. It counts when it
    /// returns.
    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError>;
}

/// The layers that are files, at one moment.
#[derive(Clone, Debug, Default)]
pub struct FileLayers {
    /// What a policy is compiled from.
    pub layers: Layers,
    /// Which generation.
    pub generation: u64,
}

/// Rules to write to a file.
#[derive(Clone, Debug)]
pub struct Keep {
    /// Which file; not the session's, which is none.
    pub scope: Scope,
    /// The workspace root.
    pub root: Option<String>,
    /// What the rules do.
    pub effect: Effect,
    /// The rules.
    pub rules: Vec<Rule>,
    /// Who has them written.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// A change of one rule in the user's own file.
#[derive(Clone, Debug)]
pub struct RuleEdit {
    /// The line the rule began at when it was shown.
    pub line: u32,
    /// What it did then.
    pub effect: Effect,
    /// What it said then.
    pub rule: Rule,
    /// What takes its place; nothing: it is removed.
    pub into: Option<(Effect, Rule)>,
    /// Who changes it.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// Why a rule of a file was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleEditError {
    /// The file does not say this at that line any more.
    Moved,
    /// Anything else, in one line with the file and the way out.
    Failed(String),
}

/// Why rules were not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepError {
    /// Somebody else changed the project file since a human trusted it. With what changed.
    NotTrusted {
        /// The file.
        path: String,
        /// For a human to read.
        diff: String,
    },
    /// Anything else, in one line with the file and the way out.
    Failed(String),
}

/// What is looked up about a call before it is judged and shown.
pub trait Preview: Send + Sync {
    /// The facts that judging by a policy asks for. What cannot be found out is left out.
    fn facts(&self, policy: &Policy, needs: &[Need], root: Option<&str>, home: Option<&str>) -> Facts;

    /// The file at an absolute path, for a diff and for knowing it again.
    fn file(&self, path: &str) -> FileNow;
}

/// A file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileNow {
    /// There is none.
    Absent,
    /// Its text and the hash of its bytes.
    Text {
        /// SHA-256 in hexadecimal.
        sha256: String,
        /// What it says.
        text: String,
    },
    /// It is there and cannot be shown as text: too large, binary, a directory, not readable. With why.
    Unshown {
        /// SHA-256 in hexadecimal, where it could be read.
        sha256: Option<String>,
        /// Why.
        why: FileNote,
    },
}

impl FileNow {
    /// What the file is known by: `absent`, its hash, or nothing where it cannot be read.
    pub fn mark(&self) -> Option<&str> {
        match self {
            FileNow::Absent => Some("absent"),
            FileNow::Text { sha256, .. } => Some(sha256),
            FileNow::Unshown { sha256, .. } => sha256.as_deref(),
        }
    }
}
