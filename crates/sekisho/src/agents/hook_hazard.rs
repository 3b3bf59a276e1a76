//! What keeps an agent from asking.

use std::path::Path;

/// Something in the settings or the environment of an agent that keeps it from asking, or that should be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookHazard {
    /// The hook is not asked, or its word does not count.
    pub(crate) bypasses_hook: bool,
    /// One sentence.
    pub(crate) found: String,
    /// The way out.
    pub(crate) fix: String,
}

impl HookHazard {
    pub(super) fn bypass(found: impl Into<String>, fix: impl Into<String>) -> HookHazard {
        HookHazard { bypasses_hook: true, found: found.into(), fix: fix.into() }
    }

    pub(super) fn caution(found: impl Into<String>, fix: impl Into<String>) -> HookHazard {
        HookHazard { bypasses_hook: false, found: found.into(), fix: fix.into() }
    }
}

/// Another hook that is asked about the same calls.
pub(super) fn other_hook(other: &str, file: &Path) -> HookHazard {
    HookHazard::caution(
        format!("{}: another hook is asked before tools run: `{other}`", file.display()),
        "if it changes the input of calls, what runs is not what was judged; take it out, or see that it only looks",
    )
}
