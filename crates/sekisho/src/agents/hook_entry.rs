//! The hook entry that an agent's settings should contain.

use std::path::PathBuf;

/// The hook entry that an agent's settings should contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookEntry {
    /// Path of the hook program.
    pub(crate) hook: PathBuf,
    /// The file that describes the installation.
    pub(crate) installation: PathBuf,
    /// How many seconds the agent waits for the hook.
    pub(crate) limit_s: u32,
    /// The settings file, as the agent itself names it.
    pub(crate) settings: PathBuf,
}
