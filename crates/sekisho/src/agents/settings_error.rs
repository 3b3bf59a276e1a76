//! Why an agent's settings file cannot be used.

use std::path::Path;

use crate::failure::Failure;

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

    /// The message with the path of the file.
    pub(crate) fn with_path(&self, path: &Path) -> String {
        let place = self.at.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        format!("{}{place}: {}", path.display(), self.what)
    }

    /// As the failure of a command that tried to change the file.
    pub(crate) fn to_failure(&self, path: &Path) -> Failure {
        Failure::new(format!("{}; fix it, or move the file away; nothing was changed", self.with_path(path)))
    }
}
