//! What the machine's files say: the ports a host fills.

use jiff::Timestamp;
use sekisho_policy::{Effect, Facts, Layers, FactQuery, Policy, Rule};

use crate::answer::RuleScope;
use crate::display_notes::FileNote;

/// The layers that are files.
pub trait PolicyFiles: Send + Sync {
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
    fn remember(&self, keep: RuleWrite) -> Result<(), RuleWriteError>;
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
pub struct RuleWrite {
    /// Which file; not the session's, which is none.
    pub scope: RuleScope,
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

/// Why rules were not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleWriteError {
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
pub trait HostLookup: Send + Sync {
    /// The facts that judging by a policy asks for. What cannot be found out is left out.
    fn facts(&self, policy: &Policy, needs: &[FactQuery], root: Option<&str>, home: Option<&str>) -> Facts;

    /// The file at an absolute path, for a diff and for knowing it again.
    fn file(&self, path: &str) -> CurrentFile;
}

/// A file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CurrentFile {
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
    NotShowable {
        /// SHA-256 in hexadecimal, where it could be read.
        sha256: Option<String>,
        /// Why.
        why: FileNote,
    },
}

impl CurrentFile {
    /// What the file is known by: `absent`, its hash, or nothing where it cannot be read.
    pub fn fingerprint(&self) -> Option<&str> {
        match self {
            CurrentFile::Absent => Some("absent"),
            CurrentFile::Text { sha256, .. } => Some(sha256),
            CurrentFile::NotShowable { sha256, .. } => sha256.as_deref(),
        }
    }
}
