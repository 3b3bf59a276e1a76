//! The result of a check.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Severity {
    Ok,
    /// It works, but needs attention.
    Warning,
    /// It does not work, or is not safe.
    Problem,
}

/// The result of a check, and what to do if something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Diagnostic {
    /// Name of the check.
    pub(super) check: &'static str,
    pub(super) level: Severity,
    /// One sentence.
    pub(super) found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<String>,
}

impl Diagnostic {
    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Diagnostic {
        Diagnostic { check, level: Severity::Ok, found: found.into(), fix: None }
    }

    pub(super) fn warning(
        check: &'static str,
        found: impl Into<String>,
        fix: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { check, level: Severity::Warning, found: found.into(), fix: Some(fix.into()) }
    }

    pub(super) fn problem(
        check: &'static str,
        found: impl Into<String>,
        fix: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { check, level: Severity::Problem, found: found.into(), fix: Some(fix.into()) }
    }
}
