//! What has to be known of the settings of every agent.

use std::path::{Path, PathBuf};

use sekisho_host::InstallScope;
use serde_json::Value;

use super::hook_output::HookOutput;
use super::hook_entry::HookEntry;
use super::settings_error::AgentSettingsError;
use super::hook_hazard::HookHazard;
use super::hook_invocation::InstalledHook;
use crate::failure::Failure;
use crate::settings::AgentHomes;

/// What every canary wants to run: no rule can allow it.
pub(super) const CANARY: &str = "sekisho approvals approve sekisho-canary";
/// The id its call has, so that the record can tell it from a real one.
pub(super) const CANARY_ID: &str = "sekisho-canary";

/// Where to look for what keeps an agent from asking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HazardContext<'a> {
    pub(crate) homes: &'a AgentHomes,
    /// The project one is in.
    pub(crate) project: &'a Path,
    /// How the hook is installed.
    pub(crate) entry: &'a HookEntry,
}

/// The settings of one agent.
pub(crate) trait HookSettings: Sync {
    /// The file that calls the hook.
    fn settings_path(&self, homes: &AgentHomes, reach: &InstallScope) -> Result<PathBuf, Failure>;

    /// The directory that is there where the agent is used.
    fn config_directory<'a>(&self, homes: &'a AgentHomes) -> &'a Path;

    /// The text with our entries as they should be, and everything else as it was.
    fn add(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError>;

    /// The text without our entries.
    fn remove(&self, text: &str, entry: &HookEntry) -> Result<String, AgentSettingsError>;

    /// Our entries, read as the agent reads them.
    fn installed_hooks(&self, text: &str, installation: &Path) -> Result<Vec<InstalledHook>, AgentSettingsError>;

    /// The event at which a call is decided.
    fn decision_event(&self) -> &'static str;

    /// What the agent would tell its hook about a call that is always refused.
    fn canary_input(&self, cwd: &Path) -> Value;

    /// Why the agent would not run the call, if what the hook said keeps it from that.
    fn block_reason(&self, answered: &HookOutput) -> Option<String>;

    /// What keeps the agent from asking.
    fn hazards(&self, look: &HazardContext<'_>) -> Vec<HookHazard>;
}
