//! The paths that a command's words may name, with what it cost to find them.

/// The paths that the known text of a command's words may name.
pub(crate) struct PathsOfWords {
    pub(super) paths: Vec<String>,
    /// What it cost to find them.
    pub(super) cost: usize,
}
