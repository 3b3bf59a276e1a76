//! What keeps an agent from asking.

use std::path::Path;

/// Something in the settings or the environment of an agent that keeps it from asking, or that should be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hazard {
    /// The hook is not asked, or its word does not count.
    pub(crate) is_open: bool,
    /// One sentence.
    pub(crate) found: String,
    /// The way out.
    pub(crate) fix: String,
}

impl Hazard {
    pub(super) fn open(found: impl Into<String>, fix: impl Into<String>) -> Hazard {
        Hazard { is_open: true, found: found.into(), fix: fix.into() }
    }

    pub(super) fn care(found: impl Into<String>, fix: impl Into<String>) -> Hazard {
        Hazard { is_open: false, found: found.into(), fix: fix.into() }
    }
}

/// Another hook that is asked about the same calls.
pub(super) fn rival(other: &str, file: &Path) -> Hazard {
    Hazard::care(
        format!("{}: another hook is asked before tools run: `{other}`", file.display()),
        "if it changes the input of calls, what runs is not what was judged; take it out, or see that it only looks",
    )
}
