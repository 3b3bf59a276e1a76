//! What a check found.

use serde::Serialize;

/// How it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// It works, and should be looked at.
    Warning,
    /// It does not work, or is not safe.
    Problem,
}

/// What a check found, and the way out where something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// Which check.
    pub(super) check: &'static str,
    pub(super) level: Level,
    /// One sentence.
    pub(super) found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<String>,
}

impl Finding {
    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Finding {
        Finding { check, level: Level::Ok, found: found.into(), fix: None }
    }

    pub(super) fn warning(check: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { check, level: Level::Warning, found: found.into(), fix: Some(fix.into()) }
    }

    pub(super) fn problem(check: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { check, level: Level::Problem, found: found.into(), fix: Some(fix.into()) }
    }
}
