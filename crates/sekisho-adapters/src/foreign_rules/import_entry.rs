//! A source's files, and what became of each of their entries.

use sekisho_policy::{Effect, Rule};

/// Whose file it is: some paths and some orders depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentScope {
    /// The user's own, for every project.
    User,
    /// A project's.
    Project,
}

/// One file of the source. Several are read together, the weaker ones (the user's) first.
#[derive(Clone, Debug)]
pub struct SourceDocument {
    /// The file, as people are told it.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Whose it is.
    pub scope: DocumentScope,
}

/// How exactly an entry was carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// It says the same.
    Exact,
    /// An allow that covers less; of what is exported, a deny or ask that does.
    Narrower,
    /// A deny or an ask that covers more.
    Wider,
    /// A deny became a question, or a question about something else became one about more.
    Confirm,
    /// Nothing was carried over.
    Dropped,
}

impl Exactness {
    /// The word for it.
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

/// One entry of the source and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedEntry {
    /// Which document, by position.
    pub document: usize,
    /// The line it stands at, from 1.
    pub line: u32,
    /// The entry in the words of the source.
    pub source_text: String,
    /// The rules it became.
    pub rules: Vec<(Effect, Rule)>,
    /// How exactly.
    pub exactness: Exactness,
    /// Why not exactly; empty where there is nothing to say.
    pub why: String,
}

/// A document nobody can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// Which document, by position.
    pub document: usize,
    /// The line, from 1; 0 where the document as a whole is at fault.
    pub line: u32,
    /// What is wrong with it.
    pub message: String,
}
