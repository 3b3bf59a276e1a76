//! Why the settings of an agent cannot be used.

use std::path::Path;

use crate::failure::Failure;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentSettingsError {
    /// Line and column, from 1.
    at: Option<(usize, usize)>,
    what: String,
}

impl AgentSettingsError {
    pub(super) fn new(what: impl Into<String>) -> AgentSettingsError {
        AgentSettingsError { at: None, what: what.into() }
    }

    pub(super) fn at(line: usize, column: usize, what: impl Into<String>) -> AgentSettingsError {
        AgentSettingsError { at: Some((line, column)), what: what.into() }
    }

    /// With the file it is about.
    pub(crate) fn with_path(&self, path: &Path) -> String {
        let place = self.at.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        format!("{}{place}: {}", path.display(), self.what)
    }

    /// As the end of a command that wanted to change the file.
    pub(crate) fn into_failure(&self, path: &Path) -> Failure {
        Failure::new(format!("{}; put it right, or move the file away; nothing was changed", self.with_path(path)))
    }
}
