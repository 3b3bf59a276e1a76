//! What the settings of an agent are to say.

use std::path::PathBuf;

/// What the settings of an agent are to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookEntry {
    /// The hook.
    pub(crate) hook: PathBuf,
    /// The file that says how it was installed.
    pub(crate) installation: PathBuf,
    /// How many seconds the agent waits for it.
    pub(crate) limit_s: u32,
    /// The settings, as the agent itself names them.
    pub(crate) settings: PathBuf,
}
