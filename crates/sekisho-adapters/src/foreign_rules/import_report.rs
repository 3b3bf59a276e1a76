//! The documents of an import, and the result for each entry.

use sekisho_policy::{Effect, Rule};

/// Whether a document is the user's or a project's. Some paths and some orders depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentScope {
    /// The user's own, for every project.
    User,
    /// A project's.
    Project,
}

/// One document of the source. Several are read together, the weaker (the user's) first.
#[derive(Clone, Debug)]
pub struct SourceDocument {
    /// Its name in messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether it is the user's or a project's.
    pub scope: DocumentScope,
}

/// How exactly an entry was imported or exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// It means the same.
    Exact,
    /// An import: an allow that covers less. An export: a deny or an ask that covers less.
    Narrower,
    /// A deny or an ask that covers more.
    Wider,
    /// A deny became a question, or a question now covers more.
    Confirm,
    /// Nothing was imported.
    Dropped,
}

impl Exactness {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Exactness::Exact => "exact",
            Exactness::Narrower => "narrower",
            Exactness::Wider => "wider",
            Exactness::Confirm => "asked",
            Exactness::Dropped => "not carried",
        }
    }
}

/// One entry of the source and the rules it became.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedEntry {
    /// Index of the document.
    pub document: usize,
    /// The line it begins at, from 1.
    pub line: u32,
    /// The entry as written in the source.
    pub source_text: String,
    /// The rules it became.
    pub rules: Vec<(Effect, Rule)>,
    /// How exactly the entries express the rule.
    pub exactness: Exactness,
    /// Why not exactly; empty if it is exact.
    pub why: String,
}

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// Index of the document.
    pub document: usize,
    /// The line, from 1; 0 if the error concerns the whole document.
    pub line: u32,
    /// What is wrong with it.
    pub message: String,
}
