//! Something that keeps an agent from calling the hook.

use std::path::Path;

/// Something in an agent's settings or environment that bypasses the hook or needs attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookHazard {
    /// The hook is not called, or its answer is ignored.
    pub(crate) bypasses_hook: bool,
    /// One sentence.
    pub(crate) found: String,
    /// What to do.
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

/// Another hook that is called for the same calls.
pub(super) fn other_hook(other: &str, file: &Path) -> HookHazard {
    HookHazard::caution(
        format!("{}: another hook runs before tools: `{other}`", file.display()),
        "if it changes the input, the call that runs is not the one that was judged; remove it, or make sure that it only reads",
    )
}
