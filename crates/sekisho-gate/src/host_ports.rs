//! Ports that a host implements: policy files, facts and file contents.

use jiff::Timestamp;
use sekisho_policy::{Effect, FactQuery, Facts, Layers, Policy, Rule};

use crate::answer::RuleScope;
use crate::display_notes::FileNote;

/// The policy layers that come from files.
pub trait PolicyFiles: Send + Sync {
    /// The layers that apply to a caller in a directory of a workspace, and a number that grows
    /// whenever they change.
    fn layers(&self, root: Option<&str>, cwd: Option<&str>) -> FileLayers;

    /// A number that identifies the current state of the layers for a directory. It is read for every
    /// judgement, so it must be cheap; it also detects changes that no notification announced.
    fn generation_at(&self, _root: Option<&str>, _cwd: Option<&str>) -> u64 {
        *self.generation().borrow()
    }

    /// A number that grows with every change of any file.
    fn generation(&self) -> tokio::sync::watch::Receiver<u64>;

    /// Writes rules to the project's or the user's file and keeps its comments and order. The rules
    /// apply when it returns.
    fn remember(&self, keep: RuleWrite) -> Result<(), RuleWriteError>;

    /// Changes or removes one rule of the user's own file, keeping the comments and order of the rest. It counts when it
    /// returns.
    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError>;
}

/// The file layers at one point in time.
#[derive(Clone, Debug, Default)]
pub struct FileLayers {
    /// The layers a policy is compiled from.
    pub layers: Layers,
    /// The generation of these layers.
    pub generation: u64,
}

/// Rules to write to a file.
#[derive(Clone, Debug)]
pub struct RuleWrite {
    /// Which file. Never the session scope, which has no file.
    pub scope: RuleScope,
    /// The workspace root.
    pub root: Option<String>,
    /// The effect of the rules.
    pub effect: Effect,
    /// The rules.
    pub rules: Vec<Rule>,
    /// Who has them written.
    pub by: String,
    /// When they are written.
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
pub enum RuleWriteError {
    /// Somebody else changed the project file since a human trusted it.
    NotTrusted {
        /// The path of the file.
        path: String,
        /// What changed, for a human to read.
        diff: String,
    },
    /// Any other failure, in one line with the file and what to do.
    Failed(String),
}

/// Looks up what is needed to judge and display a call.
pub trait HostLookup: Send + Sync {
    /// The facts that a policy needs for its judgement. A fact that cannot be determined is left out.
    fn facts(&self, policy: &Policy, needs: &[FactQuery], root: Option<&str>, home: Option<&str>) -> Facts;

    /// The file at an absolute path, for a diff and for its fingerprint.
    fn file(&self, path: &str) -> CurrentFile;
}

/// The current content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CurrentFile {
    /// The file does not exist.
    Absent,
    /// The text and the hash of the bytes.
    Text {
        /// SHA-256 in hexadecimal.
        sha256: String,
        /// The content of the file.
        text: String,
    },
    /// The file exists and cannot be shown as text: too large, binary, a directory, or not readable.
    NotShowable {
        /// SHA-256 in hexadecimal, if the file could be read.
        sha256: Option<String>,
        /// Why it cannot be shown.
        why: FileNote,
    },
}

impl CurrentFile {
    /// The fingerprint of the file: `absent`, its hash, or `None` if it cannot be read.
    pub fn fingerprint(&self) -> Option<&str> {
        match self {
            CurrentFile::Absent => Some("absent"),
            CurrentFile::Text { sha256, .. } => Some(sha256),
            CurrentFile::NotShowable { sha256, .. } => sha256.as_deref(),
        }
    }
}
