//! Where an agent's hook is, or would be, installed.

use std::path::{Path, PathBuf};

use sekisho_adapters::Agent;
use sekisho_host::{AgentSettingsFile, InstallScope, Installation, Installations, SettingsBackups};

use crate::agents::{self, HookEntry, HookSettings, hook_settings};
use crate::failure::Failure;
use crate::settings::{AgentHomes, Settings};

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct InstallScopeArgs {
    /// In your own settings of the agent, which apply to every project (the default)
    #[arg(long, conflicts_with = "project")]
    global: bool,
    /// Only for the current project, in its personal settings if the agent has them
    #[arg(long)]
    project: bool,
}

/// Where an agent's hook is, or would be, installed.
pub(crate) struct InstallTarget {
    pub(crate) agent: Agent,
    pub(crate) reach: InstallScope,
    pub(crate) wiring: &'static dyn HookSettings,
    pub(crate) file: AgentSettingsFile,
    /// Backups of the settings from before our changes.
    pub(crate) copies: SettingsBackups,
    pub(crate) installations: Installations,
    /// The file that describes how the hook was installed.
    pub(crate) installation: PathBuf,
}

impl InstallTarget {
    pub(crate) fn find(
        settings: &Settings,
        agent: Agent,
        which: &InstallScopeArgs,
    ) -> Result<InstallTarget, Failure> {
        let homes = AgentHomes::load(settings.locations.home.as_deref())?;
        let reach = match which.project {
            true => InstallScope::Project(settings.workspace(None)?.root),
            false => InstallScope::Global,
        };
        let wiring = hook_settings(agent);
        let file = AgentSettingsFile::read(&wiring.settings_path(&homes, &reach)?)?;
        let installations = Installations::at(&settings.locations.state);
        let installation = installations.path(agent.name(), file.path());
        let copies = SettingsBackups::of(&settings.locations.state, agent.name(), file.path());
        Ok(InstallTarget { agent, reach, wiring, file, copies, installations, installation })
    }

    /// Whether others may get this file too, because the agent has no personal project settings.
    pub(crate) fn is_shared(&self) -> bool {
        self.reach != InstallScope::Global && self.agent != Agent::ClaudeCode
    }

    /// The plugin file that the agent loads, if it starts no hook program.
    pub(crate) fn plugin(&self, entry: &HookEntry) -> Option<(PathBuf, String)> {
        (self.agent == Agent::OpenCode).then(|| agents::opencode_plugin(entry))
    }
}

impl HookEntry {
    /// The hook entry that an installation requires in the agent's settings.
    pub(crate) fn of(installation: &Installation, file: &Path) -> HookEntry {
        HookEntry {
            hook: installation.hook.clone(),
            installation: file.into(),
            limit_s: installation.limit_s,
            settings: installation.settings.clone(),
        }
    }
}

/// Whether an agent's settings match an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InstallStatus {
    /// They call the hook as installed.
    InPlace,
    /// They call it differently; with the necessary change.
    Changed(String),
    Missing,
    /// With the reason.
    Unreadable(String),
}

impl InstallStatus {
    pub(crate) fn of(wiring: &dyn HookSettings, entry: &HookEntry) -> InstallStatus {
        let path = &entry.settings;
        let text = match AgentSettingsFile::read(path) {
            Ok(file) => file.text().unwrap_or_default().to_owned(),
            Err(error) => return InstallStatus::Unreadable(error.to_string()),
        };
        match (wiring.installed_hooks(&text, &entry.installation), wiring.add(&text, entry)) {
            (Err(fault), _) | (_, Err(fault)) => InstallStatus::Unreadable(fault.with_path(path)),
            (Ok(wired), _) if wired.is_empty() => InstallStatus::Missing,
            (_, Ok(after)) if after == text => InstallStatus::InPlace,
            (_, Ok(after)) => InstallStatus::Changed(sekisho_host::diff(&text, &after)),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            InstallStatus::InPlace => "in place",
            InstallStatus::Changed(_) => "changed",
            InstallStatus::Missing => "missing",
            InstallStatus::Unreadable(_) => "unreadable",
        }
    }
}
