//! The trait that every agent's settings implement.

use std::path::{Path, PathBuf};

use sekisho_host::InstallScope;
use serde_json::Value;

use super::hook_entry::HookEntry;
use super::hook_hazard::HookHazard;
use super::hook_invocation::InstalledHook;
use super::hook_output::HookOutput;
use super::settings_error::AgentSettingsError;
use crate::failure::Failure;
use crate::settings::AgentHomes;

/// The command of every canary call. No rule can allow it.
pub(super) const CANARY: &str = "sekisho approvals approve sekisho-canary";
/// The call id of a canary, so that the audit log can tell it from a real call.
pub(super) const CANARY_ID: &str = "sekisho-canary";

/// Where to look for hazards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HazardContext<'a> {
    pub(crate) homes: &'a AgentHomes,
    /// The current project.
    pub(crate) project: &'a Path,
    /// How the hook is installed.
    pub(crate) entry: &'a HookEntry,
}

/// The settings of one agent.
pub(crate) trait HookSettings: Sync {
    /// The file that calls the hook.
    fn settings_path(&self, homes: &AgentHomes, reach: &InstallScope) -> Result<PathBuf, Failure>;

    /// The agent's config directory. It exists if the agent is used here.
    fn config_directory<'a>(&self, homes: &'a AgentHomes) -> &'a Path;

    /// The text with our entries up to date and everything else unchanged.
    fn add(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError>;

    /// The text without our entries.
    fn remove(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError>;

    /// Our entries, read as the agent reads them.
    fn installed_hooks(
        &self,
        text: &str,
        installation: &Path,
    ) -> Result<Vec<InstalledHook>, AgentSettingsError>;

    /// The event at which a call is decided.
    fn decision_event(&self) -> &'static str;

    /// The hook input for a call that is always denied.
    fn canary_input(&self, cwd: &Path) -> Value;

    /// Why the agent would not run the call after this hook output; `None` if it would.
    fn block_reason(&self, answered: &HookOutput) -> Option<String>;

    /// What keeps the agent from calling the hook.
    fn hazards(&self, look: &HazardContext<'_>) -> Vec<HookHazard>;
}
